import { findCredentialFault } from '../methods/caller.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { tokenFaults } from './access-tokens.ts';
import type { RevokedTokens } from './revoked-tokens.ts';
import type { TokenClaims } from './token-claims.ts';

/**
 * Why a verified token does not work now, for the log; null when it does. Its credential and consumer are judged as
 * they are at this moment, so that disabling or revoking them ends their tokens (spec §3.4).
 *
 * @param held whoever has the App Key of the token now
 */
export function findTokenFault(
  claims: TokenClaims,
  held: HeldCredential | null,
  revoked: Pick<RevokedTokens, 'isRevoked'>,
  nowSeconds: number,
): string | null {
  const fault = findCredentialFault(held, 'oauth2', nowSeconds);
  if (fault !== null) return fault.detail;
  if (held?.credential.id !== claims.credentialId || held.consumer.id !== claims.consumerId) {
    return tokenFaults.otherCredential;
  }
  return revoked.isRevoked(claims.tokenId) ? tokenFaults.revoked : null;
}
