import { PLAIN_STRING } from './accept-signature.ts';
import { isToken } from './headers.ts';
import type { AssertionAlgorithm, MessageAlgorithm } from './key-algorithms.ts';
import type { PrivateKeySetting } from './key-signer.ts';
import { PosternProblem } from './problem.ts';

/** The hash of an hmac signature. */
export type HmacAlgorithm = 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512';
/** How an endpoint spells the parameters that are signed: `decoded`, or `raw` where it has `parameterEncoding: raw`. */
export type ParameterEncoding = 'decoded' | 'raw';
/** Where an App Key stands: in a header, or in a parameter of the query. */
export type KeyCarrier = { readonly header: string } | { readonly query: string };

/**
 * What sends the requests: `fetch` itself, or anything that takes a URL and an init and gives a `Response`. The init
 * holds all that the caller gave, with `headers` as a list of pairs.
 */
export type BaseFetch = (url: string, init: BaseInit) => Promise<Response>;
/** What a {@link BaseFetch} gets: a `RequestInit` with whatever else the caller put there, such as `dispatcher`. */
export type BaseInit = Omit<RequestInit, 'headers' | 'body' | 'window'> & {
  method: string;
  headers: [string, string][];
  // What a library takes as a body differs; it gets what the caller gave, or bytes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body?: any;
  signal?: AbortSignal;
};

/** The settings of every client. */
export interface CommonSettings {
  /** Your App Key: `[A-Za-z0-9._-]{1,512}`; with a private key also other printable ASCII but `"` and `\\`. */
  readonly appKey: string;
  /** How often a refused call is made again, besides the first time. Default 2. */
  readonly retries?: number;
  /**
   * By how many seconds the machine's clock may be wrong: when the gateway says `REQUEST_EXPIRED`, a difference to its
   * `Date` of at most so much is corrected and the call made once more. Default 0: never.
   */
  readonly clockCorrection?: number;
  /** What sends the requests. Default: `globalThis.fetch`. */
  readonly fetch?: BaseFetch;
  /** For tests: the time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** For tests: gives a nonce of 32 lower-case hex characters. Default: from WebCrypto. */
  readonly createNonce?: () => string;
  /** For tests: waits so many milliseconds, and rejects with the reason of the signal when that is aborted. */
  readonly wait?: (milliseconds: number, signal: AbortSignal | null) => Promise<void>;
}

/** Sends the App Key; there is no signature. */
export interface KeySettings extends CommonSettings {
  readonly method: 'key';
  /** Where the App Key stands. Default: the header `X-App-Key`. */
  readonly carrier?: KeyCarrier;
}

/** Signs date, request line, body and more headers with HMAC. */
export interface HmacSettings extends CommonSettings {
  readonly method: 'hmac';
  readonly appSecret: string;
  /** Default `hmac-sha256`. */
  readonly algorithm?: HmacAlgorithm;
  /** More headers to sign, such as `host`. Each must be in every request. */
  readonly signedHeaders?: readonly string[];
  /** Sends and signs `X-Nonce`, for endpoints with replay protection. Default false. */
  readonly nonce?: boolean;
}

/** Signs the parameters of a query or form, or a whole JSON body. */
export interface ParameterSettings extends CommonSettings {
  readonly method: 'parameter-signature';
  readonly appSecret: string;
  /** Default `decoded`. */
  readonly encoding?: ParameterEncoding;
  /** Adds a parameter `nonce`, for endpoints with replay protection. Default false. */
  readonly nonce?: boolean;
}

/** Gets access tokens by client credentials and sends them. */
export interface OAuth2Settings extends CommonSettings {
  readonly method: 'oauth2';
  readonly appSecret: string;
  /** The gateway's `/oauth2/token`, absolute. */
  readonly tokenUrl: string;
}

/** Signs by HTTP message signatures (RFC 9421) with a private key. */
export interface MessageSettings extends CommonSettings {
  readonly method: 'http-message-signature';
  /** Whose public key the gateway has. With a function, `algorithm` is needed. */
  readonly privateKey: PrivateKeySetting;
  /** Default: by the key; of RSA `rsa-pss-sha512`. */
  readonly algorithm?: MessageAlgorithm;
  /** Signs a nonce, which endpoints with replay protection need. Default true. */
  readonly nonce?: boolean;
  /** For endpoints that want a `tag`. */
  readonly tag?: string;
  /** More to cover, such as `content-type`: headers, `@target-uri`, `@scheme`, `@request-target`. */
  readonly coverAlso?: readonly string[];
  /** What the signature is called in its fields. Default `sig1`. */
  readonly label?: string;
}

/** Gets access tokens by assertions that a private key signs (RFC 7523). */
export interface AssertionSettings extends CommonSettings {
  readonly method: 'private-key-jwt';
  /** Whose public key the gateway has. With a function, `algorithm` is needed. */
  readonly privateKey: PrivateKeySetting;
  /** Default: by the key; of RSA `PS256`. */
  readonly algorithm?: AssertionAlgorithm;
  /** The gateway's `/oauth2/token`, absolute. */
  readonly tokenUrl: string;
  /** The gateway's issuer, where it takes only that. Default: `tokenUrl`. */
  readonly audience?: string;
}

/** What a client is made of: one credential, for one method. */
export type ClientSettings =
  | KeySettings
  | HmacSettings
  | ParameterSettings
  | OAuth2Settings
  | MessageSettings
  | AssertionSettings;

type Check = (value: unknown) => boolean;

const isFunction: Check = (value) => typeof value === 'function';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isOneOf =
  (...choices: readonly string[]): Check =>
  (value) =>
    choices.includes(value as string);

const MAX_APP_KEY_CHARACTERS = 512;
const common: Readonly<Record<string, Check>> = {
  method: isOneOf('key', 'hmac', 'parameter-signature', 'oauth2', 'http-message-signature', 'private-key-jwt'),
  appKey: (value) => typeof value === 'string' && /^[A-Za-z0-9._-]{1,512}$/.test(value),
  retries: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  clockCorrection: (value) => Number.isFinite(value) && (value as number) >= 0,
  fetch: isFunction,
  now: isFunction,
  createNonce: isFunction,
  wait: isFunction,
};
const isPlain: Check = (value) => typeof value === 'string' && PLAIN_STRING.test(value);
/** The key itself and its algorithm are checked when the key is read. */
const ofKeys: Readonly<Record<string, Check>> = {
  ...common,
  appKey: (value) => isPlain(value) && (value as string).length <= MAX_APP_KEY_CHARACTERS,
  privateKey: () => true,
  algorithm: () => true,
};
const checks: Readonly<Record<ClientSettings['method'], Readonly<Record<string, Check>>>> = {
  key: { ...common, carrier: isCarrier },
  hmac: {
    ...common,
    appSecret: isSecret,
    algorithm: isOneOf('hmac-sha256', 'hmac-sha384', 'hmac-sha512'),
    signedHeaders: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    nonce: isBoolean,
  },
  'parameter-signature': { ...common, appSecret: isSecret, encoding: isOneOf('decoded', 'raw'), nonce: isBoolean },
  oauth2: { ...common, appSecret: isSecret, tokenUrl: isTokenUrl },
  'http-message-signature': {
    ...ofKeys,
    nonce: isBoolean,
    tag: isPlain,
    coverAlso: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    label: (value) => typeof value === 'string' && /^[a-z*][a-z0-9_.*-]*$/.test(value),
  },
  'private-key-jwt': { ...ofKeys, tokenUrl: isTokenUrl, audience: isPlain },
};
const PLAIN_FORM = 'printable ASCII characters, none of them " or \\';
const KEY_ID_FORM = `must have 1 to ${String(MAX_APP_KEY_CHARACTERS)} ${PLAIN_FORM}`;
/** What is wrong with a setting that people often get wrong. */
const FORMS: Readonly<Record<string, string>> = {
  label: 'must begin with a lower-case letter or *, and have lower-case letters, digits and "_.*-"',
  tag: `must have ${PLAIN_FORM}`,
  audience: `must have ${PLAIN_FORM}`,
  appKey: 'must have 1 to 512 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
  appSecret: 'is empty, or has white space at an end or a control character, such as a line feed at its end',
  tokenUrl: 'must be an absolute http or https URL',
};
const REQUIRED = ['appKey', 'appSecret', 'privateKey', 'tokenUrl'];
const CONTROL_CHARACTER = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Cs}/u;

/** Refuses settings that no client can work with: `INVALID_CREDENTIAL`, which names the setting, never its value. */
export function checkSettings(settings: ClientSettings): void {
  const given: Readonly<Record<string, unknown>> = { ...settings };
  const method = given['method'] as ClientSettings['method'];
  if (common['method']?.(method) !== true) throw invalid('method');
  const known = checks[method];
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (check === undefined) throw new PosternProblem('INVALID_CREDENTIAL', `${method} has no setting ${name}`);
    const isKeyId = name === 'appKey' && known['privateKey'] !== undefined;
    if (value !== undefined && !check(value)) throw invalid(name, isKeyId ? KEY_ID_FORM : FORMS[name]);
  }
  const missing = REQUIRED.find((name) => Object.hasOwn(known, name) && given[name] === undefined);
  if (missing !== undefined) throw new PosternProblem('INVALID_CREDENTIAL', `the setting ${missing} is missing`);
}

function invalid(name: string, form = 'has a value that it cannot have'): PosternProblem {
  return new PosternProblem('INVALID_CREDENTIAL', `the setting ${name} ${form}`);
}

function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value.trim() !== value) return false;
  return !CONTROL_CHARACTER.test(value) && !LONE_SURROGATE.test(value);
}

function isCarrier(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return false;
  const { header, query } = value as { readonly header?: unknown; readonly query?: unknown };
  return (typeof header === 'string' && isToken(header)) || (typeof query === 'string' && query !== '');
}

function isTokenUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { username, password, hash } = new URL(value);
  return username === '' && password === '' && hash === '';
}
