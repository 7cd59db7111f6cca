import type { Clock } from '../../base/clock.ts';
import type { Pending } from '../../base/pending.ts';
import { FairShares, type Holder } from '../replay/fair-shares.ts';
import { MAX_LIFETIME_SECONDS } from './access-tokens.ts';

/** A token that must not work any more (RFC 7009), until it would have expired anyway. */
export interface RevokedToken extends Holder {
  readonly tokenId: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** One as it is in a list; schema version 7 did not say whose it is. */
export interface StoredRevocation extends Omit<RevokedToken, 'consumerId'> {
  readonly consumerId: string | undefined;
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

/**
 * What a list holds at most: together about 30 MiB, and no credential more than a tenth of it. A consumer gets a share
 * ({@link FairShares}), so that there is room for others however many credentials it has.
 */
export const revocationBounds = { tokens: 100_000, perCredential: 10_000 } as const;

const SWEEP_MS = 60_000;
/** A clock that was ahead by years must not keep a token for years. */
const MAX_KEPT_MS = 86_400_000;

interface ListedToken extends StoredRevocation {
  readonly listedAtMs: number;
}

/**
 * A bounded list in memory that forgets tokens when they have expired: all there is for a file store, a mirror for
 * others. A token has expired when the longest life of one has gone by since it was listed, and the machine's clock
 * says so too: a clock that steps forward, or forward and back, brings none back to life.
 */
export class RevokedTokenList {
  readonly #clock: Clock;
  readonly #tokens = new Map<string, ListedToken>();
  readonly #perCredential = new Map<string, number>();
  readonly #shares = new FairShares();
  #sweptAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sweptAtMs = clock.nowMs();
  }

  get size(): number {
    return this.#tokens.size;
  }

  has(tokenId: string): boolean {
    return this.#tokens.has(tokenId);
  }

  hasRoomFor(holder: Holder): boolean {
    this.#sweep();
    const free = revocationBounds.tokens - this.#tokens.size;
    return (
      free > 0 &&
      (this.#perCredential.get(holder.credentialId) ?? 0) < revocationBounds.perCredential &&
      this.#shares.hasRoom(holder, free)
    );
  }

  /** Lists a token. One that is listed already changes nothing. */
  add(token: StoredRevocation): void {
    this.#sweep();
    if (this.#tokens.has(token.tokenId)) return;
    this.#tokens.set(token.tokenId, { ...token, listedAtMs: this.#clock.nowMs() });
    this.#count(token, 1);
  }

  #sweep(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#sweptAtMs < SWEEP_MS) return;
    this.#sweptAtMs = nowMs;
    const nowSeconds = this.#clock.nowSeconds();
    for (const [tokenId, { consumerId, credentialId, expiresAt, listedAtMs }] of this.#tokens) {
      const keptMs = nowMs - listedAtMs;
      if (keptMs < MAX_LIFETIME_SECONDS * 1000) continue;
      if (expiresAt > nowSeconds && keptMs < MAX_KEPT_MS) continue;
      this.#tokens.delete(tokenId);
      this.#count({ consumerId, credentialId }, -1);
    }
  }

  #count({ consumerId, credentialId }: Omit<StoredRevocation, 'tokenId' | 'expiresAt'>, change: 1 | -1): void {
    const count = (this.#perCredential.get(credentialId) ?? 0) + change;
    if (count <= 0) this.#perCredential.delete(credentialId);
    else this.#perCredential.set(credentialId, count);
    if (consumerId !== undefined) this.#shares.add({ consumerId, credentialId }, change);
  }
}

/** The list of one process, for stores that have no place for it: a restart forgets it. */
export function keepRevokedTokensInProcess(clock: Clock): RevokedTokens {
  const list = new RevokedTokenList(clock);
  return {
    isRevoked: (tokenId) => list.has(tokenId),
    revoke: (token) => {
      if (list.has(token.tokenId)) return 'listed';
      if (!list.hasRoomFor(token)) return 'full';
      list.add(token);
      return 'listed';
    },
  };
}
