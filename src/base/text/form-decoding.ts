import { isUtf8 } from 'node:buffer';
import { hexValue } from './encodings.ts';
import { PIECE_BYTES, type Work } from './work.ts';

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const LAST_VISIBLE = 0x7e;

/** Whether form decoding changes nothing: no `%` and no `+`. */
export function isPlain(bytes: Buffer): boolean {
  return !bytes.includes(PERCENT) && !bytes.includes(PLUS);
}

/**
 * Form-decodes the bytes from `start` to `end` (`%XX` is a byte, `+` a blank, all else itself) into `out` at `at`.
 * Gives the index in `out` after what was written, or -1 when a `%` is not followed by two hexadecimal digits.
 * Whether the result is UTF-8 is for the caller to check.
 */
export function formDecodeInto(out: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  let to = at;
  let from = start;
  while (from < end) {
    let byte = bytes[from] ?? 0;
    from += 1;
    if (byte === PLUS) {
      byte = SPACE;
    } else if (byte === PERCENT) {
      if (from + 2 > end) return -1;
      byte = (hexValue(bytes[from] ?? 0) << 4) | hexValue(bytes[from + 1] ?? 0);
      if (byte < 0) return -1;
      from += 2;
    }
    out[to] = byte;
    to += 1;
  }
  return to;
}

/** The same for text of any length, in pieces. */
export function* formDecodeInPieces(out: Buffer, at: number, bytes: Buffer, start: number, end: number): Work<number> {
  let to = at;
  let from = start;
  while (end - from > PIECE_BYTES) {
    const next = beforePercent(bytes, from + PIECE_BYTES);
    to = formDecodeInto(out, to, bytes, from, next);
    if (to === -1) return -1;
    from = next;
    yield;
  }
  return formDecodeInto(out, to, bytes, from, end);
}

/** The nearest index at or before `at` that does not part a `%` from the two digits after it. */
function beforePercent(bytes: Buffer, at: number): number {
  if (bytes[at - 1] === PERCENT) return at - 1;
  return bytes[at - 2] === PERCENT ? at - 2 : at;
}

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
