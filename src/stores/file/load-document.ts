import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import { buildState } from '../../resources/build-state.ts';
import { parseDocument } from '../../resources/parse-document.ts';
import { type Problem, problemOf } from '../../model/document/problem.ts';
import { keyFileReader, secretReader } from '../../resources/secret-source.ts';
import type { DocumentSource } from '../../model/document/source-text.ts';
import { readFingerprintSync, type Fingerprint } from '../../base/files/fingerprint.ts';
import type { StoreState } from '../../check/store/check-store.ts';
import { joinSlice, type StateSlice } from './portable-state.ts';

/** Names and values of environment variables, for `appSecretFrom: { env: NAME }`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The content of a document or its problems, and the files that it names, as they were right before they were read. */
export interface LoadedDocument {
  readonly result: { readonly state: StoreState } | { readonly problems: readonly Problem[] };
  readonly secretFiles: ReadonlyMap<string, Fingerprint>;
}

/** Reads the document of a file store with its secrets. Blocks for as long: about a second for 5 MB. */
export function loadDocument(source: DocumentSource, environment: Environment): LoadedDocument {
  const secretFiles = new Map<string, Fingerprint>();
  const onFile = (path: string): void => {
    if (!secretFiles.has(path)) secretFiles.set(path, readFingerprintSync(path));
  };
  const readSecret = secretReader({ environment, onFile });
  const parsed = parseDocument([source], { readSecret, readKeyFile: keyFileReader(onFile), isComplete: true });
  const result = 'problems' in parsed ? parsed : { state: buildState(parsed.content) };
  return { result, secretFiles };
}

/** What the thread of `document-worker.ts` is started with. Slices of the state go to `slices`, one message each. */
export interface DocumentWork {
  readonly source: DocumentSource;
  readonly environment: Environment;
  readonly slices: MessagePort;
}

/** The answer of the thread when it is done. */
export interface DocumentWorkDone {
  /** Null when the document is faultless; its state then waits in `sliceCount` messages. */
  readonly problems: readonly Problem[] | null;
  readonly sliceCount: number;
  readonly secretFiles: ReadonlyMap<string, Fingerprint>;
}

/** Documents up to this length are read at once, in about 20 ms: starting a thread takes as long. */
const MAX_INLINE_CHARACTERS = 32 * 1024;

/** The longest document takes half a minute; reading a text that is made to take longer ends here. */
const DEADLINE_MS = 300_000;
const DEADLINE_MISSED = new Error(`it takes longer than ${String(DEADLINE_MS / 1000)} seconds`);

/** The program of the thread, when it is built: Node loads no TypeScript in a thread, so the sources read at once. */
export const builtWorkerEntry = import.meta.url.endsWith('.ts') ? null : new URL('document-worker.js', import.meta.url);

/** Reads the document of a file store without delaying checks. */
export async function loadOffThread(
  source: DocumentSource,
  environment: Environment,
  workerEntry: URL | null,
  signal: AbortSignal,
): Promise<LoadedDocument> {
  if (workerEntry === null || source.text.length <= MAX_INLINE_CHARACTERS) return loadDocument(source, environment);
  const { port1, port2 } = new MessageChannel();
  const work: DocumentWork = { source, environment: { ...environment }, slices: port2 };
  const worker = new Worker(workerEntry, { workerData: work, transferList: [port2] });
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    const [done] = (await once(worker, 'message', { signal: AbortSignal.any([signal, deadline]) })) as [
      DocumentWorkDone,
    ];
    if (done.problems !== null) return { result: { problems: done.problems }, secretFiles: done.secretFiles };
    return { result: { state: await joinSlices(port1, done.sliceCount) }, secretFiles: done.secretFiles };
  } catch (error) {
    if (signal.aborted) throw error;
    const fault = deadline.aborted ? DEADLINE_MISSED : error;
    const reason = fault instanceof Error ? fault.message : String(fault);
    const problem = problemOf(source.file, 1, `the file could not be taken in: ${reason}`);
    return { result: { problems: [problem] }, secretFiles: new Map() };
  } finally {
    port1.close();
    await worker.terminate();
  }
}

/** Takes slices in one at a time and lets checks go between them. */
async function joinSlices(port: MessagePort, count: number): Promise<StoreState> {
  const state = { endpoints: [], consumers: [], credentials: [], grants: [], plans: [], issuers: [] };
  for (let at = 0; at < count; at += 1) {
    const received = receiveMessageOnPort(port) as { readonly message: StateSlice } | undefined;
    if (received === undefined) throw new Error('a part of the document was lost between threads');
    joinSlice(state, received.message);
    await nextTurn();
  }
  return state;
}
