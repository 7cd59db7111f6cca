import { isUtf8 } from 'node:buffer';
import { isLatin1At } from '../../../base/text/latin1.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { formDecodeInPieces, formDecodeInto, isPlain } from '../../../base/text/form-decoding.ts';
import { PIECE_BYTES, runAtOnce, type Work } from '../../../base/text/work.ts';

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
    const isShort = sinceTurnBytes <= PIECE_BYTES;
    const start = at;
    at = isShort
      ? formDecodeInto(out, at, bytes, span.start, span.nameEnd)
      : yield* formDecodeInPieces(out, at, bytes, span.start, span.nameEnd);
    if (at === -1) return null;
    const nameEnd = at;
    if (span.nameEnd < span.end) {
      out[at] = EQUALS;
      at = isShort
        ? formDecodeInto(out, at + 1, bytes, span.nameEnd + 1, span.end)
        : yield* formDecodeInPieces(out, at + 1, bytes, span.nameEnd + 1, span.end);
      if (at === -1) return null;
    }
    spans.push({ start, nameEnd, end: at });
    out[at] = AMPERSAND;
    at += 1;
  }
  if (rest < bytes.length) at = yield* formDecodeInPieces(out, at, bytes, rest, bytes.length);
  return at === -1 ? null : { bytes: out.subarray(0, at), spans };
}

/** The parameters that authentication itself reads (interface document, Authentication). */
export const RESERVED_NAMES = ['appKey', 'sign', 'apiTimestamp'] as const;
export type ReservedName = (typeof RESERVED_NAMES)[number];

/** Which reserved name a decoded parameter has; null for a parameter of the business. Names compare exactly. */
export function findReservedName(decoded: Buffer, { start, nameEnd }: Span): ReservedName | null {
  for (const name of RESERVED_NAMES) {
    if (name.length === nameEnd - start && isLatin1At(decoded, name, start)) return name;
  }
  return null;
}

/** Compared byte by byte here; longer equal beginnings are left to the native comparison, which costs more to call. */
const SHORT_BYTES = 32;

/**
 * Sorts parameters by name in ascending order of their bytes (spec §3.3). Equal names keep their order on the wire or,
 * with `byValue`, are sorted by value, as some existing clients do.
 */
export function sortByName(bytes: Buffer, spans: readonly Span[], byValue: boolean): Span[] {
  return [...spans].sort((left, right) => {
    const order = compareBytes(bytes, left.start, left.nameEnd, right.start, right.nameEnd);
    if (order !== 0 || !byValue) return order;
    return compareBytes(bytes, valueStart(left), left.end, valueStart(right), right.end);
  });
}

/** Where the value of a parameter begins; its end when it has none. */
export function valueStart(span: Span): number {
  return Math.min(span.nameEnd + 1, span.end);
}

function compareBytes(bytes: Buffer, leftStart: number, leftEnd: number, rightStart: number, rightEnd: number): number {
  const length = Math.min(leftEnd - leftStart, rightEnd - rightStart);
  const shortLength = Math.min(length, SHORT_BYTES);
  for (let index = 0; index < shortLength; index += 1) {
    const difference = (bytes[leftStart + index] ?? 0) - (bytes[rightStart + index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (length > SHORT_BYTES) {
    const order = bytes.compare(bytes, rightStart + SHORT_BYTES, rightEnd, leftStart + SHORT_BYTES, leftEnd);
    if (order !== 0) return order;
  }
  return leftEnd - leftStart - (rightEnd - rightStart);
}

/**
 * Whether the decoded text of some parameters, which stand in `bytes`, could also be read as that of others
 * (spec §3.3): a name holds `&` or `=`, or, when `strictParameters` is on, a value holds an `&` with a `=` somewhere
 * after it.
 * (`b=1%26c%3D2` signs like `b=1&c=2`; `A&B` as a value cannot be mistaken, because every parameter has its `=`.)
 */
export function isAmbiguous(bytes: Buffer, spans: readonly Span[], strictParameters: boolean): boolean {
  return spans.some((span) => {
    const { start, nameEnd, end } = span;
    if (indexBefore(bytes, AMPERSAND, start, nameEnd) < nameEnd) return true;
    if (indexBefore(bytes, EQUALS, start, nameEnd) < nameEnd) return true;
    if (!strictParameters) return false;
    const ampersand = indexBefore(bytes, AMPERSAND, valueStart(span), end);
    return indexBefore(bytes, EQUALS, ampersand, end) < end;
  });
}

/** Texts up to this size are searched here: a view and a call of the native search cost as much. */
const SEARCHED_BYTES = 128;

/** Where a byte stands first; `end` when it does not stand before that. */
function indexBefore(bytes: Buffer, byte: number, start: number, end: number): number {
  if (end - start > SEARCHED_BYTES) {
    const index = bytes.subarray(start, end).indexOf(byte);
    return index === -1 ? end : start + index;
  }
  let at = start;
  while (at < end && bytes[at] !== byte) at += 1;
  return at;
}
