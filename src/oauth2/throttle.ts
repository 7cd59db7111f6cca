import type { Clock } from '../clock.ts';

const WINDOW_SECONDS = 60;

/** What one source may do in one minute (spec §3.4). */
export const throttleLimits = { requests: 600, failuresPerClient: 20 } as const;

/** Together about 40 MiB at most. */
const MAX_SOURCES = 100_000;
const MAX_FAILING_CLIENTS = 100_000;

interface SourceRecord {
  requests: number;
  /** Of all clients. */
  failures: number;
  readonly byClient: Map<string, number>;
}

/**
 * Slows the guessing of secrets down without letting anybody lock a partner out (spec §3.4): counts requests by source,
 * and failed client authentications by source and client, in fixed minutes of UTC. In the memory of this process.
 *
 * Its memory is bounded. Sources that find no room share one record. A client that finds no room is judged by all failures
 * of the source it comes from.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #maxSources: number;
  readonly #maxFailingClients: number;
  #window = 0;
  #sources = new Map<string, SourceRecord>();
  #failingClients = 0;
  #others = newRecord();

  constructor(clock: Clock, { maxSources = MAX_SOURCES, maxFailingClients = MAX_FAILING_CLIENTS } = {}) {
    this.#clock = clock;
    this.#maxSources = maxSources;
    this.#maxFailingClients = maxFailingClients;
  }

  /** Counts a request. Gives the seconds to wait when it is one too many, else null. */
  takeRequest(source: string): number | null {
    const record = this.#recordOf(source);
    record.requests += 1;
    return record.requests > throttleLimits.requests ? this.#secondsLeft() : null;
  }

  /** The seconds until a client may try to authenticate from this source again; null when it may now. */
  findWait(source: string, clientId: string): number | null {
    const { byClient, failures } = this.#recordOf(source);
    const counted = byClient.get(clientId) ?? (this.#isFull() ? failures : 0);
    return counted >= throttleLimits.failuresPerClient ? this.#secondsLeft() : null;
  }

  /** Counts a failed authentication. */
  countFailure(source: string, clientId: string): void {
    const record = this.#recordOf(source);
    record.failures += 1;
    const counted = record.byClient.get(clientId);
    if (counted === undefined) {
      if (this.#isFull()) return;
      this.#failingClients += 1;
    }
    record.byClient.set(clientId, (counted ?? 0) + 1);
  }

  #isFull(): boolean {
    return this.#failingClients >= this.#maxFailingClients;
  }

  #recordOf(source: string): SourceRecord {
    const window = Math.floor(this.#clock.nowSeconds() / WINDOW_SECONDS);
    if (window !== this.#window) {
      this.#window = window;
      this.#sources = new Map();
      this.#failingClients = 0;
      this.#others = newRecord();
    }
    const known = this.#sources.get(source);
    if (known !== undefined) return known;
    if (this.#sources.size >= this.#maxSources) return this.#others;
    const record = newRecord();
    this.#sources.set(source, record);
    return record;
  }

  #secondsLeft(): number {
    return WINDOW_SECONDS - (this.#clock.nowSeconds() % WINDOW_SECONDS);
  }
}

function newRecord(): SourceRecord {
  return { requests: 0, failures: 0, byClient: new Map() };
}
