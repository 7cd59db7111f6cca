import { findNearestName } from '../model/document/nearest-name.ts';
import {
  type Fault,
  logFormats,
  logLevels,
  parseBoolean,
  parseCertificateNames,
  parseChoice,
  parseHosts,
  parseInteger,
  parseIssuer,
  parseName,
  parseNetworks,
  parseOrigin,
  parseServiceAddress,
  parseSocketMode,
  parseStore,
  parseText,
  parseUrl,
} from '../base/config-values.ts';
import type { Environment } from '../base/environment.ts';
import { assertionAudiences } from './oauth2/assertion/audiences.ts';
import { grpcTransports } from '../wire/grpc-transport.ts';
import { parseKeyRingLocation } from '../model/keyring/ring-location.ts';
import { type LabelOwners, parseLabelOwners } from '../model/label-owners.ts';
import { parseListenAddress } from '../base/net/listen-address.ts';
import { Secret } from '../model/secret.ts';

/** One row of the table of settings: an environment variable. */
export interface Setting<T, D extends string | null> {
  readonly name: string;
  /** As it would be written; null when the setting is off by default. */
  readonly default: D;
  /** What it does, with the unit of its value. */
  readonly meaning: string;
  readonly parse: (text: string) => T | Fault;
}

const YEAR_SECONDS = 31_536_000;

/** The one table of settings (interfaces §3). `postern config` prints it; a test compares the documentation with it. */
export const settings = {
  store: setting(
    'POSTERN_STORE',
    'file:postern.yaml',
    'resources: file:PATH or mongodb://…/DATABASE; for commands also https://HOST of postern manage',
    parseStore,
  ),
  keyring: setting(
    'POSTERN_KEYRING',
    null,
    'key ring for App Secrets and access tokens: path of a file, or env:NAME; MongoDB requires it',
    parseKeyRingLocation,
  ),
  storeCa: setting(
    'POSTERN_STORE_CA',
    null,
    "PEM file of the authorities of an https:// store; without it, the system's",
    parseText,
  ),
  token: setting('POSTERN_TOKEN', null, 'token of an operator, for an https:// store', parseToken),
  tokenFile: setting('POSTERN_TOKEN_FILE', null, 'file that holds the token', parseText),
  rateLimitService: setting(
    'POSTERN_RATE_LIMIT_SERVICE',
    null,
    "host:port of Envoy's rate limit service; without it, each process counts for itself",
    parseServiceAddress,
  ),
  rateLimitDomain: setting('POSTERN_RATE_LIMIT_DOMAIN', 'postern', "domain in that service's configuration", parseText),
  rateLimitDeadlineMs: setting(
    'POSTERN_RATE_LIMIT_DEADLINE_MS',
    '50',
    'its time limit, in milliseconds per request',
    parseInteger(1, 5000),
  ),
  rateLimitTlsCa: setting('POSTERN_RATE_LIMIT_TLS_CA', null, 'PEM file of its authorities; turns TLS on', parseText),
  rateLimitTlsCertificate: setting(
    'POSTERN_RATE_LIMIT_TLS_CERTIFICATE',
    null,
    'PEM file of the certificate chain shown to it (mutual TLS)',
    parseText,
  ),
  rateLimitTlsKey: setting('POSTERN_RATE_LIMIT_TLS_KEY', null, 'PEM file of its private key', parseText),
  publicUrl: setting(
    'POSTERN_PUBLIC_URL',
    'http://127.0.0.1:10000',
    'address of Envoy for callers: the OAuth2 issuer',
    parseUrl,
  ),
  oauth2AssertionAudience: setting(
    'POSTERN_OAUTH2_ASSERTION_AUDIENCE',
    'issuer-or-token-endpoint',
    'aud of client assertions; issuer takes only POSTERN_PUBLIC_URL',
    parseChoice(assertionAudiences),
  ),
  oauth2ClientCertificates: setting(
    'POSTERN_OAUTH2_CLIENT_CERTIFICATES',
    'false',
    "true binds access tokens to the client certificate in a trusted proxy's x-forwarded-client-cert",
    parseBoolean,
  ),
  jwksPrivateHosts: setting(
    'POSTERN_JWKS_PRIVATE_HOSTS',
    null,
    "hosts of issuers' keys that may have a private address, separated by commas; without it, none",
    parseHosts,
  ),
  jwksCa: setting('POSTERN_JWKS_CA', null, "PEM file of further authorities for the hosts of issuers' keys", parseText),
  actor: setting('POSTERN_ACTOR', null, 'name in the audit trail; without it, the login name', parseName),
  replicaName: setting(
    'POSTERN_REPLICA_NAME',
    null,
    'unique name in "postern replicas"; without it, the name of the machine',
    parseName,
  ),
  maxStaleSeconds: setting(
    'POSTERN_MAX_STALE_SECONDS',
    '3600',
    'seconds that cached credentials serve while the store is down',
    parseInteger(0, YEAR_SECONDS),
  ),
  credentialCacheEntries: setting(
    'POSTERN_CREDENTIAL_CACHE_ENTRIES',
    '100000',
    'credentials held in memory, about 1.6 KiB each',
    parseInteger(1, 10_000_000),
  ),
  grpcAddress: setting(
    'POSTERN_GRPC_ADDRESS',
    '127.0.0.1:9001',
    'listener for Envoy, host:port or unix:/path',
    parseListenAddress,
  ),
  grpcTransport: setting(
    'POSTERN_GRPC_TRANSPORT',
    'native',
    'gRPC implementation: native or grpc-js',
    parseChoice(grpcTransports),
  ),
  httpAddress: setting(
    'POSTERN_HTTP_ADDRESS',
    '127.0.0.1:9002',
    'listener of the OAuth2 addresses',
    parseListenAddress,
  ),
  trustedProxies: setting(
    'POSTERN_TRUSTED_PROXIES',
    '127.0.0.0/8,::1',
    'addresses and networks whose x-envoy-external-address is trusted on that listener, separated by commas',
    parseNetworks,
  ),
  adminAddress: setting(
    'POSTERN_ADMIN_ADDRESS',
    '127.0.0.1:9003',
    'listener of /livez, /readyz, /metrics and, from this machine only, /refusals and /usage',
    parseListenAddress,
  ),
  manageAddress: setting(
    'POSTERN_MANAGE_ADDRESS',
    '127.0.0.1:9004',
    'listener of "postern manage"; from other machines it requires TLS',
    parseListenAddress,
  ),
  manageTrustedProxies: setting(
    'POSTERN_MANAGE_TRUSTED_PROXIES',
    null,
    'as POSTERN_TRUSTED_PROXIES, for that listener; without it, none',
    parseNetworks,
  ),
  manageAdminAddress: setting(
    'POSTERN_MANAGE_ADMIN_ADDRESS',
    null,
    'its listener of /livez, /readyz and /metrics, in plain text; without it, none',
    parseListenAddress,
  ),
  manageTlsCertificate: setting(
    'POSTERN_MANAGE_TLS_CERTIFICATE',
    null,
    "PEM file of the management listener's certificate chain; turns TLS on",
    parseText,
  ),
  manageTlsKey: setting('POSTERN_MANAGE_TLS_KEY', null, 'PEM file of its private key', parseText),
  manageTlsClientCa: setting(
    'POSTERN_MANAGE_TLS_CLIENT_CA',
    null,
    'PEM file of authorities whose client certificates identify operators',
    parseText,
  ),
  manageUrl: setting('POSTERN_MANAGE_URL', null, 'address of the console for browsers', parseOrigin),
  manageOidcIssuer: setting(
    'POSTERN_MANAGE_OIDC_ISSUER',
    null,
    "issuer of the console's OpenID Connect provider",
    parseIssuer,
  ),
  manageOidcClientId: setting(
    'POSTERN_MANAGE_OIDC_CLIENT_ID',
    null,
    'client id of the console at that provider',
    parseText,
  ),
  manageOidcClientSecret: setting(
    'POSTERN_MANAGE_OIDC_CLIENT_SECRET',
    null,
    "file with that client's secret; a public client has none",
    parseText,
  ),
  manageOidcDeviceClientId: setting(
    'POSTERN_MANAGE_OIDC_DEVICE_CLIENT_ID',
    null,
    'public client by which commands sign in at that provider (device flow); without it, they use tokens only',
    parseText,
  ),
  manageOidcClaim: setting(
    'POSTERN_MANAGE_OIDC_CLAIM',
    'sub',
    'claim compared with the subjects of operators; email must be verified by the provider',
    parseText,
  ),
  manageLabelOwners: setting(
    'POSTERN_MANAGE_LABEL_OWNERS',
    null,
    'labels that only some operators set: tier:admins,region:team=logistics; without it, none is reserved',
    readLabelOwners,
  ),
  managePlainText: setting(
    'POSTERN_MANAGE_PLAIN_TEXT',
    'false',
    'true allows other machines without TLS',
    parseBoolean,
  ),
  unixSocketMode: setting(
    'POSTERN_UNIX_SOCKET_MODE',
    '0660',
    "permissions of listeners' unix sockets, in octal",
    parseSocketMode,
  ),
  tlsCertificate: setting(
    'POSTERN_TLS_CERTIFICATE',
    null,
    "PEM file of the gRPC listener's certificate chain; turns TLS on",
    parseText,
  ),
  tlsKey: setting('POSTERN_TLS_KEY', null, 'PEM file of its private key', parseText),
  tlsClientCa: setting(
    'POSTERN_TLS_CLIENT_CA',
    null,
    'PEM file of authorities whose clients may connect (mutual TLS)',
    parseText,
  ),
  tlsClientNames: setting(
    'POSTERN_TLS_CLIENT_NAMES',
    null,
    'names (DNS or URI) of allowed client certificates, separated by commas; without it, all',
    parseCertificateNames,
  ),
  httpTls: setting(
    'POSTERN_HTTP_TLS',
    'false',
    'true turns TLS on for the OAuth2 addresses, with the same files',
    parseBoolean,
  ),
  refusals: setting('POSTERN_REFUSALS', 'true', 'true keeps refused requests for "postern refusals"', parseBoolean),
  refusalsSourceAddress: setting(
    'POSTERN_REFUSALS_SOURCE_ADDRESS',
    'true',
    'true keeps source addresses too',
    parseBoolean,
  ),
  consumerMetrics: setting(
    'POSTERN_CONSUMER_METRICS',
    '0',
    'the busiest consumers with metrics of their own; 0 for none',
    parseInteger(0, 1000),
  ),
  logLevel: setting('POSTERN_LOG_LEVEL', 'info', 'error, warn, info or debug', parseChoice(logLevels)),
  logFormat: setting('POSTERN_LOG_FORMAT', 'json', 'json, or pretty for people', parseChoice(logFormats)),
  shutdownGraceSeconds: setting(
    'POSTERN_SHUTDOWN_GRACE_SECONDS',
    '20',
    'seconds to stop in after SIGTERM',
    parseInteger(0, 3600),
  ),
} as const;

type SettingKey = keyof typeof settings;
type ValueOf<S> = S extends Setting<infer T, infer D> ? (D extends null ? T | null : T) : never;

/** Every setting with its value; null where a setting without a default was not given. */
export type Config = { readonly [K in SettingKey]: ValueOf<(typeof settings)[K]> };

/** Variables that Kubernetes sets for a Service called postern, whatever they hold. */
const OF_SERVICE_POSTERN = /^POSTERN_(PORT(_.*)?|SERVICE_.*)$/;
/**
 * Those of a Service whose name begins with postern-. What people write for a port is a number, and so is no value of
 * theirs.
 */
const OF_OTHER_SERVICES: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^POSTERN_\w+_SERVICE_HOST$/, /^[0-9a-f.:]+$/i],
  [/^POSTERN_\w+_SERVICE_PORT(_\w+)?$/, /^\d+$/],
  [/^POSTERN_\w+_PORT(_\d+_(TCP|UDP|SCTP))?$/, /^(tcp|udp|sctp):\/\//],
  [/^POSTERN_\w+_PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$/, /^/],
];

function isSetByKubernetes(name: string, value: string | undefined): boolean {
  if (OF_SERVICE_POSTERN.test(name)) return true;
  return OF_OTHER_SERVICES.some(([names, values]) => names.test(name) && values.test(value ?? ''));
}

/**
 * Reads every setting from the environment. All problems are reported at once, each a sentence that names the variable;
 * unknown `POSTERN_*` variables are problems too. An empty variable counts as not given. `isServing` also asks for what
 * only `postern serve` cannot do without.
 */
export function parseConfig(
  environment: Environment,
  { isServing = false }: { readonly isServing?: boolean } = {},
): { readonly config: Config } | { readonly problems: readonly string[] } {
  const problems = findUnknown(environment);
  const values: Partial<Record<SettingKey, unknown>> = {};
  for (const key of Object.keys(settings) as SettingKey[]) {
    const row: Setting<unknown, string | null> = settings[key];
    const text = environment[row.name] || row.default;
    const value = text === null ? null : row.parse(text);
    if (isFault(value)) problems.push(`${row.name}: ${value.fault}`);
    else values[key] = value;
  }
  problems.push(...findContradictions(values as Partial<Config>));
  if (isServing) problems.push(...findMissing(values as Partial<Config>));
  return problems.length > 0 ? { problems } : { config: values as Config };
}

/** What the author of a setting that does not exist most probably wants. */
function adviceFor(name: string, known: readonly string[]): string {
  const prefix = 'POSTERN_';
  // Without the prefix, which would make short names look alike.
  const nearest = findNearestName(
    name.slice(prefix.length),
    known.map((each) => each.slice(prefix.length)),
  );
  if (nearest !== null) return `did you mean ${prefix}${nearest}?`;
  if (/_(LISTEN|BIND|HOST|PORT|ADDR|ADDRESS)(_|$)/.test(name)) {
    return 'POSTERN_GRPC_ADDRESS, POSTERN_HTTP_ADDRESS and POSTERN_ADMIN_ADDRESS say where it listens';
  }
  return 'see "postern config"';
}

function findUnknown(environment: Environment): string[] {
  const known = new Set(Object.values(settings).map((row) => row.name));
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('POSTERN_') && !known.has(name) && !isSetByKubernetes(name, environment[name]),
  );
  return unknown.map((name) => {
    return `${name}: there is no such setting; ${adviceFor(name, [...known])}`;
  });
}

/** Which settings need each other. A setting that is wrong itself, and so has no value here, contradicts nothing. */
function findContradictions(values: Partial<Config>): string[] {
  const problems: string[] = [];
  const isGiven = (key: keyof Config): boolean => values[key] !== null && values[key] !== undefined;
  const nameOf = (key: keyof Config): string => settings[key].name;
  const together = (one: keyof Config, other: keyof Config): void => {
    if (isGiven(one) !== isGiven(other)) problems.push(`${nameOf(one)} and ${nameOf(other)}: give both or none`);
  };
  if (isGiven('token') && isGiven('tokenFile')) problems.push('POSTERN_TOKEN and POSTERN_TOKEN_FILE: give one of them');
  together('tlsCertificate', 'tlsKey');
  together('rateLimitTlsCertificate', 'rateLimitTlsKey');
  together('manageTlsCertificate', 'manageTlsKey');
  if (isGiven('tlsClientCa') && !isGiven('tlsCertificate')) {
    problems.push('POSTERN_TLS_CLIENT_CA: needs POSTERN_TLS_CERTIFICATE and POSTERN_TLS_KEY too');
  }
  if (isGiven('manageTlsClientCa') && !isGiven('manageTlsCertificate')) {
    problems.push('POSTERN_MANAGE_TLS_CLIENT_CA: needs POSTERN_MANAGE_TLS_CERTIFICATE and POSTERN_MANAGE_TLS_KEY too');
  }
  together('manageOidcIssuer', 'manageOidcClientId');
  if (isGiven('manageOidcIssuer') && !isGiven('manageUrl')) {
    problems.push('POSTERN_MANAGE_OIDC_ISSUER: needs POSTERN_MANAGE_URL too: the provider leads people back there');
  }
  for (const key of ['manageOidcClientSecret', 'manageOidcDeviceClientId'] as const) {
    if (isGiven(key) && !isGiven('manageOidcIssuer')) {
      problems.push(`${nameOf(key)}: needs POSTERN_MANAGE_OIDC_ISSUER too`);
    }
  }
  if (isGiven('tlsClientNames') && !isGiven('tlsClientCa')) {
    problems.push(
      'POSTERN_TLS_CLIENT_NAMES: needs POSTERN_TLS_CLIENT_CA too: without it no client shows a certificate',
    );
  }
  if (values.httpTls === true && !isGiven('tlsCertificate')) {
    problems.push('POSTERN_HTTP_TLS: needs POSTERN_TLS_CERTIFICATE and POSTERN_TLS_KEY too');
  }
  if (isGiven('rateLimitTlsCertificate') && !isGiven('rateLimitTlsCa')) {
    problems.push(
      'POSTERN_RATE_LIMIT_TLS_CERTIFICATE: needs POSTERN_RATE_LIMIT_TLS_CA too: TLS without it would trust every server, or none',
    );
  }
  if (isGiven('rateLimitTlsCa') && values.rateLimitService === null) {
    problems.push('POSTERN_RATE_LIMIT_TLS_CA: needs POSTERN_RATE_LIMIT_SERVICE; limits are kept in process without it');
  }
  return problems;
}

/** What a fault hides is not missing. */
function findMissing({ store, keyring }: Partial<Config>): string[] {
  if (store?.kind !== 'mongodb' || keyring !== null) return [];
  return [
    'POSTERN_KEYRING: a MongoDB store needs the key ring that its App Secrets were sealed with; "postern keyring create FILE" makes one for a new store',
  ];
}

/** A bearer token (RFC 6750 §2.1), which faults do not quote. */
export function parseToken(text: string): Secret | Fault {
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(text) && text.length <= MAX_TOKEN_CHARACTERS) return Secret.fromText(text);
  return { fault: 'is no token: "postern operator token issue ID" prints one, such as pot_ID.…' };
}

/** Room for an access token of an OpenID Connect provider, with claims. */
const MAX_TOKEN_CHARACTERS = 16_384;

function readLabelOwners(text: string): LabelOwners | Fault {
  const rule = 'must be NAME:admins or NAME:LABEL=VALUE, separated by commas, each NAME once';
  return parseLabelOwners(text) ?? { fault: `${rule}; not "${text}"` };
}

function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && 'fault' in value;
}

function setting<T, D extends string | null>(
  name: string,
  defaultText: D,
  meaning: string,
  parse: (text: string) => T | Fault,
): Setting<T, D> {
  return { name, default: defaultText, meaning, parse };
}
