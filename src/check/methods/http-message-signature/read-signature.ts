import { type Pending, whenReady } from '../../../base/pending.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { checkTarget, type SignableRequest } from '../../signing/signable-request.ts';
import { chooseKnown, findCandidates, type KeyedSignature } from './choose-signature.ts';
import { type HttpSignatureCredentials, readCredentials } from './credentials.ts';
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
  if (isRefusal(candidates)) return candidates;
  const [only, second] = candidates;
  if (only !== undefined && second === undefined) return readCredentials(request, only, options);
  return whenReady(chooseKnown(candidates, catalog.credentials), (known) => {
    if (known === null) return readUnknown(request, candidates, options);
    return isRefusal(known) ? known : readCredentials(request, known, options);
  });
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

/** One of several whose App Keys are all unknown, to be refused like a single one. */
function readUnknown(
  request: SignableRequest,
  candidates: readonly KeyedSignature[],
  options: HttpSignatureOptions,
): HttpSignatureCredentials | Refusal {
  for (const candidate of candidates) {
    const credentials = readCredentials(request, candidate, options);
    if (!isRefusal(credentials)) return credentials;
  }
  return refuse('AUTHENTICATION_FAILED', 'no signature has a known keyid');
}
