import { whenReady } from '../pending.ts';
import type { AccessTokens } from './access-tokens.ts';
import { emptyAnswer } from './answer.ts';
import type { ClientEndpoint } from './client-endpoint.ts';
import { refuseOAuth2 } from './oauth2-refusal.ts';
import { findMissingToken, findOwnToken } from './own-token.ts';
import type { RevokedTokens } from './revoked-tokens.ts';

/** Lists get room again as tokens expire. */
const RETRY_AFTER_SECONDS = 60;

/**
 * `/oauth2/revoke` (RFC 7009): 200 whatever the token, with an effect on the client's own. The answer comes when no replica
 * can lose the revocation any more.
 */
export function revocationEndpoint(tokens: Pick<AccessTokens, 'verify'>, revokedTokens: RevokedTokens): ClientEndpoint {
  return {
    findFault: findMissingToken,
    answer: (client, parameters) => {
      const claims = findOwnToken(tokens, client, parameters);
      if (claims === null) return emptyAnswer;
      const { tokenId, credentialId, expiresAt } = claims;
      return whenReady(revokedTokens.revoke({ tokenId, credentialId, expiresAt }), (outcome) =>
        outcome === 'listed'
          ? emptyAnswer
          : refuseOAuth2(503, 'temporarily_unavailable', 'Too many tokens are revoked. Try again later.', {
              headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
              detail: `the list of revoked tokens has no room for one more of the credential ${credentialId}`,
            }),
      );
    },
  };
}
