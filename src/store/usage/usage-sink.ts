/** When a credential was last used. Seconds since the epoch. */
export interface CredentialUse {
  readonly credentialId: string;
  /** With whichever App Secret, or none. */
  readonly lastUsedAt: number;
  /** With the retiring App Secret; null when it was not. */
  readonly retiringSecretLastUsedAt: number | null;
}

/** Keeps when credentials were used, for all replicas together. */
export interface UsageSink {
  /**
   * Stores what is later than what is stored; writing the same twice changes nothing. Settles within a deadline of its
   * own; rejects with `StoreUnavailable`, whereupon the whole batch is written again.
   */
  write(batch: readonly CredentialUse[]): Promise<void>;
}
