import { Breaker, type BreakerObserver, type Outlook } from '../base/resilience/breaker.ts';
import type { CredentialReader } from './cache/look-ups.ts';
import { type HeldCredential, isOutage, StoreUnavailable } from '../check/store/credential-source.ts';

/** Short, so that good reads before an outage do not hide it. */
const WINDOW_MS = 2000;
/** Reads end by a deadline of their own, well below this. */
const BACKSTOP_MS = 5000;

/**
 * A circuit breaker around the reads of a store. Only an outage ({@link isOutage}) counts as a failure; after every
 * other error the store did answer. `LookUpGate` belongs in front of it.
 */
export class LookUpBreaker implements CredentialReader, Disposable {
  readonly #reader: Pick<CredentialReader, 'read'>;
  readonly #breaker: Breaker<StoreUnavailable>;

  constructor(reader: Pick<CredentialReader, 'read'>, observer: BreakerObserver<StoreUnavailable>) {
    this.#reader = reader;
    this.#breaker = new Breaker({
      windowMs: WINDOW_MS,
      timeoutMs: BACKSTOP_MS,
      isFailure: isOutage,
      faultOf: (why) =>
        new StoreUnavailable(
          why === 'down'
            ? 'the store does not answer; it is tried again in a moment'
            : 'the store did not answer in time',
        ),
      observer,
    });
  }

  get outlook(): Outlook {
    return this.#breaker.outlook;
  }

  async read(appKeyHash: string): Promise<HeldCredential | null> {
    return await this.#breaker.run(() => this.#reader.read(appKeyHash));
  }

  /** Ends its timers. Reads that run come to their own end; later ones are refused. */
  [Symbol.dispose](): void {
    this.#breaker[Symbol.dispose]();
  }
}
