/** A header as it is sent. */
export type Header = readonly [name: string, value: string];

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Whether a text is a header name (RFC 9110 §5.6.2). */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** All values of a header, in their order, without blanks and tabs at their ends. Names compare without case. */
export function valuesOf(headers: readonly Header[], name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => trimBlanks(value));
}

/** The headers with others set: what had one of their names is gone, and they stand at the end. */
export function withHeaders(headers: readonly Header[], set: readonly Header[]): readonly Header[] {
  const replaced = new Set(set.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !replaced.has(name.toLowerCase())), ...set];
}

/** Without blanks and tabs at both ends. */
export function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
