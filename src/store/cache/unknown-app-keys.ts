import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';

/** The longest that an App Key is refused from memory (spec §6). */
export const UNKNOWN_FOR_MS = 10_000;
/** More than can be found out in that time ({@link UnknownBudget}), so that each of them costs one look-up. */
const MAX_UNKNOWN = 20_000;

/**
 * App Keys that nobody holds, as the store said at most {@link UNKNOWN_FOR_MS} ago. They are kept apart from those that
 * somebody holds, so that a flood of them evicts only its own.
 */
export class UnknownAppKeys {
  readonly #clock: Clock;
  readonly #readAtMs: LRUCache<string, number>;

  constructor(clock: Clock, maxEntries: number = MAX_UNKNOWN) {
    this.#clock = clock;
    this.#readAtMs = new LRUCache({ max: maxEntries });
  }

  get size(): number {
    return this.#readAtMs.size;
  }

  /** Notes that nobody held the App Key with this hash at `readAtMs`. */
  note(appKeyHash: string, readAtMs: number): void {
    this.#readAtMs.set(appKeyHash, readAtMs);
  }

  /** A change brought the App Key, or somebody was found to hold it. */
  forget(appKeyHash: string): void {
    this.#readAtMs.delete(appKeyHash);
  }

  /** Whether it is still to be refused. A clock that was set back ends that too. */
  has(appKeyHash: string): boolean {
    const readAtMs = this.#readAtMs.get(appKeyHash);
    if (readAtMs === undefined) return false;
    if (Math.abs(this.#clock.nowMs() - readAtMs) < UNKNOWN_FOR_MS) return true;
    this.#readAtMs.delete(appKeyHash);
    return false;
  }
}

const PER_SECOND = 1000;
const BURST = 2000;

/**
 * How many look-ups of App Keys that nobody turns out to hold the store is troubled with: 1000 a second, 2000 at once.
 * One that finds somebody, or finds the store down, is given back. So callers who come back after a restart, however
 * many, do not use it up; a flood of invented App Keys does.
 */
export class UnknownBudget {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #left: number;
  #filledAtMs: number;

  constructor(clock: Clock, perSecond: number = PER_SECOND, burst: number = BURST) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#left = burst;
    this.#filledAtMs = clock.nowMs();
  }

  /** Takes one look-up, if there is one left. */
  take(): boolean {
    this.#fill();
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Gives one back that found somebody, or found out nothing. */
  giveBack(): void {
    this.#left = Math.min(this.#burst, this.#left + 1);
  }

  #fill(): void {
    const nowMs = this.#clock.nowMs();
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#left = Math.min(this.#burst, this.#left + (elapsedMs * this.#perSecond) / 1000);
    this.#filledAtMs = nowMs;
  }
}
