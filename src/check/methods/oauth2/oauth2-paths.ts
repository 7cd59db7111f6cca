/** Where the OAuth2 endpoints are, below the public URL and on the HTTP listener (spec §3.4). */
export const oauth2Paths = {
  token: '/oauth2/token',
  revocation: '/oauth2/revoke',
  introspection: '/oauth2/introspect',
  metadata: '/.well-known/oauth-authorization-server',
} as const;
