import type { Clock } from '../../clock.ts';

const PER_SECOND = 1000;
const BURST = 2000;

/**
 * How many look-ups of App Keys that nobody turns out to hold the store is troubled with: 1000 a second, 2000 at once.
 * One that finds somebody, or finds the store away, is given back. So callers who come back after a restart, however
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
