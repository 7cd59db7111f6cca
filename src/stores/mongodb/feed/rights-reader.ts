import type { MongoClient } from 'mongodb';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { isAborted, pause } from '../deadline.ts';
import { MongodbUnavailable, withFaults } from '../faults.ts';
import { describeRight, missingRights, readRights } from '../rights.ts';

/** What a {@link RightsReader} works with. */
export interface RightsReaderPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  /** Resolves when the store was read for the first time: until then its own fault says what is missing. */
  readonly ready: Promise<void>;
  readonly observer: Pick<DatabaseObserver, 'rights' | 'defect'>;
}

const INTERVAL_MS = 60_000;
/** While something is missing: who gave the right wants to see that it is there. */
const INTERVAL_MISSING_MS = 2000;

/**
 * Reads every minute which rights of this version the user lacks, off the path of checks: some are needed only when
 * a request comes that uses them. While MongoDB cannot be read, what was last read stays.
 */
export class RightsReader implements AsyncDisposable {
  readonly #ports: RightsReaderPorts;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  #missing: readonly string[] = [];

  constructor(ports: RightsReaderPorts) {
    this.#ports = ports;
    const begin = (): void => {
      if (!this.#stop.signal.aborted) this.#running = this.#run(this.#stop.signal);
    };
    ports.ready.then(begin, () => undefined);
  }

  /** What is missing and what does not work without it, in words; empty while nothing was read. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      await this.#read(signal);
      await pause(this.#missing.length > 0 ? INTERVAL_MISSING_MS : INTERVAL_MS, signal);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, observer } = this.#ports;
    const db = client.db();
    try {
      const rights = await withFaults(() => readRights(db, signal));
      const missing = rights === null ? [] : missingRights('service', db.databaseName, rights).map(describeRight);
      if (isAborted(signal)) return;
      const isNews = missing.join() !== this.#missing.join();
      this.#missing = missing;
      if (!isNews) return;
      if (missing.length > 0) observer.rights.missing(missing);
      else observer.rights.complete();
    } catch (error) {
      if (isAborted(signal) || error instanceof MongodbUnavailable) return;
      observer.defect(error);
    }
  }
}
