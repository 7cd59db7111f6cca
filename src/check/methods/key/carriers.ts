import { madeOnce } from '../../../base/made-once.ts';
import { type CarrierKind, carrierKinds, type KeyCarrier, type KeyOptions } from '../../../model/endpoint.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import type { Routed } from '../../route/route.ts';
import { isIdentityName } from '../../receive/forged-headers.ts';
import { type ClientRequest, withHeaders } from '../../signing/client-request.ts';
import { decodeFormText } from '../../../base/text/form-decoding.ts';
import { isToken } from '../../../base/text/http-grammar.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { pathToSet, unchanged, type UpstreamChanges } from '../authenticated.ts';
import { findParameter, removeParameter, type Repeated } from '../query-parameters.ts';

/** What of a request can carry an App Key, as the carriers of an endpoint are taken out of it. */
interface Concealed {
  query: string | null;
  /** Lower case. */
  readonly headersToRemove: string[];
}

/** What one kind of carrier is. `find` and `remove` take its comparable name, all others its own. */
interface Kind {
  /** Why nothing of this name can carry an App Key, in words; null when it can. */
  readonly findNameFault: (name: string) => string | null;
  /** The form in which two names are compared. */
  readonly comparable: (name: string) => string;
  /** What it holds in a request with this query; null when it is absent. */
  readonly find: (request: HttpRequest, query: string | null, name: string) => string | null | Repeated;
  readonly remove: (concealed: Concealed, request: HttpRequest, name: string) => void;
  readonly carry: (request: ClientRequest, name: string, appKey: string) => ClientRequest;
  /** Everything it holds in a request as a caller sent it. */
  readonly sentValues: (request: ClientRequest, name: string) => readonly string[];
  readonly describe: (name: string) => string;
}

/** Not a possible App Key, so that no credential has it. */
const UNDECODABLE = '%';
/** Query names are compared after decoding, so any visible text can be one. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/;

const kinds: { readonly [K in CarrierKind]: Kind } = {
  query: {
    findNameFault: (name) =>
      name === '' || UNPRINTABLE.test(name)
        ? '"query" must be the name of a query parameter, without control characters'
        : null,
    comparable: (name) => name,
    find: (_request, query, name) => {
      const found = query === null ? null : findParameter(query, name);
      return typeof found === 'string' ? (decodeFormText(found) ?? UNDECODABLE) : found;
    },
    remove: (concealed, _request, name) => {
      if (concealed.query !== null) concealed.query = removeParameter(concealed.query, name);
    },
    carry: (request, name, appKey) => {
      const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(appKey)}`;
      return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${parameter}` };
    },
    sentValues: ({ path }, name) => {
      const value = findParameter(queryOf(path), name);
      if (value === null) return [];
      return typeof value === 'string' ? [decodeFormText(value) ?? UNDECODABLE] : ['', ''];
    },
    describe: (name) => `the query parameter ${name}`,
  },
  header: {
    findNameFault: (name) => {
      const fault = findHeaderFault(name);
      return fault === null ? null : `${JSON.stringify(name)} ${fault}`;
    },
    comparable: (name) => name.toLowerCase(),
    find: (request, _query, name) => request.headers.findSingle(name),
    remove: ({ headersToRemove }, request, name) => {
      if (request.headers.has(name)) headersToRemove.push(name);
    },
    carry: (request, name, appKey) => withHeaders(request, [[name, appKey]]),
    sentValues: ({ headers }, name) =>
      headers.filter(([candidate]) => candidate.toLowerCase() === name.toLowerCase()).map(([, value]) => value),
    describe: (name) => `the header ${name}`,
  },
};

/** The carriers of an endpoint that names none (interfaces §4). */
export const defaultCarriers = [{ query: 'appKey' }, { header: 'X-App-Key' }] as const satisfies readonly KeyCarrier[];

/** Why this cannot be a carrier, in words; null when it can. */
export function findCarrierFault(carrier: KeyCarrier): string | null {
  const kind = kindOf(carrier);
  return kinds[kind].findNameFault(nameOf(carrier, kind));
}

/** Whether two carriers are the same place of a request. */
export function isSameCarrier(one: KeyCarrier, other: KeyCarrier): boolean {
  const kind = kindOf(one);
  if (kind !== kindOf(other)) return false;
  const { comparable } = kinds[kind];
  return comparable(nameOf(one, kind)) === comparable(nameOf(other, kind));
}

/** The App Key of the first carrier that is present; null when none is. */
export function findAppKey(
  request: HttpRequest,
  query: string | null,
  carriers: readonly KeyCarrier[],
): string | null | Repeated {
  for (const { kind, name } of placesOf(carriers)) {
    const found = kind.find(request, query, name);
    if (found !== null) return found;
  }
  return null;
}

/** Takes every carrier out of the request, also valueless ones; all other bytes of the query stay (spec §3.1). */
export function concealKey({ received }: Routed, { hideCredentials, keyNames }: KeyOptions): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  const { request, target } = received;
  const concealed: Concealed = { query: target.query, headersToRemove: [] };
  for (const { kind, name } of placesOf(keyNames)) kind.remove(concealed, request, name);
  return { headersToSet: pathToSet(target, concealed.query), headersToRemove: concealed.headersToRemove, body: null };
}

/** Puts the App Key where an endpoint with these carriers looks first. */
export function carryKey(request: ClientRequest, carriers: readonly KeyCarrier[], appKey: string): ClientRequest {
  const carrier = carriers[0] ?? defaultCarriers[0];
  const kind = kindOf(carrier);
  return kinds[kind].carry(request, nameOf(carrier, kind), appKey);
}

/** Everything that a carrier holds in a request as a caller sent it. */
export function sentKeys(request: ClientRequest, carrier: KeyCarrier): readonly string[] {
  const kind = kindOf(carrier);
  return kinds[kind].sentValues(request, nameOf(carrier, kind));
}

/** The names of the carriers of one kind. */
export function carrierNames(carriers: readonly KeyCarrier[], kind: CarrierKind): readonly string[] {
  return carriers.flatMap((carrier) => (kindOf(carrier) === kind ? [nameOf(carrier, kind)] : []));
}

/** How messages name a carrier: `the header X-App-Key`. */
export function describeCarrier(carrier: KeyCarrier): string {
  const kind = kindOf(carrier);
  return kinds[kind].describe(nameOf(carrier, kind));
}

/** A carrier as checks look for it, with its name in the form that {@link Kind.comparable} gives. */
interface Place {
  readonly kind: Kind;
  readonly name: string;
}

/** The places of each endpoint's carriers. */
const placesOf = madeOnce((carriers: readonly KeyCarrier[]) =>
  carriers.map((carrier): Place => {
    const kind = kindOf(carrier);
    return { kind: kinds[kind], name: kinds[kind].comparable(nameOf(carrier, kind)) };
  }),
);

function kindOf(carrier: KeyCarrier): CarrierKind {
  for (const kind of carrierKinds) if (kind in carrier) return kind;
  throw new Error('a carrier of an App Key is of no known kind');
}

function nameOf(carrier: KeyCarrier, kind: CarrierKind): string {
  return (carrier as Readonly<Record<CarrierKind, string>>)[kind];
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
