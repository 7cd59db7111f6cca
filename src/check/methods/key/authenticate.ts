import type { KeyOptions } from '../../../model/endpoint.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { type Authenticated, type AuthenticationPorts, vouchFor } from '../authenticated.ts';
import { findCredentialFault, refuseCaller } from '../caller.ts';
import { concealKey, findAppKey } from './carriers.ts';
import { findSchemeWord } from './scheme-word.ts';

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
  if (appKey === null) return refuse('CREDENTIALS_MISSING', describeMissing(request));
  if (typeof appKey !== 'string') return refuse('CREDENTIALS_MALFORMED', appKey.malformed);
  if (appKey === '') return refuse('CREDENTIALS_MALFORMED', 'the App Key is empty');
  return whenReady(routed.catalog.credentials.findByAppKey(appKey), (held) => {
    const fault = findCredentialFault(held, 'key', clock.nowSeconds());
    if (fault !== null) return refuseCaller(routed, withSchemeWord(fault, appKey), held);
    return vouchFor(routed, held, concealKey(routed, options));
  });
}

const TAKEN_BY = 'which "keyNames" takes as';

/** For the log, where the key may be in a header that the endpoint does not look at. */
function describeMissing({ headers }: HttpRequest): string {
  const missing = 'the request carries no App Key';
  const word = findSchemeWord(headers.find('authorization') ?? '');
  if (word === null) return missing;
  return `${missing}; it has an Authorization with the scheme word ${word}, ${TAKEN_BY} { header: Authorization, scheme: ${word} }`;
}

/** For the log, why nobody has this App Key, where a scheme word stands before it. */
function withSchemeWord(fault: Refusal, appKey: string): Refusal {
  const word = findSchemeWord(appKey);
  if (word === null) return fault;
  return {
    ...fault,
    detail: `${fault.detail}: the scheme word ${word} is before it, ${TAKEN_BY} { header: …, scheme: ${word} }`,
  };
}
