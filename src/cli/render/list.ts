import Table from 'cli-table3';
import { replaceInvisible } from '../../document/source-text.ts';
import type { Paint } from '../../manage/render-change.ts';
import type { Terminal } from '../terminal.ts';
import type { OutputFormat } from '../flags/options.ts';
import { formatData, formatJson } from './data.ts';
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
  for await (const page of pagesOf(items)) {
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

async function* pagesOf<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

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
function renderPage<T>(
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

const borders = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((part) =>
  ['', '-mid', '-left', '-right'].map((end) => `${part}${end}`),
);
const noBorders = Object.fromEntries(borders.map((part) => [part, '']));

/** Renders rows as columns of text, two blanks apart, for terminals and for `awk` alike. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    chars: { ...noBorders, middle: '  ' },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
