import { madeOnce } from '../../../base/made-once.ts';
import type { CarrierKind, KeyCarrier, KeyOptions } from '../../../model/endpoint.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import type { Routed } from '../../route/route.ts';
import { isIdentityName } from '../../receive/forged-headers.ts';
import { type ClientRequest, withHeaders } from '../../signing/client-request.ts';
import { decodeFormText } from '../../../base/text/form-decoding.ts';
import { isToken } from '../../../base/text/http-grammar.ts';
import { queryOf } from '../../signing/signable-request.ts';
import { pathToSet, unchanged, type UpstreamChanges } from '../authenticated.ts';
import { findParameter, removeParameter } from '../query-parameters.ts';
import { holdsScheme, type Malformed, malformed, readAfterScheme } from './scheme-word.ts';

/** What of a request can carry an App Key, as the carriers of an endpoint are taken out of it. */
interface Concealed {
  query: string | null;
  /** Lower case. */
  readonly headersToRemove: string[];
}

/** What one carrier is in a request. */
interface Place {
  /** Why nothing of this name can carry an App Key, in words; null when it can. */
  readonly nameFault: string | null;
  /** Equal for two carriers that are the same place of a request. */
  readonly comparable: string;
  /** What it holds in a request with this query; null when it is absent. */
  readonly find: (request: HttpRequest, query: string | null) => string | null | Malformed;
  readonly remove: (concealed: Concealed, request: HttpRequest) => void;
  readonly carry: (request: ClientRequest, appKey: string) => ClientRequest;
  /** Everything it holds in a request as a caller sent it. */
  readonly sentValues: (request: ClientRequest) => readonly string[];
  readonly description: string;
}

/** Not a possible App Key, so that no credential has it. */
const UNDECODABLE = '%';
/** Query names are compared after decoding, so any visible text can be one. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f]/;
const TWICE = malformed('the App Key appears twice in its carrier');

function queryPlace(name: string): Place {
  return {
    nameFault:
      name === '' || UNPRINTABLE.test(name)
        ? '"query" must be the name of a query parameter, without control characters'
        : null,
    comparable: `query ${name}`,
    find: (_request, query) => {
      const found = query === null ? null : findParameter(query, name);
      if (typeof found === 'string') return decodeFormText(found) ?? UNDECODABLE;
      return found === null ? null : TWICE;
    },
    remove: (concealed) => {
      if (concealed.query !== null) concealed.query = removeParameter(concealed.query, name);
    },
    carry: (request, appKey) => {
      const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(appKey)}`;
      return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${parameter}` };
    },
    sentValues: ({ path }) => {
      const value = findParameter(queryOf(path), name);
      if (value === null) return [];
      return typeof value === 'string' ? [decodeFormText(value) ?? UNDECODABLE] : ['', ''];
    },
    description: `the query parameter ${name}`,
  };
}

function headerPlace(header: string): Place {
  const name = header.toLowerCase();
  const fault = findHeaderFault(header);
  return {
    nameFault: fault === null ? null : `${JSON.stringify(header)} ${fault}`,
    comparable: `header ${name}`,
    find: (request) => {
      const found = request.headers.findSingle(name);
      return typeof found === 'object' && found !== null ? TWICE : found;
    },
    remove: ({ headersToRemove }, request) => {
      if (request.headers.has(name) && !headersToRemove.includes(name)) headersToRemove.push(name);
    },
    carry: (request, appKey) => withHeaders(request, [[header, appKey]]),
    sentValues: ({ headers }) =>
      headers.filter(([candidate]) => candidate.toLowerCase() === name).map(([, value]) => value),
    description: `the header ${header}`,
  };
}

/** A header that carries the App Key only after a scheme word: of another scheme, it is absent (RFC 9110 §11.4). */
function schemePlace(header: string, scheme: string): Place {
  const whole = headerPlace(header);
  const name = header.toLowerCase();
  const word = scheme.toLowerCase();
  return {
    nameFault:
      whole.nameFault ??
      (isToken(scheme) ? null : `${JSON.stringify(scheme)} is not a scheme word (a token, RFC 9110 §11.1)`),
    comparable: `${whole.comparable} ${word}`,
    find: (request, query) => {
      const found = whole.find(request, query);
      return typeof found === 'string' ? readAfterScheme(found, word, header) : found;
    },
    remove: (concealed, request) => {
      // Envoy may have joined several lines of the header.
      if (request.headers.valuesOf(name).some((value) => holdsScheme(value, word))) whole.remove(concealed, request);
    },
    carry: (request, appKey) => whole.carry(request, `${scheme} ${appKey}`),
    sentValues: (request) =>
      whole.sentValues(request).flatMap((value) => {
        const found = readAfterScheme(value, word, header);
        if (typeof found === 'string') return [found];
        return found === null ? [] : [value];
      }),
    description: `the header ${header} after the word ${scheme}`,
  };
}

function placeOf(carrier: KeyCarrier): Place {
  if ('query' in carrier) return queryPlace(carrier.query);
  return carrier.scheme === undefined ? headerPlace(carrier.header) : schemePlace(carrier.header, carrier.scheme);
}

/** The carriers of an endpoint that names none (interfaces §4). */
export const defaultCarriers = [{ query: 'appKey' }, { header: 'X-App-Key' }] as const satisfies readonly KeyCarrier[];

/** Why this cannot be a carrier, in words; null when it can. */
export function findCarrierFault(carrier: KeyCarrier): string | null {
  return placeOf(carrier).nameFault;
}

/** Whether two carriers are the same place of a request. */
export function isSameCarrier(one: KeyCarrier, other: KeyCarrier): boolean {
  return placeOf(one).comparable === placeOf(other).comparable;
}

/** The App Key of the first carrier that is present; null when none is. */
export function findAppKey(
  request: HttpRequest,
  query: string | null,
  carriers: readonly KeyCarrier[],
): string | null | Malformed {
  for (const place of placesOf(carriers)) {
    const found = place.find(request, query);
    if (found !== null) return found;
  }
  return null;
}

/** Takes every carrier out of the request, also valueless ones; all other bytes of the query stay (spec §3.1). */
export function concealKey({ received }: Routed, { hideCredentials, keyNames }: KeyOptions): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  const { request, target } = received;
  const concealed: Concealed = { query: target.query, headersToRemove: [] };
  for (const place of placesOf(keyNames)) place.remove(concealed, request);
  return { headersToSet: pathToSet(target, concealed.query), headersToRemove: concealed.headersToRemove, body: null };
}

/** Puts the App Key where an endpoint with these carriers looks first. */
export function carryKey(request: ClientRequest, carriers: readonly KeyCarrier[], appKey: string): ClientRequest {
  return placeOf(carriers[0] ?? defaultCarriers[0]).carry(request, appKey);
}

/** Everything that a carrier holds in a request as a caller sent it. */
export function sentKeys(request: ClientRequest, carrier: KeyCarrier): readonly string[] {
  return placeOf(carrier).sentValues(request);
}

/** The names of the carriers of one kind. */
export function carrierNames(carriers: readonly KeyCarrier[], kind: CarrierKind): readonly string[] {
  return carriers.flatMap((carrier) => {
    if ('query' in carrier) return kind === 'query' ? [carrier.query] : [];
    return kind === 'header' ? [carrier.header] : [];
  });
}

/** How messages name a carrier: `the header X-App-Key`. */
export function describeCarrier(carrier: KeyCarrier): string {
  return placeOf(carrier).description;
}

/** The places of each endpoint's carriers. */
const placesOf = madeOnce((carriers: readonly KeyCarrier[]) => carriers.map(placeOf));

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
