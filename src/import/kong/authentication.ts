import { placeIn } from '../../document/problem-log.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { KongPlugin } from './kong-entities.ts';
import { type KongReader, unknownKeys } from './kong-reader.ts';
import type { ImportedMethod, ReadMethod } from './imported-method.ts';
import type { ImportedAuthentication } from './plugin-kinds.ts';
import { readHmacAuth } from './read-hmac-auth.ts';
import { readKeyAuth } from './read-key-auth.ts';
import { readOAuth2 } from './read-oauth2-auth.ts';

/** Reads the configuration of an authentication plugin; null when not all of it can be taken over, which has been told. */
export function importAuthentication(
  plugin: KongPlugin,
  reader: KongReader,
  findings: FindingLog,
): ImportedMethod | null {
  const known: ReadonlySet<string> = new Set([...commonKeys, ...keysOf[plugin.name as ImportedAuthentication]]);
  const subject = `plugin ${quoted(plugin.name)}`;
  for (const key of unknownKeys(plugin.config, known)) {
    findings.add('error', placeIn(plugin.config.place, key), {
      subject,
      what: `has the setting ${quoted(key)}, which is not known here: the endpoints it applies to refuse everything`,
      instead: 'compare what it does in Kong, then enable the endpoints by hand',
    });
  }
  const isKnown = unknownKeys(plugin.config, known).length === 0;
  const imported = readersOf[plugin.name as ImportedAuthentication](plugin, subject, reader, findings);
  return isKnown ? imported : null;
}

const commonKeys = ['anonymous', 'hide_credentials', 'realm', 'identity_realms', '__key__'];

const keysOf: Readonly<Record<ImportedAuthentication, readonly string[]>> = {
  'key-auth': ['key_names', 'key_in_header', 'key_in_query', 'key_in_body', 'run_on_preflight'],
  'hmac-auth': ['clock_skew', 'validate_request_body', 'enforce_headers', 'algorithms'],
  oauth2: [
    ...['scopes', 'mandatory_scope', 'provision_key', 'token_expiration', 'enable_authorization_code', 'pkce'],
    ...['enable_implicit_grant', 'enable_client_credentials', 'enable_password_grant', 'global_credentials'],
    ...['accept_http_if_already_terminated', 'auth_header_name', 'refresh_token_ttl', 'reuse_refresh_token'],
    'persistent_refresh_token',
  ],
};

const readersOf: Readonly<Record<ImportedAuthentication, ReadMethod>> = {
  'key-auth': readKeyAuth,
  'hmac-auth': readHmacAuth,
  oauth2: readOAuth2,
};
