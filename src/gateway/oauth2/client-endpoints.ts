import type { AuthenticationPorts } from '../../check/methods/authenticated.ts';
import { type Pending, whenReady } from '../../base/pending.ts';
import type { AccessTokens } from '../../check/tokens/access-tokens.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import { findTokenFault } from '../../check/methods/oauth2/authenticate.ts';
import {
  emptyAnswer,
  invalidRequest,
  jsonAnswer,
  type OAuth2Answer,
  type OAuth2Refusal,
  type OAuth2Request,
  refuseOAuth2,
} from './messages.ts';
import { readForwardedCertificate } from './forwarded-certificate.ts';
import type { Parameters } from './parameters.ts';
import type { RevokedTokens } from '../../check/tokens/revoked-tokens.ts';
import { THUMBPRINT, type TokenClaims } from '../../check/tokens/token-claims.ts';

/** An endpoint that authenticated clients post parameters to. */
export interface ClientEndpoint {
  /** What is wrong with the parameters, for every client alike; null when nothing is. */
  readonly findFault: (parameters: Parameters) => OAuth2Refusal | null;
  /** Answers a client. Throws, or rejects with, `StoreUnavailable` when the store cannot say. */
  readonly answer: (
    client: AuthenticatedClient,
    parameters: Parameters,
    request: OAuth2Request,
  ) => Pending<OAuth2Answer | OAuth2Refusal>;
}

/** `invalid_request` without a `token`, for the endpoints that ask for one. `token_type_hint` is ignored. */
const findMissingToken: ClientEndpoint['findFault'] = (parameters) =>
  parameters.has('token') ? null : invalidRequest('The parameter token is missing.');

/**
 * The claims of the token that a client asks about; null when it is not valid, or was issued for another client:
 * clients learn nothing about tokens of others.
 */
function findOwnToken(
  tokens: Pick<AccessTokens, 'verify'>,
  { clientId, held }: AuthenticatedClient,
  parameters: Parameters,
): TokenClaims | null {
  const claims = tokens.verify(parameters.get('token') ?? '');
  if ('fault' in claims) return null;
  return claims.clientId === clientId && claims.credentialId === held.credential.id ? claims : null;
}

/**
 * `/oauth2/token`: an access token for the client itself (RFC 6749 §4.4). `scope` and other parameters are ignored.
 *
 * @param bindsTokens whether tokens are bound to the client certificate that Envoy names (RFC 8705 §3)
 */
export function tokenEndpoint(tokens: Pick<AccessTokens, 'issue'>, bindsTokens: boolean): ClientEndpoint {
  return {
    findFault: (parameters) => {
      const grantType = parameters.get('grant_type');
      if (grantType === undefined) return invalidRequest('The parameter grant_type is missing.');
      if (grantType === 'client_credentials') return null;
      return refuseOAuth2(400, 'unsupported_grant_type', 'The only grant_type is client_credentials.');
    },
    answer: ({ clientId, held: { credential, consumer } }, _parameters, request) => {
      const certificate = bindsTokens ? readForwardedCertificate(request) : null;
      if (certificate !== null && typeof certificate !== 'string') return certificate;
      const issued = tokens.issue({
        clientId,
        consumerId: consumer.id,
        credentialId: credential.id,
        expiresAt: credential.expiresAt,
        certificate,
      });
      return jsonAnswer(200, {
        access_token: issued.text,
        token_type: 'bearer',
        expires_in: issued.expiresInSeconds,
      });
    },
  };
}

/** `/oauth2/introspect` (RFC 7662): what a token of the client itself says; `active: false` for every other text. */
export function introspectionEndpoint({
  tokens,
  revokedTokens,
  clock,
}: Pick<AuthenticationPorts, 'tokens' | 'revokedTokens' | 'clock'>): ClientEndpoint {
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
        ...(claims.certificate === null ? {} : { cnf: { [THUMBPRINT]: claims.certificate } }),
      });
    },
  };
}

/** Lists get room again as tokens expire. */
const RETRY_AFTER_SECONDS = 60;

/**
 * `/oauth2/revoke` (RFC 7009): 200 whatever the token, with an effect on the client's own. The answer comes when no
 * replica can lose the revocation any more.
 */
export function revocationEndpoint(tokens: Pick<AccessTokens, 'verify'>, revokedTokens: RevokedTokens): ClientEndpoint {
  return {
    findFault: findMissingToken,
    answer: (client, parameters) => {
      const claims = findOwnToken(tokens, client, parameters);
      if (claims === null) return emptyAnswer;
      const { tokenId, credentialId, expiresAt } = claims;
      const consumerId = client.held.consumer.id;
      return whenReady(revokedTokens.revoke({ tokenId, consumerId, credentialId, expiresAt }), (outcome) =>
        outcome === 'listed'
          ? emptyAnswer
          : refuseOAuth2(503, 'temporarily_unavailable', 'Too many tokens are revoked. Try again later.', {
              headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
              detail: `the list of revoked tokens has no room for one more of the credential ${credentialId} of the consumer ${consumerId}`,
            }),
      );
    },
  };
}
