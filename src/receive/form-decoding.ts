import { isUtf8 } from 'node:buffer';

const PLUS = 0x2b;
const PERCENT = 0x25;
const SPACE = 0x20;

/**
 * Decodes one name or value of `application/x-www-form-urlencoded` text, given one character a byte: `+` is a space,
 * `%XX` a byte of UTF-8. Null when a `%` lacks its two digits or the bytes are not UTF-8: such a text equals nothing.
 */
export function decodeFormText(text: string): string | null {
  if (!needsDecoding(text)) return text;
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let byte = text.charCodeAt(at);
    if (byte === PLUS) {
      byte = SPACE;
    } else if (byte === PERCENT) {
      const high = hexDigit(text.charCodeAt(at + 1));
      const low = hexDigit(text.charCodeAt(at + 2));
      if (high === -1 || low === -1) return null;
      byte = high * 16 + low;
      at += 2;
    }
    bytes[length] = byte;
    length += 1;
  }
  const decoded = bytes.subarray(0, length);
  return isUtf8(decoded) ? decoded.toString('utf8') : null;
}

/** Plain ASCII without `%` and `+` stands for itself. */
function needsDecoding(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === PERCENT || code === PLUS || code > 0x7e) return true;
  }
  return false;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
