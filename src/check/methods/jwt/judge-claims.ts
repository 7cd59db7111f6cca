import { type CompiledIssuer, findUnmetClaim } from '../../../model/issuer.ts';
import type { TokenTimes, UnverifiedToken } from './read-token.ts';
import type { JwtFault } from './token-faults.ts';

/** What in the claims of a token its issuer does not allow, whatever the time is; null for nothing. */
export function findClaimFault(
  { audiences, claims }: Pick<UnverifiedToken, 'audiences' | 'claims'>,
  issuer: Pick<CompiledIssuer, 'audiences' | 'requiredClaims'>,
): JwtFault | null {
  if (!audiences.some((audience) => issuer.audiences.includes(audience))) return 'audience';
  return findUnmetClaim(issuer.requiredClaims, claims) === null ? null : 'requiredClaim';
}

/**
 * Whether a token works now (RFC 7519 §4.1.4 to §4.1.6); null when it does. The clock of its issuer may be so far from
 * ours, both ways. Fractions of a second are cut where a time may lie ahead, as those of the server's clock are.
 */
export function findTimeFault(
  { expiresAt, notBefore, issuedAt }: TokenTimes,
  skewSeconds: number,
  nowSeconds: number,
): JwtFault | null {
  if (nowSeconds - skewSeconds >= expiresAt) return 'expired';
  const isAhead = (time: number | null): boolean => time !== null && Math.floor(time) > nowSeconds + skewSeconds;
  return isAhead(notBefore) || isAhead(issuedAt) ? 'notYetValid' : null;
}
