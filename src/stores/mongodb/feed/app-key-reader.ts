import { BSON, type MongoClient, MongoServerError } from 'mongodb';
import type { Clock } from '../../../base/clock.ts';
import type { AppKeyFilter } from '../../cache/app-key-filter.ts';
import type { DatabaseObserver } from '../../../check/store/check-store.ts';
import { backOffMs } from '../deadline.ts';
import { collectionOf } from '../documents.ts';
import type { CausalFloor } from './change-stream.ts';
import { RepeatedReading } from './repeated-reading.ts';

/** What reading all App Keys takes, and what it calls. */
export interface AppKeyReaderPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  readonly floor: CausalFloor;
  readonly filter: AppKeyFilter;
  /** Whether new App Keys are noted as they come; not so on a stand-alone server, where all are read repeatedly. */
  readonly followsChanges: () => boolean;
  readonly observer: Pick<DatabaseObserver, 'appKeysRead' | 'defect'>;
  /** How long App Keys that are gone, or on a stand-alone server new ones, wait for the next reading. */
  readonly readAgainMs?: number;
}

const READ_AGAIN_MS = 600_000;
const BATCH_SIZE = 2000;
/** MongoDB's code for a hint that names no index. */
const BAD_VALUE = 2;

/**
 * Fills an {@link AppKeyFilter} with the App Keys of all credentials: whenever the feed has begun again, and at most
 * every ten minutes while some that it has are gone. Reads hashes only, out of the index; a million takes seconds, in
 * which checks go on.
 */
export class AppKeyReader implements AsyncDisposable {
  readonly #ports: AppKeyReaderPorts;
  readonly #reading: RepeatedReading;
  #isWanted = false;

  constructor(ports: AppKeyReaderPorts) {
    const { observer, readAgainMs = READ_AGAIN_MS } = ports;
    this.#ports = ports;
    this.#reading = new RepeatedReading({
      read: (signal) => this.#readIfDue(signal),
      pauseMs: (failures) => (failures > 0 ? backOffMs(failures - 1) : readAgainMs),
      observer,
    });
  }

  /** Changes arrive from now on: all App Keys have to be read as they are after this moment. */
  readAll(): void {
    this.#ports.filter.lose();
    this.#isWanted = true;
    this.#reading.readSoon();
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
  }

  async #readIfDue(signal: AbortSignal): Promise<void> {
    const { clock, filter, followsChanges, observer } = this.#ports;
    if (!this.#isWanted && !(filter.isWhole && (filter.gone > 0 || !followsChanges()))) return;
    this.#isWanted = false;
    const startMs = clock.nowMs();
    try {
      await this.#read(signal);
    } catch (error) {
      this.#isWanted = true;
      throw error;
    }
    if (filter.isWhole) observer.appKeysRead(filter.size, (clock.nowMs() - startMs) / 1000);
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      await this.#readBy({ appKeyHash: 1 }, signal);
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== BAD_VALUE) throw error;
      // The index was dropped: everything is slow then, this too.
      await this.#readBy({ _id: 1 }, signal);
    }
  }

  async #readBy(hint: Record<string, 1>, signal: AbortSignal): Promise<void> {
    const { client, floor, filter } = this.#ports;
    await using session = client.startSession({ causalConsistency: true });
    floor.applyTo(session);
    const reading = filter.begin();
    const options = {
      projection: { _id: 0, appKeyHash: 1 },
      hint,
      session,
      signal,
      readConcern: { level: 'majority' } as const,
      batchSize: BATCH_SIZE,
      raw: true,
    };
    for await (const bytes of collectionOf(client.db(), 'credentials').find({}, options)) {
      const appKeyHash = hashIn(bytes as unknown as Buffer);
      if (appKeyHash !== null) reading.add(appKeyHash);
    }
    reading.end();
  }
}

/** A document of one hash, as BSON writes it: reading a million of them by a library takes five times as long. */
const DOCUMENT_BYTES = 86;
const HASH_START = 20;
const HASH_END = 84;

function hashIn(bytes: Buffer): string | null {
  if (bytes.length === DOCUMENT_BYTES && bytes[4] === 2 && bytes.readInt32LE(16) === 65) {
    return bytes.toString('latin1', HASH_START, HASH_END);
  }
  // A hand may have written any form.
  const { appKeyHash } = BSON.deserialize(bytes) as { readonly appKeyHash?: unknown };
  return typeof appKeyHash === 'string' ? appKeyHash : null;
}
