import type { AccessTokens } from './access-tokens.ts';
import { jsonAnswer } from './answer.ts';
import type { ClientEndpoint } from './client-endpoint.ts';
import { invalidRequest, refuseOAuth2 } from './oauth2-refusal.ts';

/** `/oauth2/token`: an access token for the client itself (RFC 6749 §4.4). `scope` and all other parameters are ignored. */
export function tokenEndpoint(tokens: Pick<AccessTokens, 'issue'>): ClientEndpoint {
  return {
    findFault: (parameters) => {
      const grantType = parameters.get('grant_type');
      if (grantType === undefined) return invalidRequest('The parameter grant_type is missing.');
      if (grantType === 'client_credentials') return null;
      return refuseOAuth2(400, 'unsupported_grant_type', 'The only grant_type is client_credentials.');
    },
    answer: ({ clientId, held: { credential, consumer } }) => {
      const issued = tokens.issue({
        clientId,
        consumerId: consumer.id,
        credentialId: credential.id,
        expiresAt: credential.expiresAt,
      });
      return jsonAnswer(200, {
        access_token: issued.text,
        token_type: 'bearer',
        expires_in: issued.expiresInSeconds,
      });
    },
  };
}
