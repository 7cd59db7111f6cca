/**
 * Bytes in memory of their own, as WebCrypto and `fetch` take them: `Uint8Array<ArrayBuffer>`, in words that compilers
 * before TypeScript 5.7 understand too.
 */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** No bytes. */
export const NO_BYTES: Bytes = new Uint8Array(0);

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** So many characters are made in one call; more would overflow the stack. */
const PIECE = 8192;

/** The UTF-8 of a text. */
export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes, a byte order mark included; null when they are not UTF-8. */
export function textOf(bytes: Bytes): string | null {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The text of bytes for people: what is not UTF-8 becomes U+FFFD. */
export function shownText(bytes: Bytes): string {
  return lenientDecoder.decode(bytes);
}

/** One character for each byte. Such texts sort by their bytes. */
export function binaryOf(bytes: Bytes): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}

/** The bytes of a text that has one character for each. */
export function bytesOfBinary(text: string): Bytes {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Padded standard base64. For the few bytes of a signature `btoa` takes ten times as long. */
export function base64(bytes: Bytes): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += BASE64.charAt(bits >> 18) + BASE64.charAt((bits >> 12) & 63);
    text += second === undefined ? '=' : BASE64.charAt((bits >> 6) & 63);
    text += third === undefined ? '=' : BASE64.charAt(bits & 63);
  }
  return text;
}

const HEX = '0123456789abcdef';

/** Lower-case hexadecimal digits, two for each byte. */
export function hex(bytes: Bytes): string {
  let text = '';
  for (const byte of bytes) text += HEX.charAt(byte >> 4) + HEX.charAt(byte & 15);
  return text;
}

/** One after the other. */
export function joinBytes(pieces: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
