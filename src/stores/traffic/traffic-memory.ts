import { hourOf, type TrafficCount, type TrafficSelection, type TrafficSource } from '../../model/traffic-count.ts';
import { CounterRoom, TrafficHour } from './traffic-hour.ts';

/** Counters that are kept at most, each about 80 bytes: consumers × endpoints × hours. */
const MAX_COUNTERS = 100_000;
/** Hours that are kept at most. */
const MAX_HOURS = 31 * 24;

/**
 * The requests that this process decided, by consumer, endpoint, code and hour, where no database keeps them. Gone with
 * the process. Bounded: the oldest hours make room for new ones.
 */
export class TrafficMemory implements TrafficSource {
  readonly #room: CounterRoom;
  /** Oldest first; the last one is counted in. */
  readonly #hours: TrafficHour[] = [];
  #dropped = 0;

  constructor(maxCounters: number = MAX_COUNTERS) {
    this.#room = new CounterRoom(maxCounters);
  }

  /** Counters that are kept. */
  get size(): number {
    return this.#hours.reduce((sum, { size }) => sum + size, 0);
  }

  /** Requests that were not counted, because one hour alone has too many counters. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A check was decided. `consumerId` is null for callers who are not known. */
  count(endpointId: string, consumerId: string | null, code: string, nowSeconds: number): void {
    const hour = hourOf(nowSeconds);
    let current = this.#hours.at(-1);
    if (current?.hour !== hour) {
      current = new TrafficHour(hour, this.#room);
      this.#hours.push(current);
      if (this.#hours.length > MAX_HOURS) this.#dropOldest();
    }
    while (!current.count(endpointId, consumerId, code)) {
      if (!this.#dropOldest()) {
        this.#dropped += 1;
        return;
      }
    }
  }

  /** The selected counts as they are while they are read, in no order. */
  *counts({ sinceHour, endpointId, consumers }: TrafficSelection): Generator<TrafficCount, void, undefined> {
    const wanted = Array.isArray(consumers) ? new Set<string | null>(consumers) : null;
    for (const hour of [...this.#hours]) {
      if (hour.hour < sinceHour) continue;
      for (const count of hour.counts(endpointId)) {
        const { consumerId } = count;
        if (wanted !== null ? wanted.has(consumerId) : (consumers === null) === (consumerId === null)) yield count;
      }
    }
  }

  /** False when there is none but the current one. */
  #dropOldest(): boolean {
    if (this.#hours.length < 2) return false;
    this.#hours.shift()?.end();
    return true;
  }
}
