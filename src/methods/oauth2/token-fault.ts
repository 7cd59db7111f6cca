import { findCredentialFault } from '../caller.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import { tokenFaults } from '../../tokens/access-tokens.ts';
import type { RevokedTokens } from '../../tokens/revoked-tokens.ts';
import type { TokenClaims } from '../../tokens/token-claims.ts';

/**
 * What a verified token is refused with now; null when it works. Its credential and consumer are judged as
 * they are at this moment, so that disabling or revoking them ends their tokens (spec §3.4).
 *
 * @param held whoever has the App Key of the token now
 */
export function findTokenFault(
  claims: TokenClaims,
  held: HeldCredential | null,
  revoked: Pick<RevokedTokens, 'isRevoked'>,
  nowSeconds: number,
): Refusal | null {
  const fault = findCredentialFault(held, 'oauth2', nowSeconds);
  if (fault !== null) return fault.refused === 'AUTHENTICATION_FAILED' ? invalid(fault.detail) : fault;
  if (held?.credential.id !== claims.credentialId || held.consumer.id !== claims.consumerId) {
    return invalid(tokenFaults.otherCredential);
  }
  return revoked.isRevoked(claims.tokenId) ? invalid(tokenFaults.revoked) : null;
}

function invalid(detail: string): Refusal {
  return refuse('TOKEN_INVALID', detail);
}
