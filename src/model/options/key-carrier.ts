import { isToken } from '../../base/text/http-grammar.ts';
import { isIdentityName } from '../identity-names.ts';
import type { ItemText } from './option.ts';

/**
 * Where an App Key may stand on a `key` endpoint (spec §3.1): `{ header: 'X-App-Key' }`. With a `scheme`, it stands
 * after that word: `{ header: 'Authorization', scheme: 'Bearer' }`.
 */
export type KeyCarrier = { readonly query: string } | { readonly header: string; readonly scheme?: string };

/** The parts of a request in which an App Key may stand. */
export type CarrierKind = KindOf<KeyCarrier>;
type KindOf<C> = C extends KeyCarrier ? Exclude<keyof C, 'scheme'> : never;

/** What a kind of carriers is, apart from the requests that have one. */
interface CarrierWords {
  /** Before the name of one: `the header`. */
  readonly noun: string;
  /** Whether a scheme word may stand before the App Key. */
  readonly takesScheme: boolean;
  /** Why nothing of this name can carry an App Key, in words; null when it can. */
  readonly findFault: (name: string) => string | null;
  /** Equal for two names of the same place of a request. */
  readonly comparable: (name: string) => string;
}

/** Query names are compared after decoding, so any visible text can be one. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/;

const kinds: Readonly<Record<CarrierKind, CarrierWords>> = {
  query: {
    noun: 'the query parameter',
    takesScheme: false,
    findFault: (name) =>
      name === '' || UNPRINTABLE.test(name)
        ? '"query" must be the name of a query parameter, without control characters'
        : null,
    comparable: (name) => name,
  },
  header: {
    noun: 'the header',
    takesScheme: true,
    findFault: (name) => {
      const fault = findHeaderFault(name);
      return fault === null ? null : `${JSON.stringify(name)} ${fault}`;
    },
    comparable: (name) => name.toLowerCase(),
  },
};

/** The kinds of carriers, as documents name them. */
export const carrierKinds = Object.keys(kinds) as readonly CarrierKind[];

/** The carriers of an endpoint that names none (interfaces §4). */
export const defaultCarriers = [{ query: 'appKey' }, { header: 'X-App-Key' }] as const satisfies readonly KeyCarrier[];

/** A carrier, taken apart. */
export interface CarrierParts {
  readonly kind: CarrierKind;
  readonly name: string;
  /** The word before the App Key; null for none. */
  readonly scheme: string | null;
}

/** Takes a carrier apart. */
export function partsOf(carrier: KeyCarrier): CarrierParts {
  const values: Readonly<Partial<Record<CarrierKind | 'scheme', string>>> = carrier;
  const kind = carrierKinds.find((each) => values[each] !== undefined) ?? 'query';
  return { kind, name: values[kind] ?? '', scheme: values.scheme ?? null };
}

/** A carrier from its parts. */
export function carrierOf({ kind, name, scheme }: CarrierParts): KeyCarrier {
  return { [kind]: name, ...(scheme === null ? {} : { scheme }) } as unknown as KeyCarrier;
}

/** What is wrong with a carrier, and in which part. */
export interface CarrierFault {
  readonly part: CarrierKind | 'scheme';
  readonly message: string;
}

/** Why this cannot be a carrier; null when it can. */
export function findCarrierFault(carrier: KeyCarrier): CarrierFault | null {
  const { kind, name, scheme } = partsOf(carrier);
  if (scheme !== null && !kinds[kind].takesScheme) {
    const other = kinds[kind].noun.replace('the ', 'a ');
    return { part: 'scheme', message: `"scheme" is the word before an App Key in a header; ${other} has none` };
  }
  const fault = kinds[kind].findFault(name);
  if (fault !== null) return { part: kind, message: fault };
  if (scheme === null || isToken(scheme)) return null;
  return { part: 'scheme', message: `${JSON.stringify(scheme)} is not a scheme word (a token, RFC 9110 §11.1)` };
}

/** Whether two carriers are the same place of a request. */
export function isSameCarrier(one: KeyCarrier, other: KeyCarrier): boolean {
  return placeName(one) === placeName(other) && schemeOf(one) === schemeOf(other);
}

/** Whether a carrier is present wherever another one is. */
export function takesAll(earlier: KeyCarrier, later: KeyCarrier): boolean {
  return placeName(earlier) === placeName(later) && schemeOf(earlier) === null;
}

function placeName(carrier: KeyCarrier): string {
  const { kind, name } = partsOf(carrier);
  return `${kind} ${kinds[kind].comparable(name)}`;
}

function schemeOf(carrier: KeyCarrier): string | null {
  return partsOf(carrier).scheme?.toLowerCase() ?? null;
}

/** The names of the carriers of one kind. */
export function carrierNames(carriers: readonly KeyCarrier[], kind: CarrierKind): readonly string[] {
  return carriers.map(partsOf).flatMap((parts) => (parts.kind === kind ? [parts.name] : []));
}

/** How messages name a carrier: `the header X-App-Key`. `mark` is how names are written. */
export function describeCarrier(carrier: KeyCarrier, mark: (name: string) => string = String): string {
  const { kind, name, scheme } = partsOf(carrier);
  const place = `${kinds[kind].noun} ${mark(name)}`;
  return scheme === null ? place : `${place} after the word ${mark(scheme)}`;
}

/** The forms of a carrier in one word. */
const carrierForms = carrierKinds
  .flatMap((kind) => [`${kind}:NAME`, ...(kinds[kind].takesScheme ? [`${kind}:NAME:SCHEME`] : [])])
  .sort();

/**
 * A carrier in one word, such as `header:X-App-Key` or `header:Authorization:Bearer`. Only its names are left to check.
 * No name of a header holds a colon, so the second one ends it.
 */
export const carrierText: ItemText = {
  parse: parseCarrier,
  guess: (word) => {
    const [kind = '', ...name] = word.split(':');
    return { [kind]: name.join(':') };
  },
  format: (item) => {
    const { kind, name, scheme } = partsOf(item as KeyCarrier);
    return scheme === null ? `${kind}:${name}` : `${kind}:${name}:${scheme}`;
  },
  forms: carrierForms,
};

function parseCarrier(word: string): KeyCarrier | null {
  const [first, ...rest] = word.split(':');
  const kind = carrierKinds.find((each) => each === first);
  if (kind === undefined || rest.length === 0) return null;
  if (!kinds[kind].takesScheme) return carrierOf({ kind, name: rest.join(':'), scheme: null });
  const [name = '', ...scheme] = rest;
  return carrierOf({ kind, name, scheme: scheme.length === 0 ? null : scheme.join(':') });
}

/** Headers of one connection (RFC 9110 §7.6.1) or of the message's own frame: proxies read, change or drop them. */
const CONNECTION_HEADERS: readonly string[] = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What Envoy writes itself. */
const ENVOY_PREFIXES: readonly string[] = ['x-envoy-', 'x-forwarded-', 'x-request-id'];

/** Why a header cannot carry an App Key, in words after its name; null when it can. `_` counts as `-`. */
export function findHeaderFault(header: string): string | null {
  if (header.startsWith(':')) return 'is a pseudo header, which cannot carry an App Key';
  if (!isToken(header)) return 'is not a header name (RFC 9110 §5.6.2)';
  const name = header.toLowerCase().replaceAll('_', '-');
  if (CONNECTION_HEADERS.includes(name)) return 'is used by the connection or the body, and cannot carry an App Key';
  if (isIdentityName(name) || ENVOY_PREFIXES.some((prefix) => name.startsWith(prefix))) {
    return 'is written by the gateway itself, and cannot carry an App Key';
  }
  return null;
}
