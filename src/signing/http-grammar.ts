const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Tells whether a text is a token (RFC 9110 §5.6.2). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The index after the optional white space (RFC 9110 §5.6.3) that may stand at `start`. */
export function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
}
