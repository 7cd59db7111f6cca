import { randomInt } from 'node:crypto';
import type { MongoClient } from 'mongodb';
import type { Clock } from '../../../base/clock.ts';
import { readEndings, type StoredEnding } from '../endings.ts';
import { RepeatedReading } from './repeated-reading.ts';

/** What an {@link EndingReader} works with. */
export interface EndingReaderPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly clock: Clock;
  /** Resolves when the store was read for the first time. */
  readonly ready: Promise<void>;
  readonly observer: { defect(error: unknown): void };
  readonly intervalMs?: number;
}

/** What ends within 30 days, as it was last read. */
export interface ReadEndings {
  /** Seconds since the epoch. */
  readonly readAt: number;
  readonly endings: readonly StoredEnding[];
}

const INTERVAL_MS = 300_000;
const WITHIN_SECONDS = 30 * 86_400;
/** Of each collection and field; bounds memory, and the work of the server. */
const MAX_READ = 10_000;

/**
 * Reads what runs out every five minutes, off the way of checks. While MongoDB cannot be read, what was last read
 * stays: an end comes nearer all the same, and an alert on it must not go.
 */
export class EndingReader implements AsyncDisposable {
  readonly #ports: EndingReaderPorts;
  readonly #reading: RepeatedReading;
  #last: ReadEndings | null = null;

  constructor(ports: EndingReaderPorts) {
    const { ready, observer, intervalMs = INTERVAL_MS } = ports;
    this.#ports = ports;
    this.#reading = new RepeatedReading({
      ready,
      read: (signal) => this.#read(signal),
      // Replicas that began at once do not stay at once.
      pauseMs: () => randomInt(intervalMs * 0.9, intervalMs * 1.1),
      observer,
    });
  }

  /** Null while nothing was read. */
  current(): ReadEndings | null {
    return this.#last;
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#ports;
    const readAt = clock.nowSeconds();
    const wish = { nowSeconds: readAt, withinSeconds: WITHIN_SECONDS, limit: MAX_READ, signal };
    this.#last = { readAt, endings: await readEndings(client.db(), wish) };
  }
}
