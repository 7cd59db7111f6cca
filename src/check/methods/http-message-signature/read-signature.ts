import { type Pending, whenReady } from '../../../base/pending.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { checkTarget, type SignableRequest } from '../../signing/signable-request.ts';
import type { CredentialSource } from '../../store/credential-source.ts';
import { findCandidates, type KeyedSignature, knownAmong } from './choose-signature.ts';
import { ComponentValues } from './component-values.ts';
import { type HttpSignatureCredentials, readCredentials, type ReadingOptions } from './credentials.ts';
import { readSignatures } from './message-signature.ts';

/** The largest body that an endpoint of this method takes, inclusive (spec §3.5). */
export const MAX_SIGNED_BODY_BYTES = 10_485_760;

/**
 * Reads the signature of a request that is its caller's, in the order of spec §3: `BODY_TOO_LARGE`, then
 * `MALFORMED_REQUEST`, then `CREDENTIALS_MISSING` and `CREDENTIALS_MALFORMED`. App Keys are looked up only where
 * several signatures may be the caller's.
 */
export function readSignature(
  { received: { request }, catalog }: Routed,
  options: HttpSignatureOptions,
): Pending<HttpSignatureCredentials | Refusal> {
  const candidates = readCandidates(request, options);
  return isRefusal(candidates) ? candidates : readChosen(request, candidates, catalog.credentials, options);
}

/**
 * Reads the one of some candidates whose App Key is known, or another one. Nothing of what callers without a right
 * signature learn depends on which App Keys are known: what one of several lacks is no reason to refuse.
 */
export function readChosen(
  request: SignableRequest,
  candidates: readonly KeyedSignature[],
  credentials: Pick<CredentialSource, 'findByAppKey'>,
  options: ReadingOptions,
): Pending<HttpSignatureCredentials | Refusal> {
  const values = new ComponentValues(request, options.scheme);
  const read = candidates.map((candidate) => readCredentials(request, candidate, options, values));
  const whole = read.filter((each): each is HttpSignatureCredentials => !isRefusal(each));
  const [first] = whole;
  if (first === undefined) return read[0] ?? refuse('CREDENTIALS_MISSING', 'no signature may be that of the caller');
  if (candidates.length === 1) return first;
  return whenReady(knownAmong(candidates, credentials), (known) => ({
    ...(whole.find(({ label }) => known.has(label)) ?? first),
    isAlone: whole.length === 1,
    hasRival: known.size > 1,
  }));
}

/** The signatures of a request that may be its caller's; at least one. */
export function readCandidates(
  request: SignableRequest,
  options: Pick<HttpSignatureOptions, 'tag'>,
): readonly KeyedSignature[] | Refusal {
  if (request.body.length > MAX_SIGNED_BODY_BYTES) {
    return refuse('BODY_TOO_LARGE', `the body has more than ${String(MAX_SIGNED_BODY_BYTES)} bytes`);
  }
  const badTarget = checkTarget(request);
  if (badTarget !== null) return badTarget;
  const signatures = readSignatures(request.headers);
  return isRefusal(signatures) ? signatures : findCandidates(signatures, options);
}
