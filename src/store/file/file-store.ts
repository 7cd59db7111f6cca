import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Problem } from '../../document/problem.ts';
import type { StoreState } from '../state.ts';
import { FaultyDocument } from './faulty-document.ts';
import type { Environment, LoadedDocument } from './load-document.ts';
import { builtWorkerEntry, loadOffThread } from './load-off-thread.ts';
import { readWholeFile } from './read-whole-file.ts';
import { WatchedFiles } from './watched-files.ts';

/** What a file store needs and whom it tells. Callbacks are called from a timer, never from within `open`. */
export interface FileStorePorts {
  readonly clock: Clock;
  readonly environment: Environment;
  /** A new good state; it follows every problem that was told before. */
  readonly onState: (state: StoreState) => void;
  /** The document is wrong or gone and the last good state stays; told once, until the problems are others. */
  readonly onProblems: (problems: readonly Problem[]) => void;
  /** A defect, of this program or of a callback; the last good state stays. */
  readonly onDefect: (error: unknown) => void;
  /** How often the files are looked at; a change counts once it lasts for as long. */
  readonly pollIntervalMs?: number;
  /** The program of the thread that reads large documents. */
  readonly workerEntry?: URL;
}

/** With twice this, and the reading of a file of a usual size, a change is in force well within a second (spec §6). */
const POLL_INTERVAL_MS = 200;

/** How often a file that is being written at start is tried again. */
const MAX_START_ATTEMPTS = 20;

/**
 * A declarative file as a store: the last good state of the file, kept up to date (spec §6).
 *
 * Files are looked at by `stat`, not by notifications, which network and overlay file systems do not give. A changed
 * file is read when it stayed the same from one look to the next, so that a writer's half is not taken for the whole.
 */
export class FileStore implements AsyncDisposable {
  readonly #path: string;
  readonly #ports: FileStorePorts;
  readonly #watched: WatchedFiles;
  readonly #stop = new AbortController();
  #state: StoreState;
  #problems: readonly Problem[] = [];
  #confirmedMs: number;
  #watching: Promise<void> = Promise.resolve();

  private constructor(path: string, ports: FileStorePorts, watched: WatchedFiles, state: StoreState) {
    this.#path = path;
    this.#ports = ports;
    this.#watched = watched;
    this.#state = state;
    this.#confirmedMs = ports.clock.nowMs();
  }

  /** Reads the file and watches it. Rejects with {@link FaultyDocument} when there is no good state to begin with. */
  static async open(path: string, ports: FileStorePorts): Promise<FileStore> {
    const watched = new WatchedFiles(path);
    const loaded = await loadAtStart(path, ports, watched);
    if ('problems' in loaded.result) throw new FaultyDocument(loaded.result.problems);
    const store = new FileStore(path, ports, watched, loaded.result.state);
    store.#watching = store.#watch();
    return store;
  }

  /** The last good state. */
  get state(): StoreState {
    return this.#state;
  }

  /** What is wrong with the file now, and was told; empty while {@link state} is the state of the file. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Whole seconds since {@link state} was last known to be the state of the file. */
  ageSeconds(): number {
    return Math.max(0, Math.floor((this.#ports.clock.nowMs() - this.#confirmedMs) / 1000));
  }

  /** Stops watching. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await delay(this.#ports.pollIntervalMs ?? POLL_INTERVAL_MS, undefined, { signal, ref: false });
        await this.#look(signal);
      } catch (error) {
        if (!isAborted(signal)) this.#ports.onDefect(error);
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const change = await this.#watched.look();
    if (change === 'none' && this.#problems.length === 0) this.#confirmedMs = this.#ports.clock.nowMs();
    if (change !== 'settled') return;
    const loaded = await load(this.#path, this.#ports, this.#watched, signal);
    if (loaded === null || isAborted(signal)) return;
    if ('problems' in loaded.result) this.#keepLastState(loaded.result.problems);
    else this.#replaceState(loaded.result.state);
  }

  #keepLastState(problems: readonly Problem[]): void {
    const isKnown = JSON.stringify(problems) === JSON.stringify(this.#problems);
    this.#problems = problems;
    if (!isKnown) this.#ports.onProblems(problems);
  }

  #replaceState(state: StoreState): void {
    this.#state = state;
    this.#problems = [];
    this.#confirmedMs = this.#ports.clock.nowMs();
    this.#ports.onState(state);
  }
}

/** Reads the file once; null when it changes meanwhile. */
async function load(
  path: string,
  ports: FileStorePorts,
  watched: WatchedFiles,
  signal: AbortSignal,
): Promise<LoadedDocument | null> {
  const file = await readWholeFile(path);
  if (file.kind === 'changing') return null;
  if (file.kind === 'faulty') {
    watched.remember(file.fingerprint, new Map());
    const problem: Problem = { file: path, line: file.line, column: 1, path: '', message: file.message };
    return { result: { problems: [problem] }, secretFiles: new Map() };
  }
  const entry = ports.workerEntry ?? builtWorkerEntry;
  const loaded = await loadOffThread({ file: path, text: file.text }, ports.environment, entry, signal);
  watched.remember(file.fingerprint, loaded.secretFiles);
  return loaded;
}

async function loadAtStart(path: string, ports: FileStorePorts, watched: WatchedFiles): Promise<LoadedDocument> {
  const { signal } = new AbortController();
  for (let attempt = 1; attempt <= MAX_START_ATTEMPTS; attempt += 1) {
    const loaded = await load(path, ports, watched, signal);
    if (loaded !== null) return loaded;
    await delay(ports.pollIntervalMs ?? POLL_INTERVAL_MS);
  }
  const message = 'the file keeps changing while it is read';
  return { result: { problems: [{ file: path, line: 1, column: 1, path: '', message }] }, secretFiles: new Map() };
}

/** Asked anew after every wait: a store can be disposed of in between. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
