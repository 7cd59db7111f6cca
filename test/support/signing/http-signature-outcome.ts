import { runAtOnce } from '../../../src/base/text/work.ts';
import { checkContentDigest } from '../../../src/check/methods/http-message-signature/content-digest.ts';
import { readCredentials } from '../../../src/check/methods/http-message-signature/credentials.ts';
import { readCandidates } from '../../../src/check/methods/http-message-signature/read-signature.ts';
import { checkSignatureTime } from '../../../src/check/methods/http-message-signature/signature-time.ts';
import { verifyHttpSignature } from '../../../src/check/methods/http-message-signature/verify.ts';
import { isRefusal, type Refusal } from '../../../src/check/refusal.ts';
import type { SignableRequest } from '../../../src/check/signing/signable-request.ts';
import type { HttpSignatureOptions } from '../../../src/model/endpoint.ts';
import type { PublicKey } from '../../../src/model/public-key/public-key.ts';

/**
 * What becomes of a request with one signature that may be its caller's, as the steps of a check would have it; null
 * when it is right.
 */
export function checkHttpSignature(
  request: SignableRequest,
  options: HttpSignatureOptions,
  keys: ReadonlyMap<string, readonly PublicKey[]>,
  nowSeconds: number,
): Refusal | null {
  const candidates = readCandidates(request, options);
  if (isRefusal(candidates)) return candidates;
  const [candidate] = candidates;
  if (candidate === undefined) throw new Error('there is no candidate, and no refusal');
  const credentials = readCredentials(request, candidate, options);
  if (isRefusal(credentials)) return credentials;
  const verified = verifyHttpSignature(credentials, keys.get(credentials.appKey) ?? []);
  if (isRefusal(verified)) return verified;
  const { signedAtSeconds: created, expires, digests } = credentials;
  const late = checkSignatureTime({ created, expires }, nowSeconds, options.clockSkewSeconds);
  if (late !== null || digests === null) return late;
  return runAtOnce(checkContentDigest(digests, request.body));
}
