import { utf8 } from './bytes.ts';

const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/**
 * Writes parameters as a query (without `?`) or as the body of a form, in their order: everything but
 * `A–Z a–z 0–9 - . _ ~` becomes `%XX` of its UTF-8 bytes.
 */
export function encodeParameters(
  parameters: Iterable<readonly [name: string, value: string]> | Readonly<Record<string, string>>,
): string {
  const pairs = Symbol.iterator in parameters ? [...parameters] : Object.entries(parameters);
  return pairs.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
}

/** One name or value, percent-encoded (RFC 3986 §2). */
export function percentEncode(text: string): string {
  return Array.from(utf8(text), (byte) => {
    const character = String.fromCharCode(byte);
    return UNRESERVED.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
