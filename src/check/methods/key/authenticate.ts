import type { KeyOptions } from '../../../model/endpoint.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { type Authenticated, type AuthenticationPorts, vouchFor } from '../authenticated.ts';
import { findCredentialFault, refuseCaller } from '../caller.ts';
import { concealKey, findAppKey } from './carriers.ts';

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
  if (typeof appKey !== 'string') return refuse('CREDENTIALS_MALFORMED', 'the App Key appears twice in its carrier');
  if (appKey === '') return refuse('CREDENTIALS_MALFORMED', 'the App Key is empty');
  return whenReady(routed.catalog.credentials.findByAppKey(appKey), (held) => {
    const fault = findCredentialFault(held, 'key', clock.nowSeconds());
    if (fault !== null) return refuseCaller(routed, fault, held);
    return vouchFor(routed, held, concealKey(routed, options));
  });
}
