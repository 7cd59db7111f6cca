const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Digits of base64 (RFC 4648 §4). */
const base64Values = digitValues(BASE64_DIGITS);

/**
 * Decodes padded standard base64 in its one canonical spelling (RFC 4648 §4, §3.5; spec §3.2): no white space, no
 * URL-safe letters, no missing padding, no spare bits. Null for every other spelling, so that one MAC has one text.
 * Node's own decoder takes every spelling, and comparing what it encodes again costs several times as much for a MAC.
 */
export function decodeCanonicalBase64(text: string): Buffer | null {
  const { length } = text;
  if (length % 4 !== 0) return null;
  const padding = !text.endsWith('=') ? 0 : text.endsWith('==') ? 2 : 1;
  const bytes = Buffer.allocUnsafe((length / 4) * 3 - padding);
  const whole = padding === 0 ? length : length - 4;
  let end = 0;
  for (let at = 0; at < whole; at += 4) {
    const bits = (twoDigits(text, at) << 12) | twoDigits(text, at + 2);
    if (bits < 0) return null;
    bytes[end] = bits >> 16;
    bytes[end + 1] = bits >> 8;
    bytes[end + 2] = bits;
    end += 3;
  }
  if (padding === 0) return bytes;
  // The last digit has bits to spare, which must be 0: two of them, or four.
  const bits = (twoDigits(text, whole) << 6) | (padding === 2 ? 0 : digit(text, whole + 2));
  if (bits < 0 || (bits & (padding === 2 ? 0x3ff : 0x3)) !== 0) return null;
  bytes[end] = bits >> 10;
  if (padding === 1) bytes[end + 1] = bits >> 2;
  return bytes;
}

/**
 * Decodes base64url without padding in its one canonical spelling (RFC 4648 §5, §3.5; RFC 7515 §2). Null for every
 * other spelling.
 */
export function decodeCanonicalBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

/** Negative when one of them is no digit. */
function twoDigits(text: string, at: number): number {
  return (digit(text, at) << 6) | digit(text, at + 1);
}

function digit(text: string, at: number): number {
  return base64Values[text.charCodeAt(at)] ?? -1;
}

/** Hexadecimal digits (RFC 4648 §8) in either case. */
const hexValues = digitValues('0123456789abcdef', '0123456789ABCDEF');

/** The value of a hexadecimal digit, given as a byte; -1 for any other byte, and for what is no byte. */
export function hexValue(byte: number): number {
  return hexValues[byte] ?? -1;
}

/** What each byte stands for as a digit: its place in one of these alphabets of ASCII; -1 for none. */
export function digitValues(...alphabets: readonly string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const digits of alphabets) {
    for (let value = 0; value < digits.length; value += 1) values[digits.charCodeAt(value)] = value;
  }
  return values;
}
