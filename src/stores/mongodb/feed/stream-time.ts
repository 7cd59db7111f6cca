import { type ResumeToken, Timestamp } from 'mongodb';

/**
 * A resume token begins with a moment of the server: the type byte 0x82, then 32 bits of seconds and 32 of a counter.
 */
const TOKEN_START = /^82([\dA-F]{8})([\dA-F]{8})/i;

/**
 * The moment of the database that a change stream has come to: it has handed on every event before that moment, and
 * perhaps some of the moment itself. Null for a token that is not of this form, which then proves nothing.
 */
export function timeOfToken(token: ResumeToken): Timestamp | null {
  const data: unknown = (token as { readonly _data?: unknown } | null | undefined)?._data;
  const [, seconds, counter] = (typeof data === 'string' ? TOKEN_START.exec(data) : null) ?? [];
  if (seconds === undefined || counter === undefined) return null;
  return new Timestamp({ t: Number.parseInt(seconds, 16), i: Number.parseInt(counter, 16) });
}
