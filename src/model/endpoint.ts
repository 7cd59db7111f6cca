import { withDefaults } from './document/read-mapping.ts';
import { type AlgorithmOf, algorithmsOfMethods, readAlgorithms } from './options/algorithms.ts';
import { coveredComponentsReader } from './options/covered-components.ts';
import { carrierText, defaultCarriers } from './options/key-carrier.ts';
import { keyNamesReader } from './options/key-names.ts';
import { anyWord, choiceOption, flagOption, listOption, numberOption, type Option } from './options/option.ts';
import { signatureTagOption } from './options/signature-tag.ts';
import type { Labels } from './labels.ts';
import type { Limit } from './limit.ts';

/** Whether an endpoint is for partners, who authenticate, or open to anybody (spec §1). */
export const scenarios = ['partner-openapi', 'open'] as const;
export type Scenario = (typeof scenarios)[number];

/** Who is let in: every authenticated consumer, or only those with a grant (spec §1). */
export const accessConditions = ['authenticated', 'authenticated-and-authorized'] as const;
export type AccessCondition = (typeof accessConditions)[number];
/** Of an endpoint that names none, in files, commands and the console (interfaces §4). */
export const DEFAULT_ACCESS_CONDITION: AccessCondition = 'authenticated';

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

/** Seconds that a signed time may be from the server's at most. */
export const MAX_CLOCK_SKEW_SECONDS = 3600;

/** What the values of signed parameters are while they are signed. */
export const parameterEncodings = ['decoded', 'raw', 'auto'] as const;
export type ParameterEncoding = (typeof parameterEncodings)[number];

/**
 * Every option that an endpoint can have (interfaces §4), in the order in which pages show them. {@link defaults} says
 * which of them the endpoints of a method have.
 */
export const endpointOptions = {
  /** `observe` decides and records but lets 401, 403 and 429 through (spec §4.4). */
  mode: choiceOption(['enforce', 'observe'], {
    label: 'Mode',
    hint: 'observe decides and records, but lets requests pass that would get 401, 403 or 429.',
  }),
  /** What happens when the limiter cannot answer (spec §4.2). */
  onLimiterFailure: choiceOption(['allow', 'deny'], {
    label: 'When limits cannot be checked',
    hint: 'deny answers 503 while the rate limit service is down.',
  }),
  /** Whether the caller's credentials are taken out of the request before it goes upstream. */
  hideCredentials: flagOption({
    label: 'Hide credentials',
    hint: 'Take credentials out of the request before it goes to the back end.',
  }),
  keyNames: listOption(keyNamesReader, carrierText, {
    label: 'Where the App Key may stand',
    hint: 'One on each line, in the order in which they are looked at: header:X-App-Key, query:appKey, header:Authorization:Bearer.',
  }),
  algorithms: listOption({ read: readAlgorithms }, anyWord, {
    label: 'Algorithms',
    hint: `One on each line: ${Object.entries(algorithmsOfMethods)
      .map(([method, names]) => `for ${method} ${names.join(', ')}`)
      .join('; ')}.`,
  }),
  acceptRealHttpVersion: flagOption({
    label: 'Accept the real HTTP version',
    hint: 'A request line that was signed with the version that Envoy reports is right too.',
  }),
  /** Which of several signatures counts: the one with this tag; any where it is empty (spec §3.5). */
  tag: signatureTagOption({
    label: 'Tag of signatures',
    hint: 'Only the signature with this tag counts, such as fapi-2-request. Empty: the one of a known partner.',
  }),
  /** What a signature covers besides what every one must; a header that is absent cannot be (spec §3.5). */
  coverAlso: listOption(coveredComponentsReader, anyWord, {
    label: 'Signatures also cover',
    hint: 'One on each line, such as content-type. A request without such a header is refused.',
  }),
  /** What partners call with, whatever the connection to Envoy is (spec §3.5). */
  scheme: choiceOption(['https', 'http'], {
    label: 'Scheme of the address',
    hint: 'What the addresses begin with that partners sign.',
  }),
  /** How far a signed time may be from the server's, both ways. */
  clockSkewSeconds: numberOption(1, MAX_CLOCK_SKEW_SECONDS, {
    label: 'Clock skew in seconds',
    hint: `How far a signed time may be from now, both ways: 1 to ${String(MAX_CLOCK_SKEW_SECONDS)}.`,
  }),
  replayProtection: flagOption({
    label: 'Replay protection',
    hint: 'A signature works once, a token by its jti. Signatures over parameters also need the time stamp.',
  }),
  signatureHints: flagOption({
    label: 'Signature hints',
    hint: 'Refusals show callers the string to sign. For test systems.',
  }),
  requireTimestamp: flagOption({
    label: 'Require a time stamp',
    hint: 'The parameter apiTimestamp has to be there.',
  }),
  parameterEncoding: choiceOption(parameterEncodings, {
    label: 'Encoding of parameters',
    hint: 'Which form of the values is signed.',
  }),
  strictParameters: flagOption({
    label: 'Strict parameters',
    hint: 'Refuse values that make the signature ambiguous.',
  }),
  unsignedQuery: choiceOption(['refuse', 'forward'], {
    label: 'Query beside a signed body',
    hint: 'What happens to parameters of the query that the signature does not cover.',
  }),
  unsignedBody: choiceOption(['refuse', 'forward'], {
    label: 'Body that is not signed',
    hint: 'What happens to a body that the signature does not cover.',
  }),
  tokenInQuery: flagOption({
    label: 'Token in the query',
    hint: 'Also take ?access_token=. Logs on the way may keep it.',
  }),
};

/** The name of an option of any endpoint. */
export type OptionName = keyof typeof endpointOptions;

type Value<N extends OptionName> = (typeof endpointOptions)[N] extends Option<infer T> ? T : never;
type Values<N extends OptionName> = { readonly [K in N]: Value<K> };
type Defaults = Partial<Values<OptionName>>;

/** Of every endpoint, also an open one. */
const common = { mode: 'enforce', onLimiterFailure: 'allow' } as const satisfies Defaults;
/** Of every endpoint whose callers sign. */
const signed = { clockSkewSeconds: 300, replayProtection: false, signatureHints: false } as const satisfies Defaults;

/** Which options the endpoints of each method have, each with its default. */
const defaults = {
  key: { ...common, hideCredentials: true, keyNames: defaultCarriers },
  hmac: {
    ...common,
    ...signed,
    hideCredentials: true,
    algorithms: ['hmac-sha256'],
    acceptRealHttpVersion: false,
  },
  'parameter-signature': {
    ...common,
    ...signed,
    hideCredentials: false,
    requireTimestamp: false,
    parameterEncoding: 'decoded',
    strictParameters: true,
    unsignedQuery: 'refuse',
    unsignedBody: 'refuse',
  },
  'http-message-signature': {
    ...common,
    ...signed,
    hideCredentials: true,
    algorithms: ['ed25519', 'ecdsa-p256-sha256', 'ecdsa-p384-sha384', 'rsa-pss-sha512'],
    tag: '',
    coverAlso: [],
    scheme: 'https',
  },
  oauth2: { ...common, hideCredentials: true, tokenInQuery: false },
  jwt: { ...common, hideCredentials: true, replayProtection: false },
  certificate: { ...common },
} as const satisfies Readonly<Record<string, Defaults>>;

/** The ways a consumer proves who it is (spec §3). */
export type AuthenticationMethod = keyof typeof defaults;
/** All of them, in the order of the table of defaults. */
export const authenticationMethods = Object.keys(defaults) as readonly AuthenticationMethod[];

/** The methods by which a request is signed (spec §3.2, §3.3, §3.5). */
export const signatureMethods = [
  'hmac',
  'parameter-signature',
  'http-message-signature',
] as const satisfies readonly AuthenticationMethod[];
export type SignatureMethod = (typeof signatureMethods)[number];

/** The options of each method, every default filled in. */
export type OptionsOf = {
  readonly [M in AuthenticationMethod]: {
    readonly [N in keyof (typeof defaults)[M] & OptionName]: N extends 'algorithms'
      ? readonly AlgorithmOf<M>[]
      : Value<N>;
  };
};
/** Options that every endpoint has. */
export type CommonOptions = Values<keyof typeof common>;
/** Options of all signature methods. */
export type SignatureOptions = Values<keyof typeof common | keyof typeof signed | 'hideCredentials'>;
/** Options of `key` (spec §3.1). */
export type KeyOptions = OptionsOf['key'];
/** Options of `hmac` (spec §3.2). */
export type HmacOptions = OptionsOf['hmac'];
/** Options of `parameter-signature` (spec §3.3). */
export type ParameterSignatureOptions = OptionsOf['parameter-signature'];
/** Options of `http-message-signature` (spec §3.5). */
export type HttpSignatureOptions = OptionsOf['http-message-signature'];
/** Options of `oauth2` (spec §3.4). */
export type OAuth2Options = OptionsOf['oauth2'];
/** Options of `jwt` (spec §3.6). */
export type JwtOptions = OptionsOf['jwt'];
/** Options of `certificate` (spec §3.7). */
export type CertificateOptions = OptionsOf['certificate'];

/** Options as they were written, by name: right values only, not yet those of one method. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/** The options of a method, defaults filled in; those that every endpoint has for null, an open endpoint. */
export function optionsOf<M extends AuthenticationMethod>(method: M, given: GivenOptions): OptionsOf[M];
export function optionsOf(method: AuthenticationMethod | null, given: GivenOptions): CommonOptions;
export function optionsOf(method: AuthenticationMethod | null, given: GivenOptions): CommonOptions {
  return withDefaults<CommonOptions>(given, defaultsOf(method));
}

/** Whether the endpoints of a method have an option; of an open endpoint for null. */
export function hasOption(method: AuthenticationMethod | null, name: string): name is OptionName {
  return Object.hasOwn(defaultsOf(method), name);
}

function defaultsOf(method: AuthenticationMethod | null): CommonOptions {
  return method === null ? common : defaults[method];
}

/** An option that cannot be what it is because of others, and why. */
export interface OptionConflict {
  readonly option: OptionName;
  readonly message: string;
}

/** What is wrong with the options of a method together, as they were written; null for nothing. */
export function findConflict(method: AuthenticationMethod, given: GivenOptions): OptionConflict | null {
  const options: Defaults = optionsOf(method, given);
  if (options.replayProtection !== true || options.requireTimestamp !== false) return null;
  const message = `"replayProtection" needs "requireTimestamp: true" on a ${method} endpoint: without a signed time a request could be repeated later`;
  return { option: 'replayProtection', message };
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

/** An endpoint whose callers authenticate, by one method. */
export type PartnerEndpoint = { [M in AuthenticationMethod]: PartnerEndpointOf<M> }[AuthenticationMethod];

/** A protected API, the "traffic entry" of the interface document (spec §1). */
export type Endpoint = OpenEndpoint | PartnerEndpoint;
