const MAX_SHOWN_LENGTH = 600;

/** A text of a record as visible ASCII; the mark of a cut at its end stays. */
export function shownText(text: string): string {
  const isCut = text.endsWith('…') || text.length > MAX_SHOWN_LENGTH;
  const plain = text
    .slice(0, MAX_SHOWN_LENGTH)
    .replace(/…$/, '')
    .replace(/[^\x20-\x7e]/g, '?');
  return isCut ? `${plain}…` : plain;
}
