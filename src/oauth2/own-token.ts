import type { AccessTokens } from './access-tokens.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import type { ClientEndpoint } from './client-endpoint.ts';
import { invalidRequest } from './oauth2-refusal.ts';
import type { Parameters } from './parameters.ts';
import type { TokenClaims } from './token-claims.ts';

/** `invalid_request` without a `token`, for the endpoints that ask for one. `token_type_hint` is ignored. */
export const findMissingToken: ClientEndpoint['findFault'] = (parameters) =>
  parameters.has('token') ? null : invalidRequest('The parameter token is missing.');

/**
 * The claims of the token that a client asks about; null when it is not valid, or was issued for another client: clients
 * learn nothing about tokens of others.
 */
export function findOwnToken(
  tokens: Pick<AccessTokens, 'verify'>,
  { clientId, held }: AuthenticatedClient,
  parameters: Parameters,
): TokenClaims | null {
  const claims = tokens.verify(parameters.get('token') ?? '');
  if ('fault' in claims) return null;
  return claims.clientId === clientId && claims.credentialId === held.credential.id ? claims : null;
}
