import type { Clock } from '../clock.ts';
import type { AccessTokens } from './access-tokens.ts';
import { jsonAnswer } from './answer.ts';
import type { ClientEndpoint } from './client-endpoint.ts';
import { findTokenFault } from './find-token-fault.ts';
import { findMissingToken, findOwnToken } from './own-token.ts';
import type { RevokedTokens } from './revoked-tokens.ts';

/** What introspection needs. */
export interface IntrospectionPorts {
  readonly tokens: Pick<AccessTokens, 'verify'>;
  readonly revokedTokens: Pick<RevokedTokens, 'isRevoked'>;
  readonly clock: Clock;
}

/** `/oauth2/introspect` (RFC 7662): what a token of the client itself says, and `active: false` for every other text. */
export function introspectionEndpoint({ tokens, revokedTokens, clock }: IntrospectionPorts): ClientEndpoint {
  return {
    findFault: findMissingToken,
    answer: (client, parameters) => {
      const claims = findOwnToken(tokens, client, parameters);
      if (claims === null) return jsonAnswer(200, { active: false });
      const fault = findTokenFault(claims, client.held, revokedTokens, clock.nowSeconds());
      if (fault !== null) return jsonAnswer(200, { active: false });
      return jsonAnswer(200, {
        active: true,
        token_type: 'bearer',
        iss: claims.issuer,
        aud: claims.issuer,
        sub: claims.clientId,
        client_id: claims.clientId,
        consumer: claims.consumerId,
        credential: claims.credentialId,
        iat: claims.issuedAt,
        exp: claims.expiresAt,
        jti: claims.tokenId,
      });
    },
  };
}
