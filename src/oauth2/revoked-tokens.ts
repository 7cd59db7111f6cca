import type { Clock } from '../clock.ts';
import type { Pending } from '../pending.ts';

/** A token that must not work any more (RFC 7009), until it would have expired anyway. */
export interface RevokedToken {
  readonly tokenId: string;
  /** The credential that it was issued for. */
  readonly credentialId: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** `full`: nothing was listed, because the list may not grow; there is room again as soon as others expire. */
export type RevocationOutcome = 'listed' | 'full';

/** The list of revoked tokens that all replicas share (spec §3.4). */
export interface RevokedTokens {
  /**
   * Whether a token is listed, from memory. Throws `StoreUnavailable` when that cannot be known: never a guess, as the
   * answer "no" lets a request through.
   */
  isRevoked(tokenId: string): boolean;
  /** Lists a token for every replica. Throws, or rejects with, `StoreUnavailable` when it cannot be kept. */
  revoke(token: RevokedToken): Pending<RevocationOutcome>;
}

/** What a list holds at most: together about 20 MiB, and no credential more than a tenth of it. */
export const revocationBounds = { tokens: 100_000, perCredential: 10_000 } as const;

const SWEEP_SECONDS = 60;

/** A bounded list in memory that forgets tokens when they have expired: all there is for a file store, a mirror for others. */
export class RevokedTokenList {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, RevokedToken>();
  readonly #perCredential = new Map<string, number>();
  #nextSweep = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many tokens are listed. */
  get size(): number {
    return this.#tokens.size;
  }

  has(tokenId: string): boolean {
    return this.#tokens.has(tokenId);
  }

  /** Whether one more token of a credential fits. */
  hasRoomFor(credentialId: string): boolean {
    this.#sweep();
    return (
      this.#tokens.size < revocationBounds.tokens &&
      (this.#perCredential.get(credentialId) ?? 0) < revocationBounds.perCredential
    );
  }

  /** Lists a token. One that is listed already, or has expired, changes nothing. */
  add(token: RevokedToken): void {
    this.#sweep();
    if (this.#tokens.has(token.tokenId) || token.expiresAt <= this.#clock.nowSeconds()) return;
    this.#tokens.set(token.tokenId, token);
    this.#perCredential.set(token.credentialId, (this.#perCredential.get(token.credentialId) ?? 0) + 1);
  }

  #sweep(): void {
    const nowSeconds = this.#clock.nowSeconds();
    if (nowSeconds < this.#nextSweep) return;
    this.#nextSweep = nowSeconds + SWEEP_SECONDS;
    for (const [tokenId, { credentialId, expiresAt }] of this.#tokens) {
      if (expiresAt > nowSeconds) continue;
      this.#tokens.delete(tokenId);
      const left = (this.#perCredential.get(credentialId) ?? 1) - 1;
      if (left === 0) this.#perCredential.delete(credentialId);
      else this.#perCredential.set(credentialId, left);
    }
  }
}

/** The list of one process, for stores that have no place for it: a restart forgets it. */
export function keepRevokedTokensInProcess(clock: Clock): RevokedTokens {
  const list = new RevokedTokenList(clock);
  return {
    isRevoked: (tokenId) => list.has(tokenId),
    revoke: (token) => {
      if (list.has(token.tokenId)) return 'listed';
      if (!list.hasRoomFor(token.credentialId)) return 'full';
      list.add(token);
      return 'listed';
    },
  };
}
