/** A place in a text: both from 1, the column in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One file of a declarative document. */
export interface DocumentSource {
  /** As the operator wrote it: shown in problems, and what `appSecretFrom: { file }` is relative to. */
  readonly file: string;
  readonly text: string;
}

/** A file of a declarative document that could not be read as a text, and why: what it declares is unknown. */
export interface UnreadSource {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Takes out what would change how a terminal shows a text from outside: control and direction characters. */
export function replaceInvisible(text: string): string {
  // Nearly every text is plain, which takes a fraction of the time.
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** Turns offsets into positions. The line table is built at the first question: a faultless file never needs it. */
export function positionFinder(text: string): (offset: number) => Position {
  let starts: number[] | null = null;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(0, offset - (starts[low] ?? 0)) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
