import type { TrafficCount } from '../../model/traffic-count.ts';

/** How many counters there may be, of all hours together. */
export class CounterRoom {
  #left: number;

  constructor(counters: number) {
    this.#left = counters;
  }

  /** Takes room for so many; false, and none is taken, when there is not enough. */
  take(counters: number): boolean {
    if (this.#left < counters) return false;
    this.#left -= counters;
    return true;
  }

  giveBack(counters: number): void {
    this.#left += counters;
  }
}

/**
 * The requests of one hour. Counting one that has counters is two look-ups and two additions: no text is built and
 * nothing allocated.
 */
export class TrafficHour {
  /** Whole hours since 1970-01-01T00:00:00Z. */
  readonly hour: number;
  readonly #room: CounterRoom;
  /** By the id of the endpoint: there are few of them, with many consumers each. */
  readonly #endpoints = new Map<string, EndpointCounters>();
  #size = 0;

  constructor(hour: number, room: CounterRoom) {
    this.hour = hour;
    this.#room = room;
  }

  /** Its counters. */
  get size(): number {
    return this.#size;
  }

  /** Counts one request, for its endpoint and its consumer; false when there is no room, and then for neither. */
  count(endpointId: string, consumerId: string | null, code: string): boolean {
    const counters = this.#endpoints.get(endpointId);
    const own = consumerId === null ? null : counters?.byConsumer.get(consumerId);
    if (counters === undefined || own === undefined) return this.#countFirst(endpointId, consumerId, code);
    counters.all.add(code);
    own?.add(code);
    return true;
  }

  /** The counts of one endpoint, or of all; of one consumer, of each, or of all callers together. */
  *counts(endpointId?: string): Generator<TrafficCount, void, undefined> {
    const { hour } = this;
    for (const [id, { all, byConsumer }] of this.#endpoints) {
      if (endpointId !== undefined && id !== endpointId) continue;
      yield { endpointId: id, consumerId: null, hour, codes: all.codes() };
      for (const [consumerId, counter] of byConsumer)
        yield { endpointId: id, consumerId, hour, codes: counter.codes() };
    }
  }

  /** Gives its room back: nothing is counted here any more. */
  end(): void {
    this.#room.giveBack(this.#size);
    this.#size = 0;
    this.#endpoints.clear();
  }

  /** {@link count} where a counter is missing: of this consumer, or of the endpoint and so of every consumer. */
  #countFirst(endpointId: string, consumerId: string | null, code: string): boolean {
    const known = this.#endpoints.get(endpointId);
    const missing = (known === undefined ? 1 : 0) + (consumerId === null ? 0 : 1);
    if (!this.#room.take(missing)) return false;
    this.#size += missing;
    const counters = known ?? { all: new Counter(), byConsumer: new Map() };
    this.#endpoints.set(endpointId, counters);
    if (consumerId !== null) counters.byConsumer.set(consumerId, new Counter());
    return this.count(endpointId, consumerId, code);
  }
}

interface EndpointCounters {
  /** Whoever called. */
  readonly all: Counter;
  /** By the id of the consumer. */
  readonly byConsumer: Map<string, Counter>;
}

const ALLOWED = 'ALLOWED';

/** Requests by code. Most partners are never refused, and so have no map of codes. */
class Counter {
  #allowed = 0;
  #refused: Map<string, number> | null = null;

  add(code: string): void {
    if (code === ALLOWED) {
      this.#allowed += 1;
      return;
    }
    this.#refused ??= new Map();
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }

  codes(): Record<string, number> {
    const codes: Record<string, number> = this.#allowed === 0 ? {} : { [ALLOWED]: this.#allowed };
    for (const [code, count] of this.#refused ?? []) codes[code] = count;
    return codes;
  }
}
