import type { ParameterEncoding } from '../../model/endpoint.ts';
import { type Parameters, type ParameterText, sortByName, type Span } from './parameters.ts';
import type { Wrapper } from './wrapper.ts';

/**
 * A string to sign as the pieces that make it up, in order: views of what was received, so that a large body is not
 * copied. It ends before the App Secret.
 */
export type SigningText = readonly Buffer[];

/** Builds a string to sign when it is needed. */
export type SigningTextBuilder = () => SigningText;

const AMPERSAND = Buffer.from('&');
const EQUALS = Buffer.from('=');
const TIMESTAMP_NAME = Buffer.from('apiTimestamp=');
const APP_KEY_NAME = Buffer.from('appKey=');
const DATA_NAME = Buffer.from('&data=');

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
  const text = [APP_KEY_NAME, wrapper.appKey, DATA_NAME, wrapper.data];
  return wrapper.apiTimestamp === null ? text : [TIMESTAMP_NAME, wrapper.apiTimestamp, AMPERSAND, ...text];
}

/** The first bytes of a string to sign, at most `maxBytes`. */
export function firstBytesOf(text: SigningText, maxBytes: number): Buffer {
  const pieces: Buffer[] = [];
  let missing = maxBytes;
  for (const piece of text) {
    if (missing === 0) break;
    const part = piece.subarray(0, missing);
    pieces.push(part);
    missing -= part.length;
  }
  return Buffer.concat(pieces);
}

/** `name=value` joined by `&` (interface document, Authentication); `a` and `a=` are both `a=`. */
export function sortedText(text: ParameterText, signed: readonly number[], byValue: boolean): SigningText {
  const spans = signed.map((index) => text.spans[index]).filter((span) => span !== undefined);
  const pieces: Buffer[] = [];
  for (const span of sortByName(text.bytes, spans, byValue)) {
    if (pieces.length > 0) pieces.push(AMPERSAND);
    pieces.push(text.bytes.subarray(span.start, span.end));
    if (!hasEquals(span)) pieces.push(EQUALS);
  }
  return pieces;
}

function hasEquals(span: Span): boolean {
  return span.nameEnd < span.end;
}
