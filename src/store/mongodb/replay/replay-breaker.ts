import { randomInt } from 'node:crypto';
import CircuitBreaker from 'opossum';
import type { Reservation, UsedSignature } from '../../../replay/replay-guard.ts';
import { StoreUnavailable } from '../../credential-source.ts';

/** Well below the 5 s that Envoy waits. Writes take no signal: one that is given up ends by its socket's time limit. */
export const RESERVE_MS = 1500;
/** Reservations are judged by the failures of this span: longer than they take to fail, short enough for an outage to show. */
const WINDOW_MS = 4000;
const WINDOW_BUCKETS = 8;
/** So many reservations within the window, more than half of them failed, and MongoDB counts as away. */
const MIN_RESERVATIONS = 5;
const MAX_FAILED_PERCENT = 50;
/** How long MongoDB is left alone before a trial: between these two, so that replicas do not come back together. */
const REST_MS = { least: 750, most: 1250 };

/** Told of the turns only, not of trials that fail. */
export interface ReplayBreakerObserver {
  /** Used signatures cannot be remembered, with the latest reason in words. */
  away(detail: string): void;
  back(): void;
}

type Reserve = (used: UsedSignature) => Promise<Reservation>;

/**
 * Bounds how long a reservation takes, and stops asking a MongoDB that does not answer: then one in about a second is
 * tried, and the others reject with `StoreUnavailable` at once (circuit breaker). Apart from the one for look-ups: writes
 * can fail while reads go on.
 */
export class ReplayBreaker implements AsyncDisposable {
  readonly #breaker: CircuitBreaker<Parameters<Reserve>, Reservation>;
  #latest = 'it does not answer in time';
  #isAway = false;

  /** `reserve` rejects with `StoreUnavailable` only. */
  constructor(reserve: Reserve, observer: ReplayBreakerObserver) {
    // opossum reads resetTimeout each time it opens.
    const options: CircuitBreaker.Options<Parameters<Reserve>> = {
      name: 'reservations',
      timeout: RESERVE_MS,
      resetTimeout: pickRestMs(),
      volumeThreshold: MIN_RESERVATIONS,
      errorThresholdPercentage: MAX_FAILED_PERCENT,
      rollingCountTimeout: WINDOW_MS,
      rollingCountBuckets: WINDOW_BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
    };
    const told: Reserve = async (used) => {
      try {
        return await reserve(used);
      } catch (error) {
        if (error instanceof StoreUnavailable) this.#latest = error.message;
        throw error;
      }
    };
    this.#breaker = new CircuitBreaker(told, options);
    this.#breaker.on('open', () => {
      options.resetTimeout = pickRestMs();
      if (this.#isAway) return;
      this.#isAway = true;
      observer.away(this.#latest);
    });
    this.#breaker.on('close', () => {
      this.#isAway = false;
      observer.back();
    });
  }

  /** Rejects with `StoreUnavailable` when there is no answer in time, or none is asked for. */
  async reserve(used: UsedSignature): Promise<Reservation> {
    try {
      return await this.#breaker.fire(used);
    } catch (error) {
      if (!(error instanceof Error) || !CircuitBreaker.isOurError(error)) throw error;
      throw new StoreUnavailable(`used signatures cannot be remembered: ${this.#latest}`, { cause: error });
    }
  }

  /** Ends its timers. Later reservations are refused. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#breaker.shutdown();
    return Promise.resolve();
  }
}

function pickRestMs(): number {
  return randomInt(REST_MS.least, REST_MS.most + 1);
}
