import type { TokenClaims } from './token-claims.ts';

/**
 * Claims by the digest of their token, of the tokens that were used last: of so many at least, of twice as many at
 * most. Two generations, of which the older one is dropped as a whole: taking single entries out of a `Map` for each
 * one that comes makes garbage that stays (`LinkedList`).
 */
export class RememberedTokens {
  readonly #count: number;
  #latest = new Map<string, TokenClaims>();
  #before = new Map<string, TokenClaims>();

  constructor(count: number) {
    this.#count = count;
  }

  get(digest: string): TokenClaims | undefined {
    const claims = this.#latest.get(digest);
    if (claims !== undefined) return claims;
    const older = this.#before.get(digest);
    if (older !== undefined) this.set(digest, older);
    return older;
  }

  set(digest: string, claims: TokenClaims): void {
    if (this.#latest.size >= this.#count) {
      this.#before = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(digest, claims);
  }

  clear(): void {
    this.#latest = new Map();
    this.#before = new Map();
  }
}
