import type { Declared } from '../../document/declare/declared.ts';
import { findCarrierFault } from '../../document/http-names.ts';
import { placeIn } from '../../document/problem-log.ts';
import { hmacAlgorithms, type AuthenticationMethod } from '../../model/endpoint.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { KongPlugin } from './kong-entities.ts';
import { type KongReader, unknownKeys } from './kong-reader.ts';
import type { ImportedAuthentication } from './plugin-kinds.ts';

/** How an endpoint authenticates, from a plugin; null when nothing of it can be taken over, which has been told. */
export interface ImportedMethod {
  readonly method: AuthenticationMethod;
  readonly options: Declared;
}

/** Reads the configuration of an authentication plugin. `subject` is the route it was met on. */
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

type ReadMethod = (
  plugin: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
) => ImportedMethod | null;

const readersOf: Readonly<Record<ImportedAuthentication, ReadMethod>> = {
  'key-auth': readKeyAuth,
  'hmac-auth': readHmacAuth,
  oauth2: readOAuth2,
};

function readKeyAuth(
  { config }: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): ImportedMethod | null {
  const names = reader.texts(config, 'key_names');
  const inHeader = reader.flag(config, 'key_in_header', true);
  const inQuery = reader.flag(config, 'key_in_query', true);
  const keyNames: Declared[] = [];
  const add = (carrier: Declared): void => {
    const text = JSON.stringify(carrier).toLowerCase();
    if (!keyNames.some((other) => JSON.stringify(other).toLowerCase() === text)) keyNames.push(carrier);
  };
  for (const [index, name] of (names.length === 0 ? ['apikey'] : names).entries()) {
    const fault = inHeader ? findCarrierFault(name) : null;
    if (fault !== null) {
      findings.add('error', placeIn(config.place, 'key_names', index), {
        subject,
        what: `takes the key from the header ${quoted(name)}, which ${fault}: callers who send it there are refused`,
        instead: 'have them send it in another header',
      });
    } else if (inHeader) {
      add({ header: name });
      // nginx finds a header of either spelling under a name with "_".
      if (name.includes('_')) add({ header: name.replaceAll('_', '-') });
    }
    if (inQuery) add({ query: name });
  }
  if (reader.flag(config, 'key_in_body', false)) {
    findings.add('error', placeIn(config.place, 'key_in_body'), {
      subject,
      what: 'also takes the key from the body, which Postern does not: callers who send it there are refused',
      instead: 'have them send it in a header',
    });
  }
  if (!reader.flag(config, 'run_on_preflight', true)) {
    findings.add('warning', placeIn(config.place, 'run_on_preflight'), {
      subject,
      what: 'lets every OPTIONS request through; here OPTIONS needs a key too',
      instead: 'answer preflight requests with Envoy’s cors filter, before ext_authz',
    });
  }
  if (keyNames.length > 0) return { method: 'key', options: { keyNames, ...hideCredentials(config, reader) } };
  findings.add('error', config.place, {
    subject,
    what: 'takes the key from nowhere that Postern looks at: the endpoints it applies to refuse everything',
  });
  return null;
}

const MAX_CLOCK_SKEW_SECONDS = 3600;
const DEFAULT_CLOCK_SKEW_SECONDS = 300;

/** What Postern always wants signed, or that stands for the same. */
const ALWAYS_SIGNED: ReadonlySet<string> = new Set(['date', 'x-date', 'request-line', '@request-target']);

function readHmacAuth(
  { config }: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): ImportedMethod | null {
  const listed = reader.texts(config, 'algorithms');
  const algorithms = hmacAlgorithms.filter((algorithm) => listed.length === 0 || listed.includes(algorithm));
  if (listed.length === 0 || listed.includes('hmac-sha1')) {
    findings.add('warning', placeIn(config.place, 'algorithms'), {
      subject,
      what: 'also takes hmac-sha1, which Postern does not: callers who sign with it are refused',
      instead: 'have them sign with hmac-sha256',
    });
  }
  const skew = reader.number(config, 'clock_skew') ?? DEFAULT_CLOCK_SKEW_SECONDS;
  if (skew > MAX_CLOCK_SKEW_SECONDS) {
    findings.add('warning', placeIn(config.place, 'clock_skew'), {
      subject,
      what: `allows clocks to differ by ${String(skew)} s; Postern by ${String(MAX_CLOCK_SKEW_SECONDS)} s at most`,
    });
  }
  if (algorithms.length === 0 || skew < 1) {
    findings.add('error', config.place, {
      subject,
      what:
        skew < 1
          ? 'allows clocks to differ by less than a second, which Postern cannot: the endpoints it applies to refuse everything'
          : 'takes only hmac-sha1, which Postern does not: the endpoints it applies to refuse everything',
    });
    return null;
  }
  tellSignedHeaders(config, subject, reader, findings);
  if (!reader.flag(config, 'validate_request_body', false)) {
    findings.add('warning', config.place, {
      subject,
      what: 'does not look at bodies; Postern wants a signed Digest with every body',
      instead: 'have callers add "Digest: SHA-256=…" and sign it',
    });
  }
  findings.add('warning', config.place, {
    subject,
    what: 'names the caller by username="…", Postern by appkey="…": signatures stay the same, the header does not',
    instead: 'rewrite it in Envoy until every caller has changed (docs/migrating-from-kong.md)',
  });
  const clockSkewSeconds = Math.min(Math.floor(skew), MAX_CLOCK_SKEW_SECONDS);
  return {
    method: 'hmac',
    options: {
      ...(algorithms.length === 1 && algorithms[0] === 'hmac-sha256' ? {} : { algorithms }),
      ...(clockSkewSeconds === DEFAULT_CLOCK_SKEW_SECONDS ? {} : { clockSkewSeconds }),
      acceptRealHttpVersion: true,
      ...hideCredentials(config, reader),
    },
  };
}

function tellSignedHeaders(
  config: KongPlugin['config'],
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): void {
  const enforced = reader.texts(config, 'enforce_headers');
  const unenforced = enforced.filter((name) => !ALWAYS_SIGNED.has(name.toLowerCase()));
  if (unenforced.length > 0) {
    findings.add('warning', placeIn(config.place, 'enforce_headers'), {
      subject,
      what: `wants ${unenforced.map(quoted).join(', ')} signed; Postern checks what is signed, and wants only date, request-line and, with a body, digest`,
    });
  }
  const isSatisfied = (names: readonly string[]): boolean => names.some((name) => enforced.includes(name));
  if (!isSatisfied(['date']) || !isSatisfied(['request-line'])) {
    findings.add('warning', config.place, {
      subject,
      what: 'lets callers choose what they sign; Postern wants "date" and "request-line" among it, not x-date or @request-target',
      instead: 'have callers sign "date request-line" at least',
    });
  }
}

function readOAuth2(
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
  return { method: 'oauth2', options: { tokenInQuery: true, ...hideCredentials(config, reader) } };
}

/** Kong's default is to show credentials to back ends, Postern's to hide them: what Kong does is kept. */
function hideCredentials(config: KongPlugin['config'], reader: KongReader): Declared {
  return reader.flag(config, 'hide_credentials', false) ? {} : { hideCredentials: false };
}
