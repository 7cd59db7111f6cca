import { isUtf8 } from 'node:buffer';

import { refuse, type Refusal } from '../refusal.ts';
import { formDecodeInPieces, isPlain } from './form-decoding.ts';
import { PIECE_BYTES, runAtOnce, type Work } from './work.ts';

/** How many parameters a query or form may have, `sign` counted (interface document, Limits; spec §3.3). */
export const MAX_PARAMETERS = 100;

const AMPERSAND = 0x26;
const EQUALS = 0x3d;

/**
 * Where a parameter stands in a text: the name from `start` to `nameEnd`; when that is before `end`, a `=` stands
 * there and the value follows it, otherwise there is neither.
 */
export interface Span {
  readonly start: number;
  readonly nameEnd: number;
  readonly end: number;
}

/** A text of parameters and where each one stands in it, in the order on the wire. */
export interface ParameterText {
  readonly bytes: Buffer;
  readonly spans: readonly Span[];
}

/** The parameters of a query or form, as received and form-decoded; both lists have the same order. */
export interface Parameters {
  readonly raw: ParameterText;
  /** The same object as `raw` when nothing is encoded. */
  readonly decoded: ParameterText;
}

/**
 * Splits a query (without its `?`) or a form body at `&` and `=` and decodes names and values (spec §3.3). Empty
 * segments are no parameters; `=v` has the empty name; nothing is trimmed, a leading U+FEFF is data.
 *
 * Refuses bad percent-encoding and decoded text that is not UTF-8 (`MALFORMED_REQUEST`), then more than
 * {@link MAX_PARAMETERS} (`TOO_MANY_PARAMETERS`). The time is linear in the size of the text, and no more than that
 * many parameters are ever kept.
 */
export function parseParameters(bytes: Buffer): Parameters | Refusal {
  return runAtOnce(parsingParameters(bytes));
}

/** {@link parseParameters} in turns with other work: decoding a large form takes long. */
export function* parsingParameters(bytes: Buffer): Work<Parameters | Refusal> {
  const { spans, rest } = split(bytes);
  const raw = { bytes, spans };
  const decoded = isPlain(bytes) ? raw : yield* decode(raw, rest);
  if (decoded === null)
    return refuse('MALFORMED_REQUEST', 'a "%" in the parameters is not followed by two hexadecimal digits');
  if (!isUtf8(decoded.bytes)) return refuse('MALFORMED_REQUEST', 'the parameters are not UTF-8');
  if (rest < bytes.length) {
    return refuse('TOO_MANY_PARAMETERS', `there are more than ${String(MAX_PARAMETERS)} parameters`);
  }
  return { raw, decoded };
}

/** Finds the first parameters; `rest` is where one too many begins, or the end of the text. */
function split(bytes: Buffer): { readonly spans: readonly Span[]; readonly rest: number } {
  const spans: Span[] = [];
  let nextEquals = -1;
  let start = 0;
  for (;;) {
    while (start < bytes.length && bytes[start] === AMPERSAND) start += 1;
    if (start === bytes.length || spans.length === MAX_PARAMETERS) return { spans, rest: start };
    const end = indexOrEnd(bytes, AMPERSAND, start);
    // Kept from one parameter to the next, so that a text without "=" is not searched again for each.
    if (nextEquals < start) nextEquals = indexOrEnd(bytes, EQUALS, start);
    spans.push({ start, nameEnd: Math.min(nextEquals, end), end });
    start = end;
  }
}

function indexOrEnd(bytes: Buffer, byte: number, start: number): number {
  const index = bytes.indexOf(byte, start);
  return index === -1 ? bytes.length : index;
}

/**
 * Decodes each name and value, keeping a `=` and a `&` between them, which also keeps characters from growing
 * together; and then the rest, only to know whether it is well formed. Null when it is not.
 */
function* decode(raw: ParameterText, rest: number): Work<ParameterText | null> {
  const { bytes } = raw;
  const out = Buffer.allocUnsafe(bytes.length + 1);
  const spans: Span[] = [];
  let at = 0;
  let sinceTurnBytes = 0;
  for (const span of raw.spans) {
    sinceTurnBytes += span.end - span.start;
    if (sinceTurnBytes > PIECE_BYTES) {
      yield;
      sinceTurnBytes = span.end - span.start;
    }
    const start = at;
    at = yield* formDecodeInPieces(out, at, bytes, span.start, span.nameEnd);
    if (at === -1) return null;
    const nameEnd = at;
    if (span.nameEnd < span.end) {
      out[at] = EQUALS;
      at = yield* formDecodeInPieces(out, at + 1, bytes, span.nameEnd + 1, span.end);
      if (at === -1) return null;
    }
    spans.push({ start, nameEnd, end: at });
    out[at] = AMPERSAND;
    at += 1;
  }
  at = yield* formDecodeInPieces(out, at, bytes, rest, bytes.length);
  return at === -1 ? null : { bytes: out.subarray(0, at), spans };
}
