import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { MAX_DOCUMENT_BYTES } from '../../resources/parse-document.ts';
import { formatProblem, type Problem } from '../../document/problem.ts';
import { readWholeFile } from '../../files/read-whole-file.ts';
import { type Change, WatchedFiles } from '../../files/watched-files.ts';
import { compileCatalog } from '../../route/endpoint-table.ts';
import type { CheckStore, FileObserver, StoreState } from '../check-store.ts';
import { builtWorkerEntry, type Environment, type LoadedDocument, loadOffThread } from './load-document.ts';

/** The document of a file store has no good state to begin with. The message lists every problem, one a line. */
export class FaultyDocument extends Error {
  override readonly name = 'FaultyDocument';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

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
 * A changed file is read when it stayed the same from one look to the next, so that a writer's half is not taken for
 * the whole.
 */
export class FileStore implements AsyncDisposable {
  readonly #path: string;
  readonly #ports: FileStorePorts;
  readonly #watched: WatchedFiles;
  readonly #following: AsyncDisposable;
  #state: StoreState;
  #problems: readonly Problem[] = [];
  #confirmedMs: number;

  private constructor(path: string, ports: FileStorePorts, watched: WatchedFiles, state: StoreState) {
    this.#path = path;
    this.#ports = ports;
    this.#watched = watched;
    this.#state = state;
    this.#confirmedMs = ports.clock.nowMs();
    this.#following = watched.follow({
      intervalMs: ports.pollIntervalMs ?? POLL_INTERVAL_MS,
      onLook: async (change, signal) => {
        await this.#takeChange(change, signal);
      },
      onDefect: ports.onDefect,
    });
  }

  /** Reads the file and watches it. Rejects with {@link FaultyDocument} when there is no good state to begin with. */
  static async open(path: string, ports: FileStorePorts): Promise<FileStore> {
    const watched = new WatchedFiles([path]);
    const loaded = await loadAtStart(path, ports, watched);
    if ('problems' in loaded.result) throw new FaultyDocument(loaded.result.problems);
    return new FileStore(path, ports, watched, loaded.result.state);
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
    await this.#following[Symbol.asyncDispose]();
  }

  async #takeChange(change: Change, signal: AbortSignal): Promise<void> {
    if (change === 'none' && this.#problems.length === 0) this.#confirmedMs = this.#ports.clock.nowMs();
    if (change !== 'settled') return;
    const loaded = await load(this.#path, this.#ports, this.#watched, signal);
    if (loaded === null || signal.aborted) return;
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
  const file = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (file.kind === 'changing') return null;
  if (file.kind === 'faulty') {
    watched.remember(new Map([[path, file.fingerprint]]));
    const problem: Problem = { file: path, line: file.line, column: 1, path: '', message: file.message };
    return { result: { problems: [problem] }, secretFiles: new Map() };
  }
  const entry = ports.workerEntry ?? builtWorkerEntry;
  const loaded = await loadOffThread({ file: path, text: file.text }, ports.environment, entry, signal);
  watched.remember(new Map([[path, file.fingerprint], ...loaded.secretFiles]));
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

/** What a file as the store of checks needs. */
export interface FileCheckStorePorts {
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly observer: FileObserver;
}

/** Opens a declarative file, whose last good state decides. Rejects with `FaultyDocument` when it has none. */
export async function openFileCheckStore(
  path: string,
  { clock, environment, observer }: FileCheckStorePorts,
): Promise<CheckStore> {
  const store = await FileStore.open(path, {
    clock,
    environment,
    onState: (state) => {
      catalog = compileCatalog(state);
      observer.loaded(path, state);
    },
    onProblems: (problems) => {
      observer.refused(path, problems.map(formatProblem));
    },
    onDefect: (error) => {
      observer.defect(path, error);
    },
  });
  let catalog = compileCatalog(store.state);
  observer.loaded(path, store.state);
  return {
    ready: Promise.resolve(),
    current: () => catalog,
    ageSeconds: () => store.ageSeconds(),
    findUnreadiness: () => null,
    canLookUp: () => true,
    findNotice: () =>
      store.problems.length === 0 ? null : 'the declarative file is wrong; its last good state decides',
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}
