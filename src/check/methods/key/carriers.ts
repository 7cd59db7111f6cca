import { madeOnce } from '../../../base/made-once.ts';
import type { KeyOptions } from '../../../model/endpoint.ts';
import { type CarrierKind, defaultCarriers, type KeyCarrier, partsOf } from '../../../model/options/key-carrier.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import type { Routed } from '../../route/route.ts';
import { type ClientRequest, withHeaders } from '../../signing/client-request.ts';
import { decodeFormText } from '../../../base/text/form-decoding.ts';
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
  /** The header that it is in, lower case; null for none. */
  readonly header: string | null;
  /** What it holds in a request with this query; null when it is absent. */
  readonly find: (request: HttpRequest, query: string | null) => string | null | Malformed;
  readonly remove: (concealed: Concealed, request: HttpRequest) => void;
  readonly carry: (request: ClientRequest, appKey: string) => ClientRequest;
  /** Everything it holds in a request as a caller sent it. */
  readonly sentValues: (request: ClientRequest) => readonly string[];
}

/** Not a possible App Key, so that no credential has it. */
const UNDECODABLE = '%';
const TWICE = malformed('the App Key appears twice in its carrier');

function queryPlace(name: string): Place {
  return {
    header: null,
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
  };
}

function headerPlace(header: string): Place {
  const name = header.toLowerCase();
  return {
    header: name,
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
  };
}

/** A header that carries the App Key only after a scheme word: of another scheme, it is absent (RFC 9110 §11.4). */
function schemePlace(header: string, scheme: string): Place {
  const whole = headerPlace(header);
  const name = header.toLowerCase();
  const word = scheme.toLowerCase();
  return {
    header: name,
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
  };
}

/** Where a carrier of each kind is in a request, by its name and scheme word. */
const places: Readonly<Record<CarrierKind, (name: string, scheme: string | null) => Place>> = {
  query: queryPlace,
  header: (name, scheme) => (scheme === null ? headerPlace(name) : schemePlace(name, scheme)),
};

function placeOf(carrier: KeyCarrier): Place {
  const { kind, name, scheme } = partsOf(carrier);
  return places[kind](name, scheme);
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

/** The headers that carriers are in, lower case. */
export function carrierHeaders(carriers: readonly KeyCarrier[]): readonly string[] {
  return carriers.flatMap((carrier) => placeOf(carrier).header ?? []);
}

/** Everything that a carrier holds in a request as a caller sent it. */
export function sentKeys(request: ClientRequest, carrier: KeyCarrier): readonly string[] {
  return placeOf(carrier).sentValues(request);
}

/** The places of each endpoint's carriers. */
const placesOf = madeOnce((carriers: readonly KeyCarrier[]) => carriers.map(placeOf));
