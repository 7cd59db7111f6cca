import { isUtf8 } from 'node:buffer';
import { formDecodeInto } from '../signature/form-decoding.ts';

const PLUS = 0x2b;
const PERCENT = 0x25;
const LAST_VISIBLE = 0x7e;

/**
 * Decodes one name or value of `application/x-www-form-urlencoded` text, given one character a byte: `+` is a space,
 * `%XX` a byte of UTF-8. Null when a `%` lacks its two digits or the bytes are not UTF-8: such a text equals nothing.
 */
export function decodeFormText(text: string): string | null {
  if (!needsDecoding(text)) return text;
  const bytes = Buffer.from(text, 'latin1');
  const length = formDecodeInto(bytes, 0, bytes, 0, bytes.length);
  if (length === -1) return null;
  const decoded = bytes.subarray(0, length);
  return isUtf8(decoded) ? decoded.toString('utf8') : null;
}

/** Plain ASCII without `%` and `+` stands for itself. */
function needsDecoding(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === PERCENT || code === PLUS || code > LAST_VISIBLE) return true;
  }
  return false;
}
