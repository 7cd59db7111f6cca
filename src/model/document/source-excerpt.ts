import { HIDDEN } from './problem.ts';
import type { Position } from './source-text.ts';

/** A line of a document as it can be shown, and where in it a problem is. */
export interface SourceExcerpt {
  /** One line of visible characters: known keys, brackets and blanks beside them, and `…` for everything else. */
  readonly text: string;
  /** Characters before the place of the problem. */
  readonly indent: number;
}

/** A word with its colon, quoted or not. */
const KEY = /(?<![\w-])(["']?)([A-Za-z]+)\1[ \t]*:/g;
/** What may be between a key and its value, or between a value and the next key. */
const OPENING = /^[ \t]*(?:[{[][ \t]*){0,3}/;
const CLOSING = /(?:[ \t]*[}\]]){0,3},?[ \t]*(?:[-?{[][ \t]*){0,3}$/;

/** More characters before a key are not looked at, so that a line of nothing but blanks costs little. */
const MAX_CLOSING = 80;

/** Lines are cut to these many characters around the problem. */
const MAX_WIDTH = 160;

/** Where a part of a line begins, and how the excerpt shows it. */
interface Piece {
  readonly start: number;
  readonly shown: string;
}

/**
 * The line of a problem in the lines of its file, without any text that could be a secret: of a line that was damaged
 * nothing but the keys of the document, `names`, is certain. Null when it has none.
 */
export function excerptOf(
  lines: readonly string[],
  { line, column }: Position,
  names: ReadonlySet<string>,
): SourceExcerpt | null {
  const pieces = piecesOf((lines[line - 1] ?? '').replace(/\r$/, ''), names);
  if (pieces === null) return null;
  const shown = pieces.map((piece) => piece.shown).join('');
  const place = Math.min(placeIn(pieces, column - 1), shown.length);
  const start = shown.length <= MAX_WIDTH ? 0 : Math.max(0, place - MAX_WIDTH / 2);
  const head = start > 0 ? HIDDEN : '';
  const tail = start + MAX_WIDTH < shown.length ? HIDDEN : '';
  return { text: head + shown.slice(start, start + MAX_WIDTH) + tail, indent: head.length + place - start };
}

function piecesOf(line: string, names: ReadonlySet<string>): readonly Piece[] | null {
  const keys = [...line.matchAll(KEY)].filter(([, , name = '']) => names.has(name));
  if (keys.length === 0) return null;
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: key, index } of keys) {
    addGap(pieces, line.slice(end, index), end);
    pieces.push({ start: index, shown: visible(key) });
    end = index + key.length;
  }
  addGap(pieces, line.slice(end), end);
  return pieces;
}

/** Adds the text before, between and behind keys: the values, of which nothing is shown. */
function addGap(pieces: Piece[], gap: string, start: number): void {
  const opening = OPENING.exec(gap)?.[0] ?? '';
  const rest = gap.slice(opening.length);
  const closing = CLOSING.exec(rest.slice(-MAX_CLOSING))?.[0] ?? '';
  const hiddenLength = rest.length - closing.length;
  pieces.push({ start, shown: visible(opening) });
  if (hiddenLength > 0) pieces.push({ start: start + opening.length, shown: HIDDEN });
  pieces.push({ start: start + opening.length + hiddenLength, shown: visible(closing) });
}

/** Where a place of the line is in the excerpt: on the `…` for all that it replaces. */
function placeIn(pieces: readonly Piece[], offset: number): number {
  let place = 0;
  for (const [index, { start, shown }] of pieces.entries()) {
    const next = pieces[index + 1]?.start ?? Infinity;
    if (offset < next) return place + (shown === HIDDEN ? 0 : Math.min(offset - start, shown.length));
    place += shown.length;
  }
  return place;
}

/** Tabs would move the mark below the line. */
function visible(text: string): string {
  return text.replaceAll('\t', ' ');
}
