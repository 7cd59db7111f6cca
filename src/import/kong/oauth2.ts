import { placeIn } from '../../document/problem-log.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { ImportedMethod } from './authentication.ts';
import type { KongPlugin } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';

/** Reads `oauth2` (kong/plugins/oauth2), of which only client credentials are taken over. */
export function readOAuth2(
  { config }: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): ImportedMethod | null {
  if (!reader.flag(config, 'enable_client_credentials', false)) {
    findings.add('error', config.place, {
      subject,
      what: 'does not issue tokens for client credentials, the only grant that Postern has: the endpoints it applies to refuse everything',
      instead: 'keep a server of its own for these grants',
    });
    return null;
  }
  for (const key of ['enable_authorization_code', 'enable_implicit_grant', 'enable_password_grant']) {
    if (!reader.flag(config, key, false)) continue;
    findings.add('error', placeIn(config.place, key), {
      subject,
      what: `also has the grant of ${quoted(key)}, which Postern has not: its callers get no tokens`,
      instead: 'keep a server of its own for this grant, or have them use client credentials',
    });
  }
  const header = reader.text(config, 'auth_header_name');
  if (header !== null && header.toLowerCase() !== 'authorization') {
    findings.add('error', placeIn(config.place, 'auth_header_name'), {
      subject,
      what: `takes the token from the header ${quoted(header)}; Postern takes it from Authorization`,
      instead: 'have callers send "Authorization: Bearer …"',
    });
  }
  if (reader.items(config, 'scopes').length > 0) {
    findings.add('warning', placeIn(config.place, 'scopes'), {
      subject,
      what: 'has scopes and tells back ends about them (X-Authenticated-Scope); Postern ignores scopes and removes that header',
      instead: 'use one endpoint for each scope, with grants',
    });
  }
  findings.add('warning', config.place, {
    subject,
    what: 'issues tokens below each route (…/oauth2/token); Postern issues them at /oauth2/token, for an hour at most, good for every oauth2 endpoint. Tokens that Kong issued do not work',
    instead: 'give callers the new address, or rewrite the old one in Envoy (docs/migrating-from-kong.md)',
  });
  return { method: 'oauth2', options: { tokenInQuery: true } };
}
