import { decodeFormText } from '../../../base/text/form-decoding.ts';

/** What `encodeURIComponent` leaves and the form encoding does not (WHATWG URL, form-urlencoded percent-encode set). */
const LEFT_BY_URI = /[!'()~]/g;

/**
 * The parameters of a query as `@query-param` has them (RFC 9421 §2.2.8): decoded as a form is, and encoded again,
 * blanks as `%20`. The value is null for a name that occurs more than once. What cannot be decoded is left out.
 */
export function queryParameterValues(query: string): ReadonlyMap<string, string | null> {
  const values = new Map<string, string | null>();
  for (const segment of query.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const name = encodeAgain(equals === -1 ? segment : segment.slice(0, equals));
    const value = encodeAgain(equals === -1 ? '' : segment.slice(equals + 1));
    if (name !== null) values.set(name, values.has(name) ? null : value);
  }
  return values;
}

function encodeAgain(text: string): string | null {
  const decoded = decodeFormText(text);
  if (decoded === null) return null;
  return encodeURIComponent(decoded).replace(
    LEFT_BY_URI,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
