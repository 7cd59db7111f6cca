import type { HeldCredential } from '../credential-source.ts';

/**
 * What is to be expected of a read: `reachable`, the store answers as far as is known; `away`, it does not, and a read
 * would be refused at once; `trial`, it did not, and one read is let through to find out.
 */
export type StoreOutlook = 'reachable' | 'away' | 'trial';

/** Reads credentials from the store itself. */
export interface CredentialReader {
  readonly outlook: StoreOutlook;
  /**
   * Who holds the App Key with this hash (`hashAppKey`), with consumer and grants; null when nobody does. What it gives
   * is no older than any change that the cache was told of before the call. Settles within a deadline of its own;
   * rejects with `StoreUnavailable` when the store has no answer, and with `CredentialUnreadable` when it has one of no use.
   */
  read(appKeyHash: string): Promise<HeldCredential | null>;
}
