import type { Outlook } from '../../resilience/breaker.ts';
import type { HeldCredential } from '../credential-source.ts';

/** Reads credentials from the store itself. */
export interface CredentialReader {
  /** What to expect of a read. */
  readonly outlook: Outlook;
  /**
   * Who holds the App Key with this hash (`hashAppKey`), with consumer and grants; null when nobody does. What it gives
   * is no older than any change that the cache was told of before the call. Settles within a deadline of its own;
   * rejects with `StoreUnavailable` when the store has no answer, and with `CredentialUnreadable` when it has one of no use.
   */
  read(appKeyHash: string): Promise<HeldCredential | null>;
}
