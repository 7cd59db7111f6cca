/** Controls, marks of direction and separators of lines: they show one text and mean another, or end a line of a log. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** The first character of a text that nobody sees, such as `U+202E`; null for none. */
export function unseenIn(text: string): string | null {
  const code = UNSEEN.exec(text)?.[0].codePointAt(0);
  return code === undefined ? null : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A text of another product as one that can be written: each character that nobody sees becomes U+FFFD. */
export function replaceUnseen(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
