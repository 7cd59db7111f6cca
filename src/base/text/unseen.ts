/**
 * Controls, marks of direction and separators of lines: they show one text and mean another, or end a line of a log.
 */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** The first character of a text that nobody sees, such as `U+202E`; null for none. */
export function unseenIn(text: string): string | null {
  const found = UNSEEN.exec(text)?.[0];
  return found === undefined ? null : codePointOf(found);
}

/** The first character of a text by its number: `U+202E`. */
export function codePointOf(text: string): string {
  return `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A text of another product as one that can be written: each character that nobody sees becomes U+FFFD. */
export function replaceUnseen(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/**
 * What shows nothing: blanks of all kinds, controls, marks of format. A variation selector belongs to what is before
 * it.
 */
const SHOWS_NOTHING = '(?!\\p{Variation_Selector})[\\p{Z}\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800]';
const UNSEEN_EDGE = new RegExp(`^${SHOWS_NOTHING}|${SHOWS_NOTHING}$`, 'u');

const KNOWN_EDGES: Readonly<Record<string, string>> = {
  '\ufeff': 'a byte order mark',
  ' ': 'a blank',
  '\u00a0': 'a no-break blank',
  '\t': 'a tab',
  '\n': 'a line feed',
  '\u200b': 'a blank without width',
};

/**
 * What is wrong with the edges of a secret that was read from a file or a variable, in words that follow its name; null
 * for nothing. Editors, shells and copied texts add such characters unseen, and with them no signature fits.
 */
export function findUnseenEdge(secret: string): string | null {
  if (secret.endsWith('\r')) return 'ends with a carriage return: save the file with Unix line ends';
  const found = UNSEEN_EDGE.exec(secret);
  if (found === null) return null;
  const [character] = found;
  const code = codePointOf(character);
  const known = KNOWN_EDGES[character];
  const place = found.index === 0 ? 'begins' : 'ends';
  return `${place} with ${known === undefined ? code : `${known} (${code})`}, which nobody sees: remove it`;
}
