import { isToken, skipBlanks } from './http-grammar.ts';

/** A `Content-Type`, as far as verifying a body needs it. */
export interface MediaType {
  /** Type and subtype in lower case, without parameters; whatever stands there when it is no media type. */
  readonly essence: string;
  /** The values of its `charset` parameters in lower case; null when the parameters are not well formed. */
  readonly charsets: readonly string[] | null;
}

/** Reads a `Content-Type` (RFC 9110 §8.3.1) given as latin1 text. Names and charsets compare without case. */
export function parseMediaType(text: string): MediaType {
  const semicolon = text.indexOf(';');
  const end = semicolon === -1 ? text.length : semicolon;
  return { essence: trimBlanks(text.slice(0, end)).toLowerCase(), charsets: parseCharsets(text, end) };
}

/** Reads `; name=value` elements (RFC 9110 §5.6.6) from `start` on; quoted values without backslashes. */
function parseCharsets(text: string, start: number): readonly string[] | null {
  const charsets: string[] = [];
  let at = start;
  while (at < text.length) {
    if (text[at] !== ';') return null;
    at = skipBlanks(text, at + 1);
    if (at === text.length || text[at] === ';') continue;
    const equals = text.indexOf('=', at);
    const name = text.slice(at, Math.max(equals, at));
    if (!isToken(name)) return null;
    const value = parseValue(text, equals + 1);
    if (value === null) return null;
    if (name.toLowerCase() === 'charset') charsets.push(value.text.toLowerCase());
    at = skipBlanks(text, value.end);
  }
  return charsets;
}

function parseValue(text: string, start: number): { readonly text: string; readonly end: number } | null {
  if (text[start] === '"') {
    const close = text.indexOf('"', start + 1);
    const value = text.slice(start + 1, Math.max(close, start + 1));
    return close === -1 || value.includes('\\') ? null : { text: value, end: close + 1 };
  }
  let end = start;
  while (end < text.length && text[end] !== ';' && text[end] !== ' ' && text[end] !== '\t') end += 1;
  const value = text.slice(start, end);
  return isToken(value) ? { text: value, end } : null;
}

function trimBlanks(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1;
  return text.slice(Math.min(skipBlanks(text, 0), end), end);
}
