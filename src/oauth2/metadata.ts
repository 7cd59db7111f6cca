import { oauth2Paths } from './oauth2-addresses.ts';

const authenticationMethods = ['client_secret_basic', 'client_secret_post'] as const;

/** The metadata document of the authorization server (RFC 8414 §2). There is no endpoint for users, so no response type. */
export function describeServer(issuer: string): Readonly<Record<string, unknown>> {
  return {
    issuer,
    token_endpoint: `${issuer}${oauth2Paths.token}`,
    token_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint: `${issuer}${oauth2Paths.revocation}`,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    introspection_endpoint: `${issuer}${oauth2Paths.introspection}`,
    introspection_endpoint_auth_methods_supported: authenticationMethods,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
  };
}
