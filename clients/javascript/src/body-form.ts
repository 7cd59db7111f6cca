import { isToken, trimBlanks, valuesOf, type Header } from './headers.ts';
import { PosternProblem } from './problem.ts';

/** The largest body that the gateway takes, in bytes as sent: of hmac and of forms. */
export const MAX_BODY_BYTES = 10_485_760;
/** The largest JSON wrapper that the gateway takes, in bytes as sent. */
export const MAX_WRAPPER_BYTES = 2_097_152;

const MEDIA_TYPES = { 'application/x-www-form-urlencoded': 'form', 'application/json': 'json' } as const;
const UTF8_CHARSETS = ['utf-8', 'utf8'];
/** One parameter of a media type; a quoted value has no backslash. */
const TYPE_PARAMETER = /^;[ \t]*(?:([^\s=;"]+)=(?:"([^"\\]*)"|([^\s;"]+)))?[ \t]*/;

/** How a body carries parameter signatures; null when it cannot. */
export function bodyFormOf(headers: readonly Header[]): 'form' | 'json' | null {
  const types = valuesOf(headers, 'content-type');
  const essence = essenceOf(types[0] ?? '');
  return types.length === 1 && isSignedType(essence) ? MEDIA_TYPES[essence] : null;
}

/**
 * Refuses with `BODY_NOT_SIGNABLE` a body whose headers the gateway would not take: another media type or several, a
 * charset other than UTF-8, a `Content-Encoding` other than `identity`.
 */
export function checkBodyHeaders(headers: readonly Header[]): void {
  if (bodyFormOf(headers) === null) {
    throw notSignable('the Content-Type of a body is application/x-www-form-urlencoded or application/json');
  }
  const charsets = charsetsOf(valuesOf(headers, 'content-type')[0] ?? '');
  if (charsets === null || charsets.length > 1 || !charsets.every((charset) => UTF8_CHARSETS.includes(charset))) {
    throw notSignable('the charset of a body is UTF-8');
  }
  const encodings = valuesOf(headers, 'content-encoding');
  if (encodings.length > 1 || (encodings[0]?.toLowerCase() ?? 'identity') !== 'identity') {
    throw notSignable('a body with a Content-Encoding cannot be signed');
  }
}

/** The problem of a body that parameter signatures cannot carry. */
export function notSignable(message: string): PosternProblem {
  return new PosternProblem('BODY_NOT_SIGNABLE', message);
}

/** The problem of a body over a limit. */
export function tooLarge(maxBytes: number): PosternProblem {
  return new PosternProblem('BODY_TOO_LARGE', `the gateway takes bodies of at most ${String(maxBytes)} bytes`);
}

/** A media type in lower case, without parameters. */
export function essenceOf(contentType: string): string {
  return trimBlanks(contentType.split(';', 1)[0] ?? '').toLowerCase();
}

function isSignedType(essence: string): essence is keyof typeof MEDIA_TYPES {
  return Object.hasOwn(MEDIA_TYPES, essence);
}

/** The charsets in lower case; null when the parameters are not well formed (RFC 9110 §5.6.6). */
function charsetsOf(contentType: string): readonly string[] | null {
  const charsets: string[] = [];
  let rest = contentType.slice((contentType.split(';', 1)[0] ?? '').length);
  while (rest !== '') {
    const match = TYPE_PARAMETER.exec(rest);
    if (match === null) return null;
    const [all, name, quoted, plain] = match;
    if (name !== undefined && (!isToken(name) || (plain !== undefined && !isToken(plain)))) return null;
    if (name?.toLowerCase() === 'charset') charsets.push((quoted ?? plain ?? '').toLowerCase());
    rest = rest.slice(all.length);
  }
  return charsets;
}
