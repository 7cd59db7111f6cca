import type { MessagePort } from 'node:worker_threads';
import type { Problem } from '../../document/problem.ts';
import type { DocumentSource } from '../../document/source-text.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { Environment } from './load-document.ts';

/** What the worker is started with. Slices of the state go to `slices`, one message each. */
export interface DocumentWork {
  readonly source: DocumentSource;
  readonly environment: Environment;
  readonly slices: MessagePort;
}

/** What the worker says when it is done. */
export interface DocumentWorkDone {
  /** Null when the document is faultless; its state then waits in `sliceCount` messages. */
  readonly problems: readonly Problem[] | null;
  readonly sliceCount: number;
  readonly secretFiles: ReadonlyMap<string, Fingerprint>;
}
