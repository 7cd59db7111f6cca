import { type Secret } from '../../../src/model/secret.ts';
import { isRefusal, type Refusal } from '../../../src/check/refusal.ts';
import { checkDigest } from '../../../src/check/methods/hmac/digest.ts';
import { parseHmac, verifyHmac } from '../../../src/check/methods/hmac/signature.ts';
import { parseParameterRequest } from '../../../src/check/methods/parameter-signature/request.ts';
import {
  parseParameterCredentials,
  verifyParameterSignature,
} from '../../../src/check/methods/parameter-signature/signature.ts';
import { runAtOnce } from '../../../src/base/text/work.ts';
import { checkTime } from '../../../src/check/signing/signed-time.ts';
import { type CheckOptions, type Outcome, type SignedMessage, toSignable } from './signed-message.ts';

/** The App Keys that are known, each with the secrets that are right. */
export type KnownKeys = ReadonlyMap<string, readonly Secret[]>;

/** Checks an hmac request in the order of spec §3; null when it is accepted. */
export function checkHmacMessage(
  message: SignedMessage,
  options: CheckOptions,
  keys: KnownKeys,
  nowSeconds: number,
): Refusal | null {
  const credentials = parseHmac(toSignable(message), options);
  if (isRefusal(credentials)) return credentials;
  const verified = verifyHmac(credentials, keys.get(credentials.appKey) ?? []);
  if (isRefusal(verified)) return verified;
  return (
    checkTime(credentials.signedAtSeconds, nowSeconds, options.clockSkewSeconds) ??
    (credentials.digest === null ? null : runAtOnce(checkDigest(credentials.digest, message.body)))
  );
}

/**
 * Checks a parameter signature in the order of spec §3; `data` is what would go to the back end in place of the body.
 */
export function checkParameterMessage(
  message: SignedMessage,
  options: CheckOptions,
  keys: KnownKeys,
  nowSeconds: number,
): { readonly refusal: Refusal | null; readonly data: Buffer | null } {
  const request = parseParameterRequest(toSignable(message), options);
  if (isRefusal(request)) return { refusal: request, data: null };
  const { data } = request;
  const credentials = parseParameterCredentials(request, options);
  if (isRefusal(credentials)) return { refusal: credentials, data };
  const verified = runAtOnce(verifyParameterSignature(credentials, keys.get(credentials.appKey) ?? []));
  if (isRefusal(verified)) return { refusal: verified, data };
  const { signedAtSeconds } = credentials;
  return {
    refusal: signedAtSeconds === null ? null : checkTime(signedAtSeconds, nowSeconds, options.clockSkewSeconds),
    data,
  };
}

export function hmacOutcome(...check: Parameters<typeof checkHmacMessage>): Outcome {
  return { outcome: checkHmacMessage(...check)?.refused ?? 'ACCEPTED', data: null };
}

export function parameterOutcome(...check: Parameters<typeof checkParameterMessage>): Outcome {
  const { refusal, data } = checkParameterMessage(...check);
  return { outcome: refusal?.refused ?? 'ACCEPTED', data };
}
