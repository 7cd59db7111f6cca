import { buildState } from '../../document/build-state.ts';
import { parseDocument } from '../../document/parse-document.ts';
import type { Problem } from '../../document/problem.ts';
import { secretReader } from '../../document/secret-source.ts';
import type { DocumentSource } from '../../document/source-text.ts';
import type { StoreState } from '../state.ts';
import { readFingerprintSync, type Fingerprint } from './fingerprint.ts';

/** Names and values of environment variables, for `appSecretFrom: { env: NAME }`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a file store makes of its document, and the secret files it looked into, as they were right before. */
export interface LoadedDocument {
  readonly result: { readonly state: StoreState } | { readonly problems: readonly Problem[] };
  readonly secretFiles: ReadonlyMap<string, Fingerprint>;
}

/** Reads the document of a file store with its secrets. Takes about a second per 1.5 MB, and blocks meanwhile. */
export function loadDocument(source: DocumentSource, environment: Environment): LoadedDocument {
  const secretFiles = new Map<string, Fingerprint>();
  const readSecret = secretReader({
    environment,
    onFile: (path) => {
      if (!secretFiles.has(path)) secretFiles.set(path, readFingerprintSync(path));
    },
  });
  const parsed = parseDocument([source], { readSecret, isComplete: true });
  const result = 'problems' in parsed ? parsed : { state: buildState(parsed.content) };
  return { result, secretFiles };
}
