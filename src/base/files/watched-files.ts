import { setTimeout as delay } from 'node:timers/promises';
import { readFingerprint, type Fingerprint } from './fingerprint.ts';

/**
 * What a look at the files shows: nothing changed since they were read, something is changing, or something changed
 * and stayed the same since the last look.
 */
export type Change = 'none' | 'unsettled' | 'settled';

/** Further files looked at each time, in turn: thousands of them must not cost more than the checks. */
const MAX_LOOKS = 200;

/** What following files takes. */
export interface FollowOptions {
  /** How often the files are looked at; a change counts once it lasts for as long. */
  readonly intervalMs: number;
  /** Called after each look, one call after the other. `signal` aborts when following ends. */
  readonly onLook: (change: Change, signal: AbortSignal) => Promise<void>;
  /** Called with what `onLook` rejects with; following goes on. */
  readonly onDefect: (error: unknown) => void;
}

/**
 * Files as they were when they were read. They are looked at by `stat`, which sees writes in place, renames and
 * replaced symlinks (as Kubernetes makes them): network and overlay file systems give no notifications.
 */
export class WatchedFiles {
  readonly #paths: readonly string[];
  readonly #read = new Map<string, Fingerprint>();
  #furtherPaths: readonly string[] = [];
  #next = 0;
  #changed = new Map<string, Fingerprint>();

  /** @param paths looked at each time. */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** Takes note of the files that a state, or a fault, was read from; those beyond the constructor's take turns. */
  remember(fingerprints: ReadonlyMap<string, Fingerprint>): void {
    this.#read.clear();
    for (const [path, fingerprint] of fingerprints) this.#read.set(path, fingerprint);
    this.#furtherPaths = [...fingerprints.keys()].filter((path) => !this.#paths.includes(path));
    this.#next = 0;
    this.#changed = new Map();
  }

  /** Takes note of what the last look saw: it has been read since. */
  rememberSeen(): void {
    this.remember(new Map([...this.#read, ...this.#changed]));
  }

  /** Looks at the constructor's files, at what differed last time, and at the next of the others. */
  async look(): Promise<Change> {
    const paths = [...new Set([...this.#paths, ...this.#changed.keys(), ...this.#nextPaths()])];
    const found = await Promise.all(paths.map(async (path) => [path, await readFingerprint(path)] as const));
    const changed = new Map(found.filter(([path, fingerprint]) => this.#read.get(path) !== fingerprint));
    const isSettled = [...changed].every(([path, fingerprint]) => this.#changed.get(path) === fingerprint);
    this.#changed = changed;
    if (changed.size === 0) return 'none';
    return isSettled ? 'settled' : 'unsettled';
  }

  /** Looks repeatedly until it is disposed of; nothing is called after that. Does not keep the process alive. */
  follow(options: FollowOptions): AsyncDisposable {
    const stop = new AbortController();
    const following = this.#follow(options, stop.signal);
    return {
      [Symbol.asyncDispose]: async () => {
        stop.abort();
        await following;
      },
    };
  }

  async #follow({ intervalMs, onLook, onDefect }: FollowOptions, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await delay(intervalMs, undefined, { signal, ref: false });
        const change = await this.look();
        signal.throwIfAborted();
        await onLook(change, signal);
      } catch (error) {
        if (signal.aborted) return;
        onDefect(error);
      }
    }
  }

  #nextPaths(): readonly string[] {
    const paths = this.#furtherPaths.slice(this.#next, this.#next + MAX_LOOKS);
    this.#next = this.#next + MAX_LOOKS >= this.#furtherPaths.length ? 0 : this.#next + MAX_LOOKS;
    return paths;
  }
}
