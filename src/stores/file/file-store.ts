import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { MAX_DOCUMENT_BYTES } from '../../resources/parse-document.ts';
import { formatProblem, type Problem, problemOf } from '../../model/document/problem.ts';
import { fileRevision } from '../../base/files/file-revision.ts';
import { readWholeFile } from '../../base/files/read-whole-file.ts';
import { type Change, WatchedFiles } from '../../base/files/watched-files.ts';
import { compileCatalog } from '../../check/route/endpoint-table.ts';
import type { Catalog, CheckStore, FileObserver, StoreState } from '../../check/store/check-store.ts';
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

/** What a file store needs. */
export interface FileStorePorts {
  readonly clock: Clock;
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Environment;
  readonly observer: FileObserver;
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
 * A declarative file as a store: the last good state of the file, kept up to date (spec §6). A changed file is read
 * when it stayed the same from one look to the next, so that a half-written one is not taken for the whole.
 */
export class FileStore implements CheckStore {
  readonly ready = Promise.resolve();
  readonly #path: string;
  readonly #ports: FileStorePorts;
  readonly #watched: WatchedFiles;
  readonly #following: AsyncDisposable;
  #catalog: Catalog;
  /** What is wrong with the file now; empty while the catalog is the state of the file. */
  #problems: readonly Problem[] = [];
  #confirmedMs: number;
  #revision: string;

  private constructor(
    path: string,
    ports: FileStorePorts,
    watched: WatchedFiles,
    { state, revision }: { readonly state: StoreState; readonly revision: string },
  ) {
    const { clock, observer, pollIntervalMs = POLL_INTERVAL_MS } = ports;
    this.#path = path;
    this.#ports = ports;
    this.#watched = watched;
    this.#catalog = compileCatalog(state);
    this.#confirmedMs = clock.nowMs();
    this.#revision = revision;
    observer.loaded(path, state, revision);
    this.#following = watched.follow({
      intervalMs: pollIntervalMs,
      onLook: async (change, signal) => {
        await this.#takeChange(change, signal);
      },
      onDefect: (error) => {
        observer.defect(path, error);
      },
    });
  }

  /** Reads the file and watches it. Rejects with {@link FaultyDocument} when there is no good state to begin with. */
  static async open(path: string, ports: FileStorePorts): Promise<FileStore> {
    const watched = new WatchedFiles([path]);
    const { signal } = new AbortController();
    for (let attempt = 1; attempt <= MAX_START_ATTEMPTS; attempt += 1) {
      const result = await load(path, ports, watched, signal);
      if (result !== null && 'problems' in result) throw new FaultyDocument(result.problems);
      if (result !== null) return new FileStore(path, ports, watched, result);
      await delay(ports.pollIntervalMs ?? POLL_INTERVAL_MS);
    }
    throw new FaultyDocument([problemOf(path, 1, 'the file keeps changing while it is read')]);
  }

  current(): Catalog {
    return this.#catalog;
  }

  ageSeconds(): number {
    return Math.max(0, Math.floor((this.#ports.clock.nowMs() - this.#confirmedMs) / 1000));
  }

  findUnreadiness(): null {
    return null;
  }

  canLookUp(): boolean {
    return true;
  }

  /** Of the text of the file alone: of secrets that it names elsewhere it says nothing. */
  describeRevision(): string {
    return this.#revision;
  }

  findNotice(): string | null {
    return this.#problems.length === 0 ? null : 'the declarative file is wrong; its last good state decides';
  }

  /** Stops watching. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#following[Symbol.asyncDispose]();
  }

  async #takeChange(change: Change, signal: AbortSignal): Promise<void> {
    const { clock, observer } = this.#ports;
    if (change === 'none' && this.#problems.length === 0) this.#confirmedMs = clock.nowMs();
    if (change !== 'settled') return;
    const result = await load(this.#path, this.#ports, this.#watched, signal);
    if (result === null || signal.aborted) return;
    if ('problems' in result) {
      const isKnown = isDeepStrictEqual(result.problems, this.#problems);
      this.#problems = result.problems;
      if (!isKnown) observer.refused(this.#path, result.problems.map(formatProblem));
      return;
    }
    this.#catalog = compileCatalog(result.state);
    this.#problems = [];
    this.#confirmedMs = clock.nowMs();
    this.#revision = result.revision;
    observer.loaded(this.#path, result.state, result.revision);
  }
}

/** Reads the file once; null when it changes at the same time. */
async function load(
  path: string,
  { environment, workerEntry }: FileStorePorts,
  watched: WatchedFiles,
  signal: AbortSignal,
): Promise<Loaded | null> {
  const file = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (file.kind === 'changing') return null;
  if (file.kind === 'faulty') {
    watched.remember(new Map([[path, file.fingerprint]]));
    return { problems: [problemOf(path, file.line, file.message)] };
  }
  const source = { file: path, text: file.text };
  const loaded = await loadOffThread(source, environment, workerEntry ?? builtWorkerEntry, signal);
  watched.remember(new Map([[path, file.fingerprint], ...loaded.secretFiles]));
  return 'problems' in loaded.result ? loaded.result : { ...loaded.result, revision: fileRevision(file.text) };
}

type Loaded =
  | Extract<LoadedDocument['result'], { readonly problems: unknown }>
  | (Extract<LoadedDocument['result'], { readonly state: unknown }> & { readonly revision: string });
