import type { KeyOptions } from '../../model/endpoint.ts';
import { type Pending, whenReady } from '../../pending.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { findCredentialFault, refuseCaller } from '../caller.ts';
import { findAppKey, removeCarriers } from './carriers.ts';

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
  return whenReady(routed.catalog.credentials.findByAppKey(appKey), (held) => {
    const fault = findCredentialFault(held, 'key', clock.nowSeconds());
    if (fault !== null) return refuseCaller(routed, fault, held);
    return vouchFor(routed, held, concealKey(routed, options));
  });
}

/** Takes every carrier of the App Key out of the request; all other bytes of the query stay (spec §3.1). */
export function concealKey({ received }: Routed, { hideCredentials, keyNames }: KeyOptions): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  const { path, query } = received.target;
  const { query: kept, headersToRemove } = removeCarriers(received.request, query, keyNames);
  if (kept === query) return { path: null, headersToRemove, body: null };
  return { path: kept === null || kept === '' ? path : `${path}?${kept}`, headersToRemove, body: null };
}
