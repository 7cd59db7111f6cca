import { quoted } from '../../../model/document/problem.ts';
import type { OAuth2Options } from '../../../model/endpoint.ts';
import type { KongCounterpart, KongValues, PluginSettings } from '../kong.ts';

/** Kong's `oauth2` (kong/plugins/oauth2), of which only client credentials are imported. */
export const kongOAuth2: KongCounterpart<'oauth2'> = {
  plugin: 'oauth2',
  settings: [
    ...['scopes', 'mandatory_scope', 'provision_key', 'token_expiration', 'enable_authorization_code', 'pkce'],
    ...['enable_implicit_grant', 'enable_client_credentials', 'enable_password_grant', 'global_credentials'],
    ...['accept_http_if_already_terminated', 'auth_header_name', 'refresh_token_ttl', 'reuse_refresh_token'],
    'persistent_refresh_token',
  ],
  readOptions,
  credential: {
    kind: 'app-key',
    list: 'oauth2_credentials',
    appKey: 'client_id',
    appSecret: 'client_secret',
    findFault,
    findDifference,
  },
};

function readOptions(settings: PluginSettings): Partial<OAuth2Options> | null {
  if (!settings.flag('enable_client_credentials', false)) {
    settings.report('error', [], {
      what: 'does not issue tokens for client credentials, the only grant that Postern has: the endpoints it applies to refuse everything',
      instead: 'keep a server of its own for these grants',
    });
    return null;
  }
  for (const grant of ['enable_authorization_code', 'enable_implicit_grant', 'enable_password_grant']) {
    if (!settings.flag(grant, false)) continue;
    settings.report('error', [grant], {
      what: `also has the grant of ${quoted(grant)}, which Postern does not support: its callers get no tokens`,
      instead: 'keep a server of its own for this grant, or have them use client credentials',
    });
  }
  const header = settings.text('auth_header_name');
  if (header !== null && header.toLowerCase() !== 'authorization') {
    settings.report('error', ['auth_header_name'], {
      what: `takes the token from the header ${quoted(header)}; Postern takes it from Authorization`,
      instead: 'have callers send "Authorization: Bearer …"',
    });
  }
  if (settings.texts('scopes').length > 0) {
    settings.report('warning', ['scopes'], {
      what: 'has scopes and sends them to back ends (X-Authenticated-Scope); Postern ignores scopes and removes that header',
      instead: 'use one endpoint for each scope, with grants',
    });
  }
  settings.report('warning', [], {
    what: 'issues tokens below each route (…/oauth2/token); Postern issues them at /oauth2/token, for an hour at most, good for every oauth2 endpoint. Tokens that Kong issued do not work',
    instead: 'give callers the new address, or rewrite the old one in Envoy (docs/migrating-from-kong.md)',
  });
  settings.report('warning', [], {
    what: 'takes client credentials in the header and the body of one request; Postern refuses both at once (RFC 6749 §2.3)',
    instead: 'have clients authenticate in one way: HTTP Basic, or client_id and client_secret in the body',
  });
  return { tokenInQuery: true };
}

/** What Kong stores in place of a secret when `hash_secret` is set (kong/plugins/oauth2/secret.lua). */
const HASHED = /^\$(?:pbkdf2|argon2|bcrypt|scrypt|2[aby])/;

function findFault(client: KongValues): string | null {
  if (client.text('client_type') === 'public') return 'is a public client, which has no secret';
  return HASHED.test(client.text('client_secret') ?? '') ? 'has a secret of which only the hash is stored' : null;
}

/** What reads otherwise when it is form-decoded, or ends the secret for programs that split at each colon. */
const CHANGED_IN_BASIC = /[+%: ]/;

function findDifference(client: KongValues): { readonly what: string; readonly instead: string } | null {
  if (!CHANGED_IN_BASIC.test(client.text('client_secret') ?? '')) return null;
  return {
    what: 'has a secret with "+", "%", ":" or a blank: Kong takes it from HTTP Basic as it is, Postern form-decodes it (RFC 6749 §2.3.1)',
    instead: 'have the client form-encode it in HTTP Basic, send it in the body, or get another secret',
  };
}
