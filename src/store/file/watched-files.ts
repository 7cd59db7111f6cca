import { readFingerprint, type Fingerprint } from './fingerprint.ts';

/**
 * What a look at the files tells: nothing changed since they were read, something is changing, or something changed
 * and stayed the same since the last look.
 */
export type Change = 'none' | 'unsettled' | 'settled';

/** Secret files looked at each time, in turn: thousands of them must not cost more than the checks. */
const MAX_LOOKS = 200;

/** The document and the secret files it names, as they were when they were read. */
export class WatchedFiles {
  readonly #document: string;
  readonly #read = new Map<string, Fingerprint>();
  #secretPaths: readonly string[] = [];
  #next = 0;
  /** What differed at the last look. */
  #changed = new Map<string, Fingerprint>();

  constructor(document: string) {
    this.#document = document;
  }

  /** Takes note of the files that a state, or a fault, was read from. */
  remember(document: Fingerprint, secretFiles: ReadonlyMap<string, Fingerprint>): void {
    this.#read.clear();
    this.#read.set(this.#document, document);
    for (const [path, fingerprint] of secretFiles) this.#read.set(path, fingerprint);
    this.#secretPaths = [...secretFiles.keys()];
    this.#next = 0;
    this.#changed = new Map();
  }

  /** Looks at the document, at what differed last time, and at the next secret files. */
  async look(): Promise<Change> {
    const paths = [...new Set([this.#document, ...this.#changed.keys(), ...this.#nextSecretPaths()])];
    const found = await Promise.all(paths.map(async (path) => [path, await readFingerprint(path)] as const));
    const changed = new Map(found.filter(([path, fingerprint]) => this.#read.get(path) !== fingerprint));
    const isSettled = [...changed].every(([path, fingerprint]) => this.#changed.get(path) === fingerprint);
    this.#changed = changed;
    if (changed.size === 0) return 'none';
    return isSettled ? 'settled' : 'unsettled';
  }

  #nextSecretPaths(): readonly string[] {
    const paths = this.#secretPaths.slice(this.#next, this.#next + MAX_LOOKS);
    this.#next = this.#next + MAX_LOOKS >= this.#secretPaths.length ? 0 : this.#next + MAX_LOOKS;
    return paths;
  }
}
