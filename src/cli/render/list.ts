import stringWidth from 'string-width';
import { replaceInvisible } from '../../model/document/source-text.ts';
import type { Paint } from '../../resources/changes/render-change.ts';
import type { Terminal } from '../terminal.ts';
import type { OutputFormat } from '../flags/options.ts';
import { formatData, formatJson } from './data.ts';
import { pagesOf } from '../../resources/changes/resource-store.ts';
import { paintFor } from './text.ts';

/** How a list is shown. */
export interface ListView<T> {
  readonly columns: readonly Column<T>[];
  /** What programs get of each. */
  readonly declare: (item: T) => object;
  /** Said in a table's place, on the error stream, when there is nothing. */
  readonly none: string;
}

/** Rows that are laid out together: a list can have a million, and its first ones should not wait for the last. */
const PAGE_ROWS = 500;

const INDENT = '  ';

/** Prints a list while it is read: bounded in memory, however long it is. JSON is one array. */
export async function printList<T>(
  items: AsyncIterable<T>,
  { columns, declare, none }: ListView<T>,
  format: OutputFormat,
  terminal: Terminal,
): Promise<void> {
  const { out, err } = terminal;
  const paint = paintFor(terminal);
  let printed = 0;
  const print = (page: readonly T[]): void => {
    if (format === 'table') out.write(renderPage(page, columns, printed === 0, out.columns ?? null, paint));
    else if (format === 'yaml') out.write(formatData(page.map(declare), format));
    else
      for (const [index, item] of page.entries())
        out.write(`${printed + index === 0 ? '[\n' : ',\n'}${formatJson(declare(item), 2)}`);
    printed += page.length;
  };
  for await (const page of pagesOf(items, PAGE_ROWS)) {
    print(page);
    if ((await out.settled?.()) === false) return;
  }
  if (format === 'json') out.write(printed === 0 ? '[]\n' : '\n]\n');
  else if (printed > 0) return;
  else if (format === 'yaml') out.write('[]\n');
  else err.write(`${none}\n`);
}

/** Prints a short list below a heading, as a part of something that is shown; `none` below it when it is empty. */
export function printSection<T>(heading: string, items: readonly T[], view: ListView<T>, terminal: Terminal): void {
  const { out } = terminal;
  const paint = paintFor(terminal);
  const width = out.columns === undefined ? null : out.columns - INDENT.length;
  const table = items.length === 0 ? 'none\n' : renderPage(items, view.columns, true, width, paint);
  out.write(`\n${paint.bold(heading)}\n${table.replaceAll(/^(?=.)/gm, INDENT)}`);
}

/** The lines of a table that goes on: its headings with the first rows. */
export function formatRows<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  hasHead: boolean,
  terminal: Pick<Terminal, 'out' | 'environment'>,
): string {
  return renderPage(items, columns, hasHead, terminal.out.columns ?? null, paintFor(terminal));
}

/** A column of a list. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (item: T) => string;
  /** Colours a cell; widths are those of the plain text. */
  readonly paint?: (text: string, item: T, paint: Paint) => string;
  /** Is cut with `…` where the terminal is too narrow. */
  readonly canShrink?: boolean;
  /**
   * Stands on a line of its own below its row where the terminal is too narrow for all columns: an empty cell not at
   * all, and with its heading where other columns do so too.
   */
  readonly goesBelow?: boolean;
}

/** A cut cell keeps at least so many columns. */
const MIN_WIDTH = 8;
const GAP = 2;

/** The rows of a table, below its headings on the first page, cut to a terminal's width. */
function renderPage<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  hasHead: boolean,
  maxWidth: number | null,
  paint: Paint,
): string {
  const heads = columns.map(({ heading }) => heading);
  const cells = items.map((item) => columns.map(({ cell }) => replaceInvisible(cell(item))));
  const wished = widthsOf([heads, ...cells]);
  const below = columns.filter(({ goesBelow }) => goesBelow === true);
  if (maxWidth !== null && below.length > 0 && lineWidth(wished) > maxWidth) {
    return renderWithBelow(items, columns, below, hasHead, maxWidth, paint);
  }
  const canShrink = columns.map((column) => column.canShrink === true);
  const widths = shrink(wished, canShrink, maxWidth);
  const rows = items.map((item, row) =>
    columns.map((column, index) => {
      const shown = cut(cells[row]?.[index] ?? '', widths[index] ?? 0);
      return column.paint?.(shown, item, paint) ?? shown;
    }),
  );
  return layOut([...(hasHead ? [heads.map((heading) => paint.dim(heading))] : []), ...rows], widths);
}

/** The same with the cells of some columns below their row, indented. */
function renderWithBelow<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  below: readonly Column<T>[],
  hasHead: boolean,
  maxWidth: number,
  paint: Paint,
): string {
  const beside = columns.filter((column) => !below.includes(column));
  const lines = renderPage(items, beside, hasHead, maxWidth, paint).split('\n').slice(0, -1);
  const head = hasHead ? lines.slice(0, 1) : [];
  const rows = lines.slice(head.length).flatMap((line, row) => {
    const item = items[row];
    if (item === undefined) return [line];
    const texts = below.flatMap(({ heading, cell }) => {
      const text = replaceInvisible(cell(item));
      return text === '' ? [] : [below.length === 1 ? text : `${heading.toLowerCase()}: ${text}`];
    });
    return [line, ...texts.map((text) => `${INDENT}${cut(text, maxWidth - INDENT.length)}`)];
  });
  return [...head, ...rows].map((line) => `${line}\n`).join('');
}

/** Renders rows below their headings as columns of text, two blanks apart, for terminals and for `awk` alike. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  return layOut(all, widthsOf(all));
}

/** A line for each row. Cells may be coloured. */
function layOut(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  const padded = (cell: string, index: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
  return rows.map((row) => `${row.map(padded).join(' '.repeat(GAP)).trimEnd()}\n`).join('');
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  return (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => widthOf(row[index] ?? ''))));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** Takes width from the widest columns that can give some, until the line fits. */
function shrink(widths: readonly number[], canShrink: readonly boolean[], maxWidth: number | null): readonly number[] {
  const allowed = [...widths];
  if (maxWidth === null) return allowed;
  let excess = lineWidth(allowed) - maxWidth;
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
  if (widthOf(text) <= width) return text;
  let shown = '';
  for (const character of text) {
    if (widthOf(shown + character) >= width) break;
    shown += character;
  }
  return `${shown}…`;
}

/** Plain text is as wide as it is long. Others take much longer to measure. */
function widthOf(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}
