import type { Labels } from './labels.ts';
import type { Limit } from './limit.ts';

/** The ways a consumer proves who it is (spec §3). */
export const authenticationMethods = ['key', 'hmac', 'parameter-signature', 'oauth2'] as const;
export type AuthenticationMethod = (typeof authenticationMethods)[number];

export const signatureMethods = ['hmac', 'parameter-signature'] as const satisfies readonly AuthenticationMethod[];
export type SignatureMethod = (typeof signatureMethods)[number];

export const scenarios = ['partner-openapi', 'open'] as const;
export type Scenario = (typeof scenarios)[number];

export const accessConditions = ['authenticated', 'authenticated-and-authorized'] as const;
export type AccessCondition = (typeof accessConditions)[number];
/** Of an endpoint that names none, in files, commands and the console (interfaces §4). */
export const DEFAULT_ACCESS_CONDITION: AccessCondition = 'authenticated';

export const hmacAlgorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'] as const;
export type HmacAlgorithm = (typeof hmacAlgorithms)[number];

export const parameterEncodings = ['decoded', 'raw', 'auto'] as const;
export type ParameterEncoding = (typeof parameterEncodings)[number];

/** A path rule as configured: everything below a prefix, or one path (spec §2.3). */
export type PathRule = { readonly prefix: string } | { readonly exact: string };

/** What of a request chooses an endpoint. Empty `hosts` or `methods` mean any. */
export interface EndpointMatch {
  readonly hosts: readonly string[];
  readonly paths: readonly PathRule[];
  readonly methods: readonly string[];
}

/** How many segments the paths of a match have, for each of its hosts or for any: what a look-up goes along. */
export function segmentCount({ hosts, paths }: Pick<EndpointMatch, 'hosts' | 'paths'>): number {
  const segments = paths.reduce(
    (sum, rule) => sum + ('prefix' in rule ? rule.prefix : rule.exact).split('/').length,
    0,
  );
  return Math.max(1, hosts.length) * segments;
}

/** The parts of a request in which an App Key may stand. */
export const carrierKinds = ['query', 'header'] as const;
export type CarrierKind = (typeof carrierKinds)[number];

/**
 * Where an App Key may stand on a `key` endpoint (spec §3.1): `{ header: 'X-App-Key' }`. With a `scheme`, it stands
 * after that word: `{ header: 'Authorization', scheme: 'Bearer' }`.
 */
export type KeyCarrier = { readonly query: string } | { readonly header: string; readonly scheme?: string };

/** Options that every scenario and method has. */
export interface CommonOptions {
  /** `observe` decides and records but lets 401, 403 and 429 through (spec §4.4). */
  readonly mode: 'enforce' | 'observe';
  /** What happens when the limiter cannot answer (spec §4.2). */
  readonly onLimiterFailure: 'allow' | 'deny';
}

/** Options that every authentication method has. */
export interface AuthenticatedOptions extends CommonOptions {
  /** Whether the caller's credentials are taken out of the request before it goes upstream. */
  readonly hideCredentials: boolean;
}

export interface KeyOptions extends AuthenticatedOptions {
  readonly keyNames: readonly KeyCarrier[];
}

export const MAX_CLOCK_SKEW_SECONDS = 3600;

/** What both signature methods have. */
export interface SignatureOptions extends AuthenticatedOptions {
  /** 1 … {@link MAX_CLOCK_SKEW_SECONDS}: how far a signed time may be from the server's, both ways. */
  readonly clockSkewSeconds: number;
  readonly replayProtection: boolean;
  readonly signatureHints: boolean;
}

export interface HmacOptions extends SignatureOptions {
  readonly algorithms: readonly HmacAlgorithm[];
  readonly acceptRealHttpVersion: boolean;
}

export interface ParameterSignatureOptions extends SignatureOptions {
  readonly requireTimestamp: boolean;
  readonly parameterEncoding: ParameterEncoding;
  readonly strictParameters: boolean;
  readonly unsignedQuery: 'refuse' | 'forward';
  readonly unsignedBody: 'refuse' | 'forward';
}

export interface OAuth2Options extends AuthenticatedOptions {
  readonly tokenInQuery: boolean;
}

/** The options of each method, every default filled in (interfaces §4). */
export interface OptionsOf {
  readonly key: KeyOptions;
  readonly hmac: HmacOptions;
  readonly 'parameter-signature': ParameterSignatureOptions;
  readonly oauth2: OAuth2Options;
}

interface EndpointBase {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  readonly description: string;
  /** For operators, such as whose it is: checks, logs and metrics pass over them. */
  readonly labels: Labels;
  readonly match: EndpointMatch;
  readonly limits: readonly Limit[];
  readonly enabled: boolean;
}

/** An endpoint whose callers are not authenticated; its limits are all `per: endpoint`. */
export interface OpenEndpoint extends EndpointBase {
  readonly scenario: 'open';
  readonly authentication: null;
  readonly options: CommonOptions;
}

/** An endpoint opened to partners, by the method that authenticates them. */
export type PartnerEndpointOf<M extends AuthenticationMethod> = EndpointBase & {
  readonly scenario: 'partner-openapi';
  readonly authentication: M;
  readonly accessCondition: AccessCondition;
  readonly options: OptionsOf[M];
};

export type PartnerEndpoint = { [M in AuthenticationMethod]: PartnerEndpointOf<M> }[AuthenticationMethod];

/** A protected API, the "traffic entry" of the interface document (spec §1). */
export type Endpoint = OpenEndpoint | PartnerEndpoint;
