import { randomInt } from 'node:crypto';
import CircuitBreaker from 'opossum';
import type { CredentialReader, StoreOutlook } from './cache/credential-reader.ts';
import { CredentialUnreadable, type HeldCredential, StoreUnavailable } from './credential-source.ts';

/** Reads are judged by the failures of this span. Short, so that good reads before an outage do not hide it. */
const WINDOW_MS = 2000;
const WINDOW_BUCKETS = 4;
/** So many reads within the window, more than half of them failed, and the store counts as away. */
const MIN_READS = 5;
const MAX_FAILED_PERCENT = 50;
/** How long the store is left alone before a trial: between these two, so that replicas do not come back together. */
const REST_MS = { least: 750, most: 1250 };
/** Ends a read whose own deadline failed it, which would otherwise keep a trial open for ever. */
const BACKSTOP_MS = 5000;

/** What a breaker needs. */
export interface LookUpBreakerPorts {
  /** The store itself. Its reads end by a deadline of their own, well below {@link BACKSTOP_MS}. */
  readonly reader: Pick<CredentialReader, 'read'>;
  /** Told once when the store is given up, and once when it is back; not of trials that fail. */
  readonly observer: {
    storeAway(): void;
    storeBack(): void;
  };
}

/**
 * Stops asking a store that does not answer, and tries again about every second with one read (circuit breaker). A read
 * that is refused costs no time: it rejects with {@link StoreUnavailable} at once.
 *
 * Only `StoreUnavailable` counts as a failure; whatever else goes wrong, also `CredentialUnreadable`, the store did
 * answer. Bounds on how many reads run at once belong in front of it (`LookUpGate`), so that what they refuse is no
 * failure of the store.
 */
export class LookUpBreaker implements CredentialReader, AsyncDisposable {
  readonly #breaker: CircuitBreaker<[appKeyHash: string], HeldCredential | null>;
  #isAway = false;
  #isDisposed = false;

  constructor({ reader, observer }: LookUpBreakerPorts) {
    // opossum reads resetTimeout each time it opens.
    const options: CircuitBreaker.Options<[string]> = {
      name: 'look-ups',
      timeout: BACKSTOP_MS,
      resetTimeout: pickRestMs(),
      volumeThreshold: MIN_READS,
      errorThresholdPercentage: MAX_FAILED_PERCENT,
      rollingCountTimeout: WINDOW_MS,
      rollingCountBuckets: WINDOW_BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      errorFilter: (error: unknown) => !isFailure(error),
    };
    this.#breaker = new CircuitBreaker(async (appKeyHash: string) => await reader.read(appKeyHash), options);
    this.#breaker.on('open', () => {
      options.resetTimeout = pickRestMs();
      if (this.#isAway) return;
      this.#isAway = true;
      observer.storeAway();
    });
    this.#breaker.on('close', () => {
      this.#isAway = false;
      observer.storeBack();
    });
  }

  /** Whether the store is given up, trials included. */
  get isOpen(): boolean {
    return this.#isAway;
  }

  get outlook(): StoreOutlook {
    if (this.#isDisposed) return 'away';
    if (this.#breaker.closed) return 'reachable';
    return this.#breaker.pendingClose ? 'trial' : 'away';
  }

  async read(appKeyHash: string): Promise<HeldCredential | null> {
    if (this.outlook === 'away') throw new StoreUnavailable('the store is away; it is tried again in a moment');
    try {
      return await this.#breaker.fire(appKeyHash);
    } catch (error) {
      if (error instanceof Error && CircuitBreaker.isOurError(error)) {
        throw new StoreUnavailable('the store did not answer in time', { cause: error });
      }
      throw error;
    }
  }

  /** Ends its timers. Reads that run come to their own end; later ones are refused. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#breaker.shutdown();
    return Promise.resolve();
  }
}

/** opossum's own errors are time-outs: what it refuses otherwise is refused before it is asked. */
function isFailure(error: unknown): boolean {
  if (error instanceof CredentialUnreadable) return false;
  return error instanceof StoreUnavailable || (error instanceof Error && CircuitBreaker.isOurError(error));
}

function pickRestMs(): number {
  return randomInt(REST_MS.least, REST_MS.most + 1);
}
