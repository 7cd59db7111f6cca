import type { MongoClient } from 'mongodb';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { isAborted } from '../deadline.ts';
import { describeRight, missingRights, readRights } from '../rights.ts';
import { RepeatedReading } from './repeated-reading.ts';

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
  readonly #reading: RepeatedReading;
  #missing: readonly string[] = [];

  constructor(ports: RightsReaderPorts) {
    const { ready, observer } = ports;
    this.#ports = ports;
    this.#reading = new RepeatedReading({
      ready,
      read: (signal) => this.#read(signal),
      pauseMs: () => (this.#missing.length > 0 ? INTERVAL_MISSING_MS : INTERVAL_MS),
      observer,
    });
  }

  /** What is missing and what does not work without it, in words; empty while nothing was read. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, observer } = this.#ports;
    const db = client.db();
    const rights = await readRights(db, signal);
    const missing = rights === null ? [] : missingRights('service', db.databaseName, rights).map(describeRight);
    if (isAborted(signal)) return;
    const isNews = missing.join() !== this.#missing.join();
    this.#missing = missing;
    if (!isNews) return;
    if (missing.length > 0) observer.rights.missing(missing);
    else observer.rights.complete();
  }
}
