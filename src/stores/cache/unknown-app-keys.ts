import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';

/** The longest that an App Key is refused from memory (spec §6). */
export const UNKNOWN_FOR_MS = 10_000;
/** More than can be found out in that time ({@link UnknownBudget}), so that each of them costs one look-up. */
export const MAX_UNKNOWN = 20_000;

/**
 * App Keys without a holder, as the store said at most {@link UNKNOWN_FOR_MS} ago. They are kept apart from those with
 * one, so that a flood of them evicts only its own.
 */
export class UnknownAppKeys {
  readonly #clock: Clock;
  readonly #readAtMs = new LRUCache<string, number>({ max: MAX_UNKNOWN });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#readAtMs.size;
  }

  /** Notes that the App Key with this hash had no holder at `readAtMs`. */
  note(appKeyHash: string, readAtMs: number): void {
    this.#readAtMs.set(appKeyHash, readAtMs);
  }

  /** A change brought the App Key, or a holder was found. */
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
 * Bounds the look-ups of App Keys without a holder: 1000 a second, 2000 at once. One that finds a holder, or finds the
 * store down, is given back. So callers who come back after a restart, however many, do not use it up; a flood of
 * invented App Keys does.
 */
export class UnknownBudget {
  readonly #clock: Clock;
  #left = BURST;
  #filledAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAtMs = clock.nowMs();
  }

  take(): boolean {
    const nowMs = this.#clock.nowMs();
    this.#left = Math.min(BURST, this.#left + (Math.max(0, nowMs - this.#filledAtMs) * PER_SECOND) / 1000);
    this.#filledAtMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** Gives one back that found a holder, or found out nothing. */
  giveBack(): void {
    this.#left = Math.min(BURST, this.#left + 1);
  }
}
