import { randomInt } from 'node:crypto';
import CircuitBreaker from 'opossum';
import { ServiceFailure } from './service-failure.ts';

/** Calls are judged by the failures of this span. Short, so that good calls before an outage do not hide it. */
const WINDOW_MS = 1000;
const WINDOW_BUCKETS = 4;
/** So many calls within the window, more than half of them failed, and the service counts as away. */
const MIN_CALLS = 5;
const MAX_FAILED_PERCENT = 50;
/** How long the service is left alone before a trial: between these two, so that replicas do not come back together. */
const REST_MS = { least: 750, most: 1250 };
/** Ends a trial whose own deadline, at most 5 s, failed it: it would otherwise stay open for ever. */
const BACKSTOP_MS = 10_000;

interface BreakerObserver {
  /** The service is given up, with the latest failure; not told of trials that fail. */
  away(failure: ServiceFailure | null): void;
  back(): void;
  /** The service is left alone from now on; told of trials that fail, too. */
  resting(failure: ServiceFailure | null): void;
}

/**
 * Stops asking a rate limit service that fails, and tries again about every second with one call (circuit breaker). A
 * call that is not made rejects with {@link ServiceFailure} `given-up` at once. Only `ServiceFailure` counts as a failure.
 */
export class ServiceBreaker<T> implements Disposable {
  readonly #breaker: CircuitBreaker<[call: () => Promise<T>], T>;
  #latest: ServiceFailure | null = null;
  #isAway = false;

  constructor(observer: BreakerObserver) {
    // opossum reads resetTimeout each time it opens.
    const options: CircuitBreaker.Options<[() => Promise<T>]> = {
      name: 'rate limit service',
      timeout: BACKSTOP_MS,
      resetTimeout: pickRestMs(),
      volumeThreshold: MIN_CALLS,
      errorThresholdPercentage: MAX_FAILED_PERCENT,
      rollingCountTimeout: WINDOW_MS,
      rollingCountBuckets: WINDOW_BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      errorFilter: (error: unknown) => !isFailure(error),
    };
    this.#breaker = new CircuitBreaker(async (call: () => Promise<T>) => await call(), options);
    this.#breaker.on('open', () => {
      options.resetTimeout = pickRestMs();
      if (!this.#isAway) observer.away(this.#latest);
      this.#isAway = true;
      observer.resting(this.#latest);
    });
    this.#breaker.on('close', () => {
      this.#isAway = false;
      observer.back();
    });
  }

  /** Makes the call, unless the service is given up. */
  async run(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#breaker.fire(async () => await this.#noting(call));
    } catch (error) {
      if (!(error instanceof Error && CircuitBreaker.isOurError(error))) throw error;
      throw new ServiceFailure('given-up', 'the rate limit service is away; it is tried again in a moment', {
        cause: error,
      });
    }
  }

  /** Ends its timers. */
  [Symbol.dispose](): void {
    this.#breaker.shutdown();
  }

  async #noting(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ServiceFailure) this.#latest = error;
      throw error;
    }
  }
}

function isFailure(error: unknown): boolean {
  return error instanceof ServiceFailure || (error instanceof Error && CircuitBreaker.isOurError(error));
}

function pickRestMs(): number {
  return randomInt(REST_MS.least, REST_MS.most + 1);
}
