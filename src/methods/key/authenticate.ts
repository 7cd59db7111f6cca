import type { KeyCarrier, KeyOptions } from '../../model/endpoint.ts';
import { type Pending, whenReady } from '../../pending.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { decodeFormText } from '../../signing/form-decoding.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { findCredentialFault, refuseCaller } from '../caller.ts';
import { findParameter, removeParameters, type Repeated } from '../query-parameters.ts';

/** Not a possible App Key, so that no credential has it. */
const UNDECODABLE = '%';

/**
 * Authenticates by an App Key that the caller sends as it is (spec §3.1). Of the carriers, in their configured order,
 * the first that is present decides.
 */
export function authenticateByKey(
  routed: Routed,
  options: KeyOptions,
  { clock }: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { request, target } = routed.received;
  const appKey = findAppKey(request, target.query, options.keyNames);
  if (appKey === null) return refuse('CREDENTIALS_MISSING', 'the request carries no App Key');
  if (typeof appKey !== 'string') return refuse('CREDENTIALS_MALFORMED', 'the App Key stands twice in its carrier');
  if (appKey === '') return refuse('CREDENTIALS_MALFORMED', 'the App Key is empty');
  return whenReady(routed.snapshot.credentials.findByAppKey(appKey), (held) => {
    const fault = findCredentialFault(held, 'key', clock.nowSeconds());
    if (fault !== null) return refuseCaller(routed, refuse('AUTHENTICATION_FAILED', fault), held);
    return vouchFor(routed, held, concealKey(routed, options));
  });
}

/** Takes every carrier of the App Key out of the request, also valueless ones; all other bytes of the query stay (spec §3.1). */
export function concealKey({ received }: Routed, { hideCredentials, keyNames }: KeyOptions): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  const { path, query } = received.target;
  const parameters: string[] = [];
  const headersToRemove: string[] = [];
  for (const carrier of keyNames) {
    if ('query' in carrier) parameters.push(carrier.query);
    else if (received.request.findHeader(carrier.header.toLowerCase()) !== null) {
      headersToRemove.push(carrier.header.toLowerCase());
    }
  }
  const kept = query === null ? null : removeParameters(query, parameters);
  if (kept === query) return { path: null, headersToRemove, body: null };
  return { path: kept === null || kept === '' ? path : `${path}?${kept}`, headersToRemove, body: null };
}

/** The App Key of the first carrier that is present; null when none is. */
function findAppKey(
  request: HttpRequest,
  query: string | null,
  carriers: readonly KeyCarrier[],
): string | null | Repeated {
  for (const carrier of carriers) {
    const found = 'query' in carrier ? findInQuery(query, carrier.query) : findInHeader(request, carrier.header);
    if (found !== null) return found;
  }
  return null;
}

function findInQuery(query: string | null, name: string): string | null | Repeated {
  const found = query === null ? null : findParameter(query, name);
  return typeof found === 'string' ? (decodeFormText(found) ?? UNDECODABLE) : found;
}

function findInHeader(request: HttpRequest, name: string): string | null | Repeated {
  return request.findSingleHeader(name.toLowerCase());
}
