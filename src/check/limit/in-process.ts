import type { Clock } from '../../base/clock.ts';
import { type LimitReading, type LimitUnit, windowAt } from '../../model/limit.ts';
import { type Limiter, LimiterUnavailable, type LimitQuestion } from './limiter.ts';

/** At most this many counters at once; a request that needs one more finds the limiter unavailable. */
export const MAX_COUNTERS = 500_000;

/** How often one owner was counted in one window. */
interface Counter {
  used: number;
}

type Counters = Map<string, Map<string, Counter>>;

/** One window of one unit, with the counters of everybody who was counted in it: they are dropped together. */
interface OpenWindow {
  readonly unit: LimitUnit;
  readonly startSeconds: number;
  /** By endpoint, then by consumer or {@link EVERYBODY}: ids are looked up as they are, no key is made of them. */
  readonly counters: Counters;
  /** By plan, then by consumer: a plan and an endpoint may have the same id. */
  readonly ofPlans: Counters;
  /** When it is over by time that has passed: setting the machine's clock neither frees nor keeps a counter. */
  endMs: number;
}

/** Stands for the callers of an endpoint together; no consumer has this id. */
const EVERYBODY = '*';

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

  take({ endpointId, consumerId, limits, planId = '' }: LimitQuestion): readonly LimitReading[] {
    const nowSeconds = this.#clock.nowSeconds();
    const nowMs = this.#clock.nowMs();
    const owner = consumerId ?? EVERYBODY;
    const found = limits.map((limit) => {
      const { startSeconds, endSeconds } = windowAt(limit.unit, nowSeconds);
      const resetSeconds = endSeconds - nowSeconds;
      const windowSeconds = endSeconds - startSeconds;
      const window = this.#open(limit.unit, startSeconds, nowMs + resetSeconds * 1000, nowMs);
      const counters = limit.per === 'plan' ? window.ofPlans : window.counters;
      const holder = limit.per === 'plan' ? planId : endpointId;
      const counter = counters.get(holder)?.get(owner) ?? null;
      const used = counter?.used ?? 0;
      const isExceeded = used >= limit.requests;
      return { limit, counters, holder, counter, used, resetSeconds, windowSeconds, isExceeded };
    });
    const isAllowed = !found.some(({ isExceeded }) => isExceeded);
    if (isAllowed) {
      this.#makeRoom(found.filter(({ counter }) => counter === null).length, nowMs);
      for (const { counters, holder, counter } of found) {
        if (counter === null) addCounter(counters, holder, owner);
        else counter.used += 1;
      }
    }
    return found.map(({ limit, used, resetSeconds, windowSeconds, isExceeded }) => ({
      limit,
      remaining: Math.max(0, limit.requests - used - (isAllowed ? 1 : 0)),
      resetSeconds,
      windowSeconds,
      isExceeded,
    }));
  }

  #open(unit: LimitUnit, startSeconds: number, endMs: number, nowMs: number): OpenWindow {
    for (const window of this.#windows) {
      if (window.unit !== unit || window.startSeconds !== startSeconds) continue;
      if (window.endMs < endMs) window.endMs = endMs;
      return window;
    }
    this.#dropEnded(nowMs);
    const counters: Counters = new Map();
    const ofPlans: Counters = new Map();
    const window = { unit, startSeconds, counters, ofPlans, endMs };
    this.#windows.push(window);
    return window;
  }

  /** When all counters are in use, only questions about those are answered. */
  #makeRoom(newCounters: number, nowMs: number): void {
    if (newCounters === 0) return;
    if (this.#counters + newCounters > this.#maxCounters) this.#dropEnded(nowMs);
    if (this.#counters + newCounters > this.#maxCounters) {
      throw new LimiterUnavailable('every counter of the limits kept in process is in use');
    }
    this.#counters += newCounters;
  }

  #dropEnded(nowMs: number): void {
    this.#windows = this.#windows.filter(({ endMs, counters, ofPlans }) => {
      if (endMs > nowMs) return true;
      for (const ofHolder of counters.values()) this.#counters -= ofHolder.size;
      for (const ofHolder of ofPlans.values()) this.#counters -= ofHolder.size;
      return false;
    });
  }
}

function addCounter(counters: Counters, holder: string, owner: string): void {
  const ofHolder = counters.get(holder) ?? new Map<string, Counter>();
  if (ofHolder.size === 0) counters.set(holder, ofHolder);
  ofHolder.set(owner, { used: 1 });
}
