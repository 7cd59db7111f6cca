import { leadingToken } from '../../../base/text/http-grammar.ts';

/** Credentials that cannot be read. */
export interface Malformed {
  /** What is wrong, for the log. */
  readonly malformed: string;
}

/** @param what is wrong, without anything that the caller sent */
export function malformed(what: string): Malformed {
  return { malformed: what };
}

/**
 * What a header holds after a scheme word (RFC 9110 §11.4: the word in any case, then blanks); null for a header of
 * another scheme.
 *
 * @param value without white space around it
 * @param word in lower case
 */
export function readAfterScheme(value: string, word: string, header: string): string | null | Malformed {
  const found = leadingToken(value);
  if (found === '') return malformed(`the header ${header} does not begin with a scheme word`);
  if (found.toLowerCase() !== word) return null;
  const rest = value.slice(found.length);
  if (rest === '' || rest.startsWith(' ')) return rest.replace(/^ +/, '');
  return malformed(`the header ${header} has no blank after its scheme word`);
}

/** Whether one of the values that may be joined in a header is of a scheme. `word` is in lower case. */
export function holdsScheme(value: string, word: string): boolean {
  return value.split(',').some((part) => leadingToken(part.trim()).toLowerCase() === word);
}

/** The words that callers put before a key, as they are usually written. */
const KEY_WORDS = ['Bearer', 'ApiKey', 'Api-Key', 'Key', 'Token'] as const;

/**
 * The scheme word that stands before an App Key; null for none that is known. No other word of a request is repeated:
 * it may be part of a secret.
 */
export function findSchemeWord(value: string): string | null {
  const found = leadingToken(value);
  if (value[found.length] !== ' ') return null;
  return KEY_WORDS.find((word) => word.toLowerCase() === found.toLowerCase()) ?? null;
}
