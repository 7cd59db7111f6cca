import { decodeCanonicalBase64url } from '../../../base/text/encodings.ts';
import { parseUniqueJson } from '../../../base/text/unique-json.ts';
import { isJsonObject, type JsonObject } from '../../../model/document/json.ts';
import { type AssertionAlgorithm, assertionAlgorithms, type SignedText } from './algorithms.ts';

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

/** The header parameters that would give the payload another meaning: none is known here (RFC 7515 §4.1.11). */
const REFUSED_PARAMETERS = ['crit', 'b64', 'zip', 'enc', 'cty'];
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
  if (text.length > MAX_ASSERTION_BYTES) return fault(`has more than ${String(MAX_ASSERTION_BYTES)} bytes`);
  const segments = text.split('.');
  const [first = null, second = null, signature = null] = segments.map(decodeCanonicalBase64url);
  if (segments.length !== 3 || first === null || second === null || signature === null) {
    return fault('is not three segments of base64url');
  }
  const [header, payload] = [parseUniqueJson(first), parseUniqueJson(second)];
  if (!isJsonObject(header) || !isJsonObject(payload)) {
    return fault('has a header or claims that are no JSON object, or that name something twice');
  }
  const { iss: clientId, sub } = payload;
  if (typeof clientId !== 'string' || clientId !== sub) return fault('has no iss and sub that are the same text');
  return { clientId, assertion: readRest(header, payload, text.slice(0, text.lastIndexOf('.')), signature) };
}

function readRest(
  header: JsonObject,
  payload: JsonObject,
  signed: string,
  signature: Buffer,
): Assertion | AssertionFault {
  const algorithm = readHeader(header);
  if (typeof algorithm !== 'string') return algorithm;
  const claims = readClaims(payload);
  if ('fault' in claims) return claims;
  return { algorithm, signed: Buffer.from(signed, 'latin1'), signature, claims };
}

function readHeader(header: JsonObject): AssertionAlgorithm | AssertionFault {
  const refused = REFUSED_PARAMETERS.find((name) => Object.hasOwn(header, name));
  if (refused !== undefined) return fault(`has ${refused} in its header`);
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

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function fault(what: string): AssertionFault {
  return { fault: `the assertion ${what}` };
}
