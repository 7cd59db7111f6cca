import type { Clock } from '../clock.ts';
import { type LimitReading, type LimitUnit, windowAt } from '../model/limit.ts';
import { type Limiter, LimiterUnavailable, type LimitQuestion } from './limiter.ts';

/** At most this many counters at once; a request that needs one more finds the limiter unavailable. */
const MAX_COUNTERS = 500_000;

/** One window of one unit, with the counters of everybody who was counted in it: they are dropped together. */
interface OpenWindow {
  readonly unit: LimitUnit;
  readonly startSeconds: number;
  readonly counts: Map<string, number>;
  /** When it is over by time that has passed: setting the machine's clock neither frees nor keeps a counter. */
  endMs: number;
}

/**
 * Keeps limits in the memory of this process, in the same windows as the rate limit service.
 * A refused question uses up nothing, so a limit that is raised within its window works at once.
 */
export class InProcessLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #maxCounters: number;
  /** A handful: the windows that are open, and those that ended since one was opened. */
  #windows: OpenWindow[] = [];
  #counters = 0;

  constructor(clock: Clock, maxCounters: number = MAX_COUNTERS) {
    this.#clock = clock;
    this.#maxCounters = maxCounters;
  }

  take({ endpointId, consumerId, limits }: LimitQuestion): readonly LimitReading[] {
    const nowSeconds = this.#clock.nowSeconds();
    const owner = `${endpointId} ${consumerId ?? '*'}`;
    const counters = limits.map((limit) => {
      const { startSeconds, endSeconds } = windowAt(limit.unit, nowSeconds);
      const resetSeconds = endSeconds - nowSeconds;
      const { counts } = this.#open(limit.unit, startSeconds, resetSeconds);
      const used = counts.get(owner) ?? 0;
      return { limit, counts, used, resetSeconds, isExceeded: used >= limit.requests };
    });
    const isAllowed = !counters.some(({ isExceeded }) => isExceeded);
    if (isAllowed) {
      this.#makeRoom(counters.filter(({ used }) => used === 0).length);
      for (const { counts, used } of counters) counts.set(owner, used + 1);
    }
    return counters.map(({ limit, used, resetSeconds, isExceeded }) => ({
      limit,
      remaining: Math.max(0, limit.requests - used - (isAllowed ? 1 : 0)),
      resetSeconds,
      isExceeded,
    }));
  }

  #open(unit: LimitUnit, startSeconds: number, resetSeconds: number): OpenWindow {
    const endMs = this.#clock.nowMs() + resetSeconds * 1000;
    let window = this.#windows.find((each) => each.unit === unit && each.startSeconds === startSeconds);
    if (window === undefined) {
      this.#dropEnded();
      window = { unit, startSeconds, counts: new Map(), endMs };
      this.#windows.push(window);
    }
    window.endMs = Math.max(window.endMs, endMs);
    return window;
  }

  /** When all counters are in use, only questions about those are answered. */
  #makeRoom(newCounters: number): void {
    if (this.#counters + newCounters > this.#maxCounters) this.#dropEnded();
    if (this.#counters + newCounters > this.#maxCounters) {
      throw new LimiterUnavailable('every counter of the limits kept in process is in use');
    }
    this.#counters += newCounters;
  }

  #dropEnded(): void {
    const nowMs = this.#clock.nowMs();
    this.#windows = this.#windows.filter(({ endMs, counts }) => {
      if (endMs > nowMs) return true;
      this.#counters -= counts.size;
      return false;
    });
  }
}
