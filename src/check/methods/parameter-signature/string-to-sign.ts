import type { ParameterEncoding } from '../../../model/endpoint.ts';
import { type Parameters, type ParameterText, sortByName, type Span } from './parameters.ts';
import type { Wrapper } from './wrapper.ts';

/** A part of a string to sign, from `start` to `end` of some bytes: a view would cost more than the few bytes in it. */
export interface Piece {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * A string to sign as the pieces that make it up, in order: parts of what was received, so that a large body is not
 * copied. It ends before the App Secret.
 */
export type SigningText = readonly Piece[];

/** Builds a string to sign when it is needed. */
export type SigningTextBuilder = () => SigningText;

const ampersand = whole(Buffer.from('&'));
const equals = whole(Buffer.from('='));
const timestampName = whole(Buffer.from('apiTimestamp='));
const appKeyName = whole(Buffer.from('appKey='));
const dataName = whole(Buffer.from('&data='));

/**
 * The strings that a signature over parameters may be over, in the order they are tried (`options.parameterEncoding`,
 * spec §3.3). `signed` picks the parameters that are signed, by their index. An ambiguous text is tried raw only.
 */
export function parameterTexts(
  parameters: Parameters,
  signed: readonly number[],
  encoding: ParameterEncoding,
  isAmbiguous: boolean,
): readonly SigningTextBuilder[] {
  const decoded: SigningTextBuilder = () => sortedText(parameters.decoded, signed, false);
  const raw: SigningTextBuilder = () => sortedText(parameters.raw, signed, false);
  switch (encoding) {
    case 'decoded':
      return [decoded];
    case 'raw':
      return [raw];
    case 'auto':
      return isAmbiguous ? [raw] : [decoded, raw, () => sortedText(parameters.decoded, signed, true)];
  }
}

/** The string to sign of a JSON wrapper: `apiTimestamp`, when there is one, `appKey` and `data`, their sorted order. */
export function wrapperText(wrapper: Omit<Wrapper, 'sign'>): SigningText {
  const text = [appKeyName, whole(wrapper.appKey), dataName, whole(wrapper.data)];
  return wrapper.apiTimestamp === null ? text : [timestampName, whole(wrapper.apiTimestamp), ampersand, ...text];
}

/** How many bytes a string to sign has. */
export function lengthOf(text: SigningText): number {
  let length = 0;
  for (const { start, end } of text) length += end - start;
  return length;
}

/** Shorter pieces are copied byte by byte: a call of the native copy costs as much as this many bytes. */
const SHORT_BYTES = 64;

/** Writes a string to sign into `out`, which has room for it, and gives its length. */
export function copyText(text: SigningText, out: Uint8Array): number {
  let to = 0;
  for (const { bytes, start, end } of text) {
    if (end - start > SHORT_BYTES) {
      to += bytes.copy(out, to, start, end);
    } else {
      for (let at = start; at < end; at += 1) out[to++] = bytes[at] ?? 0;
    }
  }
  return to;
}

/** The bytes of a piece. */
export function viewOf({ bytes, start, end }: Piece): Buffer {
  return bytes.subarray(start, end);
}

/** A copy of a string to sign, of its first `maxBytes`. */
export function bytesOf(text: SigningText, maxBytes = Infinity): Buffer {
  const pieces: Buffer[] = [];
  let missing = maxBytes;
  for (const piece of text) {
    if (missing === 0) break;
    const part = viewOf(piece).subarray(0, missing);
    pieces.push(part);
    missing -= part.length;
  }
  return Buffer.concat(pieces);
}

/**
 * `name=value` joined by `&` (interface document, Authentication); `a` and `a=` are both `a=`. Parameters that
 * follow each other in the text as they do when sorted are one piece.
 */
export function sortedText(text: ParameterText, signed: readonly number[], byValue: boolean): SigningText {
  const spans = signed.map((index) => text.spans[index]).filter((span) => span !== undefined);
  const { bytes } = text;
  const pieces: Piece[] = [];
  let run: { readonly bytes: Buffer; readonly start: number; end: number } | null = null;
  for (const span of sortByName(bytes, spans, byValue)) {
    if (run !== null && span.start === run.end + 1) {
      run.end = span.end;
    } else {
      if (pieces.length > 0) pieces.push(ampersand);
      run = { bytes, start: span.start, end: span.end };
      pieces.push(run);
    }
    if (hasEquals(span)) continue;
    pieces.push(equals);
    run = null;
  }
  return pieces;
}

/** All of some bytes. */
export function whole(bytes: Buffer): Piece {
  return { bytes, start: 0, end: bytes.length };
}

function hasEquals(span: Span): boolean {
  return span.nameEnd < span.end;
}
