import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Clock } from '../clock.ts';
import { type Limit, MAX_LIMIT_REQUESTS, unitSeconds } from '../model/limit.ts';
import { type Limiter, type LimitQuestion, type LimitReading, LimiterUnavailable } from './limiter.ts';

/** At most this many counters at once, each about 0.5 KiB; a request that needs one more finds the limiter unavailable. */
const MAX_COUNTERS = 500_000;

/** One counter: a limit's window that is open now. */
interface Counter {
  readonly key: string;
  readonly limit: Limit;
  readonly resetSeconds: number;
}

/**
 * Keeps limits in the memory of this process, in windows like those of the rate limit service: fixed, aligned to UTC.
 * A refused question uses up nothing, so a limit that is raised within its window works at once.
 */
export class InProcessLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #maxCounters: number;
  /** Only counts: what is allowed is judged here, because one counter serves whatever the limit is now. */
  readonly #counts = new RateLimiterMemory({ points: MAX_LIMIT_REQUESTS, duration: unitSeconds.day });
  /** How many counters end when, by the second of time that goes by: a clock that is set frees none and keeps none. */
  readonly #openUntil = new Map<number, number>();
  #openCounters = 0;
  /** Settles when the question before is answered. */
  #answered: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, maxCounters: number = MAX_COUNTERS) {
    this.#clock = clock;
    this.#maxCounters = maxCounters;
  }

  /** One question after the other: a refused one gives back what it counted, and no other may see it in between. */
  async take(question: LimitQuestion): Promise<readonly LimitReading[]> {
    const answer = this.#answered.then(async () => await this.#take(question));
    this.#answered = answer.catch(() => null);
    return await answer;
  }

  async #take(question: LimitQuestion): Promise<readonly LimitReading[]> {
    const nowSeconds = this.#clock.nowSeconds();
    const counters = question.limits.map((limit) => openCounter(question, limit, nowSeconds));
    await this.#makeRoom(counters);
    const readings = await Promise.all(counters.map(async (counter) => await this.#count(counter)));
    if (!readings.some((reading) => reading.isExceeded)) return readings;
    await Promise.all(counters.map(async ({ key }) => await this.#counts.reward(key, 1)));
    return readings.map((reading) => (reading.isExceeded ? reading : { ...reading, remaining: reading.remaining + 1 }));
  }

  async #count({ key, limit, resetSeconds }: Counter): Promise<LimitReading> {
    const count = await this.#counts.penalty(key, 1, { customDuration: resetSeconds });
    if (count.isFirstInDuration) this.#noteOpened(this.#passedSeconds() + resetSeconds);
    return {
      limit,
      remaining: Math.max(0, limit.requests - count.consumedPoints),
      resetSeconds,
      isExceeded: count.consumedPoints > limit.requests,
    };
  }

  #passedSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }

  #noteOpened(endSeconds: number): void {
    this.#openUntil.set(endSeconds, (this.#openUntil.get(endSeconds) ?? 0) + 1);
    this.#openCounters += 1;
  }

  /** When all counters are in use, only questions about open ones are answered. */
  async #makeRoom(counters: readonly Counter[]): Promise<void> {
    if (this.#openCounters + counters.length <= this.#maxCounters) return;
    const nowSeconds = this.#passedSeconds();
    for (const [endSeconds, count] of this.#openUntil) {
      if (endSeconds > nowSeconds) continue;
      this.#openUntil.delete(endSeconds);
      this.#openCounters -= count;
    }
    if (this.#openCounters + counters.length <= this.#maxCounters) return;
    const known = await Promise.all(counters.map(async ({ key }) => await this.#counts.get(key)));
    if (known.includes(null)) throw new LimiterUnavailable('every counter of the limits kept in process is in use');
  }
}

function openCounter({ endpointId, consumerId }: LimitQuestion, limit: Limit, nowSeconds: number): Counter {
  const seconds = unitSeconds[limit.unit];
  const window = Math.floor(nowSeconds / seconds);
  return {
    key: `${endpointId} ${consumerId ?? '*'} ${limit.unit} ${String(window)}`,
    limit,
    resetSeconds: (window + 1) * seconds - nowSeconds,
  };
}
