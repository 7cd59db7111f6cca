import { randomInt } from 'node:crypto';
import CircuitBreaker from 'opossum';

/** So many calls within the window, more than half of them failed, and the service counts as down. */
const MIN_CALLS = 5;
const MAX_FAILED_PERCENT = 50;
const WINDOW_BUCKETS = 4;
/** How long a service is left alone before a trial: between these two, so that replicas do not come back together. */
const REST_MS = { least: 750, most: 1250 };

/**
 * What to expect of a call: `reachable`, the service answers as far as is known; `down`, it does not, and the call
 * would not be made; `trial`, it did not, and one call is made to find out.
 */
export type Outlook = 'reachable' | 'down' | 'trial';

/** Why a call has no answer: it was not made, because the service is `down`; or it took longer than `timeoutMs`. */
export type Unanswered = 'down' | 'slow';

/** What a breaker is made of. `F` is the error of a call that shows that the service does not answer. */
export interface BreakerOptions<F extends Error> {
  /**
   * Calls are judged by the failures of this span: longer than a call takes to fail, and short enough to show an
   * outage.
   */
  readonly windowMs: number;
  /** Ends calls that have not ended by then. Null: each ends by itself, or a trial could stay open for ever. */
  readonly timeoutMs: number | null;
  /** Whether the service did not answer; after any other error it did. */
  readonly isFailure: (error: unknown) => error is F;
  /** What a call without an answer rejects with; `latest` is the latest failure. */
  readonly faultOf: (why: Unanswered, latest: F | null) => Error;
  readonly observer: BreakerObserver<F>;
  /** Called whenever no more calls are made: after each trial that fails, too. */
  readonly onRest?: (latest: F | null) => void;
}

/** Notified of the state of a service. */
export interface BreakerObserver<F> {
  /** No more calls are made; called once, and not for trials that fail. */
  down(latest: F | null): void;
  /** Calls are made again; called once. */
  up(): void;
}

/**
 * Stops calling a service that does not answer, and tries again about every second with one call (circuit breaker).
 * Calls that are not made cost no time. Bounds on how many run at once belong in front of it, so that what they refuse
 * is no failure of the service.
 */
export class Breaker<F extends Error> implements Disposable {
  readonly #breaker: CircuitBreaker<[call: () => Promise<unknown>]>;
  readonly #endsCalls: boolean;
  readonly #isFailure: BreakerOptions<F>['isFailure'];
  readonly #faultOf: BreakerOptions<F>['faultOf'];
  #latest: F | null = null;
  #isDown = false;

  constructor({ windowMs, timeoutMs, isFailure, faultOf, observer, onRest }: BreakerOptions<F>) {
    this.#endsCalls = timeoutMs !== null;
    this.#isFailure = isFailure;
    this.#faultOf = faultOf;
    // opossum reads resetTimeout each time it opens.
    const options: CircuitBreaker.Options<[() => Promise<unknown>]> = {
      timeout: timeoutMs ?? false,
      resetTimeout: pickRestMs(),
      volumeThreshold: MIN_CALLS,
      errorThresholdPercentage: MAX_FAILED_PERCENT,
      rollingCountTimeout: windowMs,
      rollingCountBuckets: WINDOW_BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      errorFilter: (error: unknown) => !isFailure(error) && !isTimeout(error),
    };
    // Here, not by its events: they do not tell how calls end that took too long.
    const noted = (error: unknown): never => {
      if (isFailure(error)) this.#latest = error;
      throw error;
    };
    this.#breaker = new CircuitBreaker((call: () => Promise<unknown>) => call().catch(noted), options);
    this.#breaker.on('open', () => {
      options.resetTimeout = pickRestMs();
      if (!this.#isDown) observer.down(this.#latest);
      this.#isDown = true;
      onRest?.(this.#latest);
    });
    this.#breaker.on('close', () => {
      this.#isDown = false;
      observer.up();
    });
  }

  get outlook(): Outlook {
    if (this.#breaker.isShutdown) return 'down';
    if (this.#breaker.closed) return 'reachable';
    return this.#breaker.pendingClose ? 'trial' : 'down';
  }

  /**
   * Makes the call, unless the service is down. Rejects with the call's error, or with {@link BreakerOptions.faultOf}.
   */
  run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#breaker.closed && !this.#endsCalls) return this.#follow(call());
    if (this.outlook === 'down') return Promise.reject(this.#faultOf('down', this.#latest));
    return this.#breaker.fire(call).catch(this.#hideTimeout) as Promise<T>;
  }

  /**
   * What `fire` tells opossum of a call, without the promises and closures that it makes for each: they took a quarter
   * of the CPU time of a check with one question to the rate limit service.
   */
  #follow<T>(result: Promise<T>): Promise<T> {
    this.#breaker.emit('fire');
    return result.then(this.#succeeded, this.#failed);
  }

  readonly #succeeded = <T>(value: T): T => {
    this.#breaker.emit('success');
    return value;
  };

  readonly #failed = (error: unknown): never => {
    const breaker = this.#breaker;
    if (!this.#isFailure(error)) breaker.emit('success');
    else {
      this.#latest = error;
      breaker.emit('failure', error);
      const { fires, failures } = breaker.stats;
      const isDown = fires >= MIN_CALLS && failures * 100 > fires * MAX_FAILED_PERCENT;
      if (isDown || breaker.halfOpen) breaker.open();
    }
    throw error;
  };

  readonly #hideTimeout = (error: unknown): never => {
    throw isTimeout(error) ? this.#faultOf('slow', this.#latest) : error;
  };

  /** Ends its timers. Calls that run come to their own end; later ones are not made. */
  [Symbol.dispose](): void {
    this.#breaker.shutdown();
  }
}

/** opossum's own errors are time-outs: what it would refuse otherwise is refused before it is called. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && CircuitBreaker.isOurError(error);
}

function pickRestMs(): number {
  return randomInt(REST_MS.least, REST_MS.most + 1);
}
