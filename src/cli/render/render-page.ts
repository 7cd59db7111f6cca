import { replaceInvisible } from '../../document/source-text.ts';
import type { Paint } from '../../manage/render-change.ts';
import { renderTable } from '../render-table.ts';

/** A column of a list. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (item: T) => string;
  /** Colours a cell; widths are those of the plain text. */
  readonly paint?: (text: string, item: T, paint: Paint) => string;
  /** Is cut with `…` where the terminal is too narrow. */
  readonly canShrink?: boolean;
}

/** A cut cell keeps at least so many characters. */
const MIN_WIDTH = 8;
const GAP = 2;

/** Text whose width is its length: no wide and no combining characters. Laying out others takes ten times as long. */
const PLAIN = /^[\x20-\x7e]*$/;

/** The rows of a table below their headings, cut to a terminal's width. */
export function renderPage<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  hasHead: boolean,
  maxWidth: number | null,
  paint: Paint,
): string {
  const cells = items.map((item) => columns.map(({ cell }) => replaceInvisible(cell(item))));
  const heads = hasHead ? columns.map(({ heading }) => heading) : [];
  const widths = columns.map(({ heading }, index) =>
    Math.max(heading.length, ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const allowed = shrink(
    widths,
    columns.map(({ canShrink }) => canShrink === true),
    maxWidth,
  );
  const rows = cells.map((row, rowIndex) =>
    row.map((text, index) => {
      const shown = cut(text, allowed[index] ?? 0);
      const item = items[rowIndex];
      return item === undefined ? shown : (columns[index]?.paint?.(shown, item, paint) ?? shown);
    }),
  );
  const allHeads = heads.map((heading) => paint.dim(heading));
  const isPlain = cells.every((row) => row.every((text) => PLAIN.test(text)));
  if (!isPlain) return `${renderTable(allHeads, rows)}\n`;
  const lines = [
    ...(hasHead ? [layOut(allHeads, heads, allowed)] : []),
    ...rows.map((row, index) => layOut(row, cells[index] ?? [], allowed)),
  ];
  return `${lines.join('\n')}\n`;
}

/** One line. `plain` are the cells before they were cut and coloured: what they take on the screen. */
function layOut(cells: readonly string[], plain: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    return cell + ' '.repeat(width - Math.min(width, plain[index]?.length ?? 0));
  });
  return padded.join(' '.repeat(GAP)).trimEnd();
}

/** Takes width from the widest columns that can give some, until the line fits. */
function shrink(widths: readonly number[], canShrink: readonly boolean[], maxWidth: number | null): readonly number[] {
  const allowed = [...widths];
  if (maxWidth === null) return allowed;
  let excess = allowed.reduce((sum, width) => sum + width + GAP, -GAP) - maxWidth;
  while (excess > 0) {
    const widest = allowed.reduce(
      (best, width, index) =>
        canShrink[index] === true && width > MIN_WIDTH && width > (allowed[best] ?? 0) ? index : best,
      -1,
    );
    if (widest === -1) break;
    allowed[widest] = (allowed[widest] ?? 0) - 1;
    excess -= 1;
  }
  return allowed;
}

function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(width - 1, 0)).join('')}…`;
}

function widthOf(text: string): number {
  return Array.from(text).length;
}
