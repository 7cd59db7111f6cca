import { decodeCanonicalBase64url } from '../../base/text/encodings.ts';
import { parseUniqueJson } from '../../base/text/unique-json.ts';
import { isJsonObject, type JsonObject } from '../../model/document/json.ts';

/** A JWS whose payload is a JSON object. Nothing of it is verified. */
export interface CompactJws {
  readonly header: JsonObject;
  readonly payload: JsonObject;
  /** What was signed. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** Why a text is none, in words that follow what it should be. They repeat nothing of it. */
export interface JwsFault {
  readonly fault: string;
}

/** The header parameters that would give the payload another meaning: none is known here (RFC 7515 §4.1.11). */
const REFUSED_PARAMETERS = ['crit', 'b64', 'zip', 'enc', 'cty'];

/**
 * Reads a JWS in compact form (RFC 7515 §7.1) in its one spelling: canonical base64url, and a header and claims that
 * name nothing twice at any depth. Header parameters that bring a key of the sender's choice, such as `jwk` and `jku`,
 * are looked at by nobody (RFC 8725 §3.1).
 */
export function readCompactJws(text: string, maxBytes: number): CompactJws | JwsFault {
  if (text.length > maxBytes) return { fault: `has more than ${String(maxBytes)} bytes` };
  const segments = text.split('.', 4);
  const [first = null, second = null, signature = null] = segments.map(decodeCanonicalBase64url);
  if (segments.length !== 3 || first === null || second === null || signature === null) {
    return { fault: 'is not three segments of base64url' };
  }
  const [header, payload] = [parseUniqueJson(first), parseUniqueJson(second)];
  if (!isJsonObject(header) || !isJsonObject(payload)) {
    return { fault: 'has a header or claims that are no JSON object, or that name something twice' };
  }
  return { header, payload, signed: Buffer.from(text.slice(0, text.lastIndexOf('.')), 'latin1'), signature };
}

/** What in a header would give the payload another meaning; null for nothing. */
export function findHeaderFault(header: JsonObject): JwsFault | null {
  const refused = REFUSED_PARAMETERS.find((name) => Object.hasOwn(header, name));
  return refused === undefined ? null : { fault: `has ${refused} in its header` };
}

/** Whether a value of JSON is a time: a finite number of seconds since the epoch (RFC 7519 §2). */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
