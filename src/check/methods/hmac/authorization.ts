import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { decodeCanonicalBase64 } from '../../../base/text/encodings.ts';
import { leadingToken, skipBlanks } from '../../../base/text/http-grammar.ts';
import { parseSignedHeaders } from './signed-headers.ts';

const SCHEME = 'hmac';
/** As almost all callers send it. */
const SCHEME_AS_SENT = `${SCHEME} `;
const PARAMETER_NAMES = ['appkey', 'algorithm', 'headers', 'signature'] as const;
type ParameterName = (typeof PARAMETER_NAMES)[number];
const OPENINGS = PARAMETER_NAMES.map((name) => `${name}="`);
const QUOTE_BYTES = '="'.length;

const NOT_QUOTED_TEXT = /[\x00-\x08\x0a-\x1f\x7f\\]/;

/** A well-formed hmac `Authorization` (spec §3.2); nothing of it is verified yet. */
export interface HmacAuthorization {
  /** Not empty; otherwise whatever the caller sent, as latin1 text. */
  readonly appKey: string;
  /** As sent: whether the endpoint allows it is for the caller to check. */
  readonly algorithm: string;
  /** The signed names in the order of the string to sign. */
  readonly signedHeaders: readonly string[];
  /** The bytes of the signature, of any length. */
  readonly mac: Buffer;
}

/**
 * Reads `hmac appkey="…", algorithm="…", headers="…", signature="…"` (spec §3.2) in a single pass.
 *
 * Refuses with `CREDENTIALS_MISSING` a value of another scheme, and with `CREDENTIALS_MALFORMED` whatever else differs
 * from the grammar. Two `Authorization` lines, which Envoy joins with `,`, differ from it too.
 *
 * @param value the header's bytes as latin1 text, without surrounding white space
 * @param maxNames how many names the list of signed headers may have; see `maxSignedNames`
 */
export function parseHmacAuthorization(value: string, maxNames = Infinity): HmacAuthorization | Refusal {
  const scheme = value.startsWith(SCHEME_AS_SENT) ? SCHEME : leadingToken(value);
  if (scheme === '') return malformed('does not begin with a scheme');
  if (scheme.toLowerCase() !== SCHEME)
    return refuse('CREDENTIALS_MISSING', 'the Authorization header has another scheme');
  if (value[scheme.length] !== ' ') return malformed('has no blank after the scheme');

  const found = parseParameters(value, scheme.length + 1);
  if (typeof found === 'string') return malformed(found);
  if (found.appkey === '') return malformed('has an empty appkey');
  const mac = decodeCanonicalBase64(found.signature);
  if (mac === null) return malformed('has a signature that is not canonical base64');
  const signedHeaders = parseSignedHeaders(found.headers, maxNames);
  if (isRefusal(signedHeaders)) return signedHeaders;
  return { appKey: found.appkey, algorithm: found.algorithm, signedHeaders, mac };
}

/** Reads `name="value"` elements from `first` to the end of the text; a string says what is wrong. */
function parseParameters(text: string, first: number): Record<ParameterName, string> | string {
  const found: (string | undefined)[] = [undefined, undefined, undefined, undefined];
  const mayHoldOtherText = NOT_QUOTED_TEXT.test(text);
  let at = first;
  for (;;) {
    const index = openingAt(text, at);
    const name = PARAMETER_NAMES[index];
    if (name === undefined) return 'has something other than its four parameters, each written name="value"';
    if (found[index] !== undefined) return `has ${name} twice`;
    const valueStart = at + name.length + QUOTE_BYTES;
    const valueEnd = text.indexOf('"', valueStart);
    if (valueEnd === -1) return `has no closing quote after ${name}`;
    const value = text.slice(valueStart, valueEnd);
    if (mayHoldOtherText && NOT_QUOTED_TEXT.test(value)) return `has a backslash or control character in ${name}`;
    found[index] = value;
    at = valueEnd + 1;
    if (at === text.length) break;
    const comma = skipBlanks(text, at);
    if (text[comma] !== ',') return `has no comma after ${name}`;
    at = skipBlanks(text, comma + 1);
  }
  const [appkey, algorithm, headers, signature] = found;
  if (appkey === undefined) return 'has no appkey';
  if (algorithm === undefined) return 'has no algorithm';
  if (headers === undefined) return 'has no headers';
  if (signature === undefined) return 'has no signature';
  return { appkey, algorithm, headers, signature };
}

/** Which of the {@link OPENINGS} stands there; -1 for none. */
function openingAt(text: string, at: number): number {
  for (let index = 0; index < OPENINGS.length; index += 1) {
    if (text.startsWith(OPENINGS[index] ?? '', at)) return index;
  }
  return -1;
}

function malformed(what: string): Refusal {
  return refuse('CREDENTIALS_MALFORMED', `the Authorization header ${what}`);
}
