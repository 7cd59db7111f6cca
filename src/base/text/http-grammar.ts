const LOWER_CASE_CHARACTERS = "!#$%&'*+\\-.^_`|~0-9a-z";
/** One character of a token (RFC 9110 §5.6.2), for regular expressions. */
export const TOKEN_CHARACTER = `[${LOWER_CASE_CHARACTERS}A-Z]`;
const TOKEN = new RegExp(`^${TOKEN_CHARACTER}+$`);
const LOWER_CASE_TOKEN = new RegExp(`^[${LOWER_CASE_CHARACTERS}]+$`);
const LEADING_TOKEN = new RegExp(`^${TOKEN_CHARACTER}+`);

/** Whether a text is a token (RFC 9110 §5.6.2). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Whether a text is a token without capitals, as names of headers are written in HTTP/2. */
export function isLowerCaseToken(text: string): boolean {
  return LOWER_CASE_TOKEN.test(text);
}

/** The token that a text begins with; `''` for none. */
export function leadingToken(text: string): string {
  return LEADING_TOKEN.exec(text)?.[0] ?? '';
}

/** The index after the optional white space (RFC 9110 §5.6.3) that may stand at `start`. */
export function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}
