import type { AssertionClaims } from './read-assertion.ts';

/** How far ahead `exp` may be: tokens live no longer either. */
export const MAX_ASSERTION_SECONDS = 3600;
/** How far ahead `iat` and `nbf` may be, for clients whose clock is fast. */
export const MAX_CLOCK_AHEAD_SECONDS = 60;

/**
 * Why the claims of a rightly signed assertion do not count now, for the log; null when they do (RFC 7523 §3).
 * Fractions of a second are cut where a time may be ahead so far, as those of the server's clock are.
 */
export function findClaimFault(
  { audience, expiresAt, issuedAt, notBefore }: AssertionClaims,
  audiences: readonly string[],
  nowSeconds: number,
): string | null {
  const aheadSeconds = (time: number): number => Math.floor(time) - nowSeconds;
  if (!audiences.includes(audience)) return `the aud of the assertion is not ${audiences.join(' or ')}`;
  if (nowSeconds >= expiresAt) return 'the assertion has expired';
  if (aheadSeconds(expiresAt) > MAX_ASSERTION_SECONDS) {
    return `the exp of the assertion is more than ${String(MAX_ASSERTION_SECONDS)} s ahead`;
  }
  const isAhead = [issuedAt, notBefore].some((time) => time !== null && aheadSeconds(time) > MAX_CLOCK_AHEAD_SECONDS);
  return isAhead ? `the iat or nbf of the assertion is more than ${String(MAX_CLOCK_AHEAD_SECONDS)} s ahead` : null;
}
