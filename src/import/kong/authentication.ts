import type { Declared } from '../../resources/declared.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import { type Place, placeIn } from '../../document/problem-log.ts';
import { type FindingLog, quoted } from './finding.ts';
import { readHmacAuth } from './hmac-auth.ts';
import { readKeyAuth } from './key-auth.ts';
import type { KongPlugin } from './kong-entities.ts';
import { hasValue, type KongReader, unknownKeys } from './kong-reader.ts';
import { readOAuth2 } from './oauth2.ts';
import { importedAuthentication, type ImportedAuthentication, kindOfPlugin } from './plugin-kinds.ts';

/** How an endpoint authenticates, from a plugin. */
export interface ImportedMethod {
  readonly method: AuthenticationMethod;
  readonly options: Declared;
}

/** Reads one authentication plugin; null when nothing of it can be taken over, which has been told. */
type ReadMethod = (
  plugin: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
) => ImportedMethod | null;

/** How callers of a route authenticate: not at all, in a way that an endpoint has, or in one that none has. */
type RouteAuthentication =
  | { readonly kind: 'open' }
  | { readonly kind: 'method'; readonly imported: ImportedMethod; readonly plugin: KongPlugin }
  | { readonly kind: 'refused' };

/**
 * Reads what several authentication plugins on one route mean. Without `anonymous`, Kong wants all of them to pass; one
 * with `anonymous` lets the request go on when it fails (kong/plugins/key-auth/handler.lua, logical_AND and
 * logical_OR_authentication). An endpoint has one method, and never lets a caller in who has none.
 */
export function decideAuthentication(
  plugins: ReadonlyMap<string, KongPlugin>,
  subject: string,
  place: Place,
  reader: KongReader,
  findings: FindingLog,
): RouteAuthentication {
  const all = [...plugins.values()].filter(({ name }) => kindOfPlugin(name).kind.endsWith('authentication'));
  if (all.length === 0) return { kind: 'open' };
  const isOptional = ({ config }: KongPlugin): boolean =>
    hasValue(config, 'anonymous') && reader.text(config, 'anonymous') !== '';
  const required = all.filter((plugin) => !isOptional(plugin));
  const names = (list: readonly KongPlugin[]): string => list.map(({ name }) => quoted(name)).join(', ');

  if (required.length > 1) {
    findings.add('error', place, {
      subject,
      what: `wants callers to pass ${names(required)}, all of them; an endpoint has one method: it refuses everything`,
      instead: 'choose one method, then write it and "enabled: true" by hand',
    });
    return { kind: 'refused' };
  }
  const candidates = required.length === 1 ? required : all;
  const [plugin] = importedAuthentication.flatMap((name) => candidates.filter((candidate) => candidate.name === name));
  if (plugin === undefined) {
    findings.add('error', place, {
      subject,
      what: `authenticates callers by ${names(candidates)}, which Postern has not: the endpoint refuses everything`,
      instead: 'choose a method (key, hmac, oauth2), issue credentials, then write it and "enabled: true" by hand',
    });
    return { kind: 'refused' };
  }
  if (required.length === 0) {
    if (all.length > 1) {
      findings.add('error', place, {
        subject,
        what: `takes callers who pass any of ${names(all)}; an endpoint has one method: this one takes only ${quoted(plugin.name)}`,
        instead: 'give the others credentials of this method, or an address of their own with another endpoint',
      });
    }
    findings.add('warning', placeIn(plugin.config.place, 'anonymous'), {
      subject: `plugin ${quoted(plugin.name)}`,
      what: 'lets callers without valid credentials in as an anonymous consumer; Postern refuses them (401)',
      instead: 'give them credentials, or publish what anybody may have on a path of its own with "scenario: open"',
    });
  }
  const imported = importAuthentication(plugin, reader, findings);
  return imported === null ? { kind: 'refused' } : { kind: 'method', imported, plugin };
}

/** Reads the configuration of an authentication plugin; null when not all of it can be taken over, which has been told. */
function importAuthentication(plugin: KongPlugin, reader: KongReader, findings: FindingLog): ImportedMethod | null {
  const known: ReadonlySet<string> = new Set([...sharedSettings, ...keysOf[plugin.name as ImportedAuthentication]]);
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
  if (!isKnown || imported === null) return null;
  // Kong's default is to show credentials to back ends, Postern's to hide them: what Kong does is kept.
  const isHiding = reader.flag(plugin.config, 'hide_credentials', false);
  return isHiding ? imported : { ...imported, options: { ...imported.options, hideCredentials: false } };
}

const sharedSettings = ['anonymous', 'hide_credentials', 'realm', 'identity_realms', '__key__'];

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
