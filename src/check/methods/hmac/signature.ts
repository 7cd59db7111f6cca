import type { HmacOptions } from '../../../model/endpoint.ts';
import { type HmacAlgorithm, hmacAlgorithms } from '../../../model/options/hmac-algorithms.ts';
import type { Secret } from '../../../model/secret.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { equal } from '../../../base/text/equal.ts';
import { checkTarget, type SignableRequest } from '../../signing/signable-request.ts';
import { parseImfFixdate } from '../../signing/signed-time.ts';
import type { SignerCredentials } from '../authenticate-signer.ts';
import type { VerifiedSignature } from '../caller.ts';
import { macOf } from './algorithms.ts';
import { type HmacAuthorization, parseHmacAuthorization } from './authorization.ts';
import { maxSignedNames } from './signed-headers.ts';
import { hmacTexts, signableVersions } from './string-to-sign.ts';

/** The largest body that an hmac endpoint takes, inclusive (spec §3.2). */
export const MAX_HMAC_BODY_BYTES = 10_485_760;

/** An hmac request that is well formed: everything that can be said before its App Key is looked up. */
export interface HmacCredentials extends SignerCredentials {
  readonly algorithm: HmacAlgorithm;
  /** The bytes of the signature. */
  readonly mac: Buffer;
  /** The strings to sign that are accepted, one character a byte, the one with `HTTP/1.1` first. */
  readonly texts: readonly string[];
  /** The signed `Date`. */
  readonly signedAtSeconds: number;
  /** The `Digest` header as latin1 text; null when there is none, which only an empty body may do. */
  readonly digest: string | null;
}

/**
 * Reads the credentials of a request to an hmac endpoint (spec §3.2), in the order of spec §3: `BODY_TOO_LARGE`, then
 * `MALFORMED_REQUEST`, then `CREDENTIALS_MISSING` and `CREDENTIALS_MALFORMED`. Nothing secret is needed for it.
 */
export function parseHmac(
  request: SignableRequest,
  options: Pick<HmacOptions, 'algorithms' | 'acceptRealHttpVersion'>,
): HmacCredentials | Refusal {
  if (request.body.length > MAX_HMAC_BODY_BYTES) {
    return refuse('BODY_TOO_LARGE', `the body has more than ${String(MAX_HMAC_BODY_BYTES)} bytes`);
  }
  const badTarget = checkTarget(request);
  if (badTarget !== null) return badTarget;
  const authorization = readAuthorization(request);
  if (isRefusal(authorization)) return authorization;
  const versions = signableVersions(request.protocol, options.acceptRealHttpVersion);
  const texts = hmacTexts(request, authorization.signedHeaders, versions);
  if (isRefusal(texts)) return texts;

  const algorithm = options.algorithms.find((allowed) => allowed === authorization.algorithm);
  if (algorithm === undefined) return malformed(describeAlgorithm(authorization.algorithm));
  const signedAtSeconds = readDate(request);
  if (typeof signedAtSeconds !== 'number') return signedAtSeconds;
  const digests = request.headers.valuesOf('digest');
  const badBody = checkBodyIsSigned(request, digests.length, authorization.signedHeaders);
  if (badBody !== null) return badBody;
  return {
    appKey: authorization.appKey,
    algorithm,
    mac: authorization.mac,
    texts,
    signedAtSeconds,
    digest: digests[0] ?? null,
  };
}

/**
 * Checks the signature, in constant time, with each secret in turn: the current one first, then a retiring one.
 * For an unknown App Key callers give a dummy secret, so that the work is the same.
 * Refuses with `AUTHENTICATION_FAILED`; a signature of a wrong length is one.
 */
export function verifyHmac(credentials: HmacCredentials, secrets: readonly Secret[]): VerifiedSignature | Refusal {
  for (const [keyIndex, secret] of secrets.entries()) {
    for (const text of credentials.texts) {
      if (equal(macOf(credentials.algorithm, text, secret), credentials.mac)) return { keyIndex };
    }
  }
  return refuse('AUTHENTICATION_FAILED', 'the signature does not fit the request');
}

function readAuthorization(request: SignableRequest): HmacAuthorization | Refusal {
  const values = request.headers.valuesOf('authorization');
  const [value] = values;
  if (value === undefined) return refuse('CREDENTIALS_MISSING', 'the request has no Authorization header');
  if (values.length > 1) return malformed('the request has more than one Authorization header');
  return parseHmacAuthorization(value, maxSignedNames(request.headers.count));
}

function readDate(request: SignableRequest): number | Refusal {
  const values = request.headers.valuesOf('date');
  if (values.length !== 1) return malformed('the request does not have one Date header');
  const seconds = parseImfFixdate(values[0] ?? '');
  return seconds ?? malformed('the Date header is not an IMF-fixdate such as Thu, 22 Jun 2017 21:12:36 GMT');
}

/** A body needs one `Digest` header, and the signature must cover it. */
function checkBodyIsSigned(request: SignableRequest, count: number, signedHeaders: readonly string[]): Refusal | null {
  if (count > 1) return malformed('the request has more than one Digest header');
  if (request.body.length === 0) return null;
  if (count === 0) return malformed('the request has a body but no Digest header');
  if (!signedHeaders.includes('digest')) return malformed('the request has a body but its Digest is not signed');
  return null;
}

/** Only the names of algorithms are printed, never what else a caller may have sent. */
function describeAlgorithm(algorithm: string): string {
  const known = hmacAlgorithms.find((name) => name === algorithm);
  return known === undefined ? 'the algorithm is unknown' : `the algorithm ${known} is not allowed on this endpoint`;
}

function malformed(detail: string): Refusal {
  return refuse('CREDENTIALS_MALFORMED', detail);
}
