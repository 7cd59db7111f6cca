import { assertionAlgorithms } from './assertion/algorithms.ts';
import { clientAuthenticationMethods } from './client-credentials.ts';
import { oauth2Paths } from '../../check/methods/oauth2/oauth2-paths.ts';

/** Tokens name the issuer twice, so that it must leave room for the rest of them. */
const MAX_ISSUER_CHARACTERS = 512;

/**
 * The issuer identifier of `POSTERN_PUBLIC_URL` (RFC 8414 §2): without a slash at the end, so that paths can follow it.
 * Throws when it is too long to stand in every token.
 */
export function issuerOf(publicUrl: URL): string {
  const issuer = publicUrl.href.replace(/\/$/, '');
  if (issuer.length <= MAX_ISSUER_CHARACTERS) return issuer;
  throw new Error(`POSTERN_PUBLIC_URL: must have at most ${String(MAX_ISSUER_CHARACTERS)} characters`);
}

/**
 * The metadata of the authorization server (RFC 8414 §2). There is no endpoint for users: `none` is the response type
 * that gives nothing (OAuth 2.0 Multiple Response Types §4), because strict clients take no empty list.
 * `bindsTokens`: whether tokens may be bound to client certificates (RFC 8705 §3.3).
 */
export function describeServer(issuer: string, bindsTokens: boolean): Readonly<Record<string, unknown>> {
  return {
    issuer,
    token_endpoint: `${issuer}${oauth2Paths.token}`,
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint: `${issuer}${oauth2Paths.revocation}`,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint: `${issuer}${oauth2Paths.introspection}`,
    introspection_endpoint_auth_methods_supported: clientAuthenticationMethods,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['none'],
    ...(bindsTokens ? { tls_client_certificate_bound_access_tokens: true } : {}),
  };
}
