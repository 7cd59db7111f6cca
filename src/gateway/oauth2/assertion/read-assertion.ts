import { type CompactJws, findHeaderFault, isTime, readCompactJws } from '../../../check/jose/compact-jws.ts';
import type { SignedText } from '../../../check/jose/signature.ts';
import type { JsonObject } from '../../../model/document/json.ts';
import { type AssertionAlgorithm, assertionAlgorithms } from './algorithms.ts';

/** What `client_assertion_type` must be (RFC 7523 §2.2). */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Bytes of an assertion at most. */
export const MAX_ASSERTION_BYTES = 4096;
/** Bytes of a `jti` at most. */
export const MAX_ASSERTION_ID_BYTES = 256;

/** What an assertion claims, each claim in its form. Times are seconds since the epoch, with fractions. */
export interface AssertionClaims {
  /** `aud`, also when it stood alone in an array. */
  readonly audience: string;
  readonly expiresAt: number;
  readonly issuedAt: number | null;
  readonly notBefore: number | null;
  /** `jti` */
  readonly assertionId: string;
}

/** An assertion in its form. Nothing of it is verified. */
export interface Assertion extends SignedText {
  readonly claims: AssertionClaims;
}

/** Why an assertion is not in its form, for the log. It repeats nothing of it. */
export interface AssertionFault {
  readonly fault: string;
}

/** A JWT that names its client, as `iss` and `sub`. */
export interface NamedAssertion {
  readonly clientId: string;
  readonly assertion: Assertion | AssertionFault;
}

/** `typ`, when there is one (RFC 7523, and draft-ietf-oauth-rfc7523bis). */
const TYPES: readonly unknown[] = [undefined, 'JWT', 'client-authentication+jwt'];

/**
 * Reads a client assertion (RFC 7523 §3, spec §3.4): a JWS in compact form (RFC 7515 §7.1) in its one spelling, whose
 * header and claims name nothing twice. Other header parameters, such as `kid`, and other claims are ignored: the key
 * is that of the client, and the sender chooses none (RFC 8725 §3.1).
 *
 * Without a client it is a fault by itself; of a known client, what is wrong with the rest.
 */
export function readAssertion(text: string): NamedAssertion | AssertionFault {
  const jws = readCompactJws(text, MAX_ASSERTION_BYTES);
  if ('fault' in jws) return fault(jws.fault);
  const { iss: clientId, sub } = jws.payload;
  if (typeof clientId !== 'string' || clientId !== sub) return fault('has no iss and sub that are the same text');
  return { clientId, assertion: readRest(jws) };
}

function readRest({ header, payload, signed, signature }: CompactJws): Assertion | AssertionFault {
  const algorithm = readHeader(header);
  if (typeof algorithm !== 'string') return algorithm;
  const claims = readClaims(payload);
  if ('fault' in claims) return claims;
  return { algorithm, signed, signature, claims };
}

function readHeader(header: JsonObject): AssertionAlgorithm | AssertionFault {
  const refused = findHeaderFault(header);
  if (refused !== null) return fault(refused.fault);
  if (!TYPES.includes(header['typ'])) return fault('has a typ other than JWT and client-authentication+jwt');
  const { alg } = header;
  const algorithm = assertionAlgorithms.find((each) => each === alg);
  return algorithm ?? fault(`has an alg other than ${assertionAlgorithms.join(', ')}`);
}

function readClaims({ aud, exp, iat, nbf, jti }: JsonObject): AssertionClaims | AssertionFault {
  const [audience, ...more] = (Array.isArray(aud) ? aud : [aud]) as readonly unknown[];
  if (typeof audience !== 'string' || more.length > 0) return fault('has no aud, or an array of others than one text');
  if (!isTime(exp)) return fault('has no exp that is a number');
  if (iat !== undefined && !isTime(iat)) return fault('has an iat that is no number');
  if (nbf !== undefined && !isTime(nbf)) return fault('has an nbf that is no number');
  const idBytes = typeof jti === 'string' ? Buffer.byteLength(jti) : 0;
  if (typeof jti !== 'string' || idBytes === 0 || idBytes > MAX_ASSERTION_ID_BYTES) {
    return fault(`has no jti of 1 to ${String(MAX_ASSERTION_ID_BYTES)} bytes`);
  }
  return { audience, expiresAt: exp, issuedAt: iat ?? null, notBefore: nbf ?? null, assertionId: jti };
}

function fault(what: string): AssertionFault {
  return { fault: `the assertion ${what}` };
}
