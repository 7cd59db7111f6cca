import type { JsonObject } from '../../../model/document/json.ts';
import { isJwtAlgorithm } from '../../../model/jwt-algorithms.ts';
import { findHeaderFault, isTime, readCompactJws } from '../../jose/compact-jws.ts';
import type { SignedText } from '../../jose/signature.ts';
import type { FaultyToken, JwtFault } from './token-faults.ts';

/** Bytes of a token at most. */
export const MAX_JWT_BYTES = 8192;
/** Bytes of a `jti` at most that is remembered. */
export const MAX_TOKEN_ID_BYTES = 256;

/** When a token works: seconds since the epoch, with fractions; null where it does not say. */
export interface TokenTimes {
  readonly expiresAt: number;
  readonly notBefore: number | null;
  readonly issuedAt: number | null;
}

/** A token in its form. Nothing of it is verified. */
export interface UnverifiedToken extends SignedText {
  /** `kid`, by which it names a key. */
  readonly keyId: string | null;
  /** `iss` */
  readonly issuer: string;
  /** `aud`, also when it is no list. */
  readonly audiences: readonly string[];
  readonly times: TokenTimes;
  /** `jti`; null for none that can be remembered. */
  readonly tokenId: string | null;
  readonly claims: JsonObject;
}

/**
 * Values of `typ`: none, or a JWT or an access token as RFC 7519 §5.1 and RFC 9068 §2.1 have them, in any case, as
 * media types are (RFC 7515 §4.1.9). One of another kind, such as a logout token, is no proof of who calls (RFC 8725
 * §3.11).
 */
const TYPES = ['jwt', 'at+jwt', 'application/at+jwt'];

/** Reads a token of an issuer (RFC 7519) by the rules of RFC 8725, up to what its claims say. */
export function readToken(text: string): UnverifiedToken | FaultyToken {
  if (text.length > MAX_JWT_BYTES) return { fault: 'tooLong' };
  const jws = readCompactJws(text, MAX_JWT_BYTES);
  if ('fault' in jws) return { fault: 'form' };
  const { header, payload, signed, signature } = jws;
  if (findHeaderFault(header) !== null) return { fault: 'header' };
  const { typ, kid, alg } = header;
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.includes(typ.toLowerCase()))) return { fault: 'type' };
  if (kid !== undefined && typeof kid !== 'string') return { fault: 'kid' };
  if (!isJwtAlgorithm(alg)) return { fault: 'algorithm' };
  const { iss: issuer, jti } = payload;
  if (typeof issuer !== 'string') return { fault: 'noIssuer' };
  const times = readTimes(payload);
  if (typeof times === 'string') return { fault: times };
  const audiences = readAudiences(payload['aud']);
  if (audiences === null) return { fault: 'audienceForm' };
  return {
    algorithm: alg,
    signed,
    signature,
    keyId: kid ?? null,
    issuer,
    audiences,
    times,
    tokenId: isTokenId(jti) ? jti : null,
    claims: payload,
  };
}

function readTimes({ exp, nbf, iat }: JsonObject): TokenTimes | JwtFault {
  if (!isTime(exp) || !isTimeOrNone(nbf) || !isTimeOrNone(iat)) return 'times';
  return { expiresAt: exp, notBefore: nbf ?? null, issuedAt: iat ?? null };
}

function isTimeOrNone(value: unknown): value is number | undefined {
  return value === undefined || isTime(value);
}

function readAudiences(aud: unknown): readonly string[] | null {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return audiences.every((each) => typeof each === 'string') ? audiences : null;
}

function isTokenId(jti: unknown): jti is string {
  if (typeof jti !== 'string' || jti === '') return false;
  return Buffer.byteLength(jti) <= MAX_TOKEN_ID_BYTES;
}
