import { formatData, formatJson, type OutputFormat } from '../output-format.ts';
import type { Terminal } from '../terminal.ts';
import { paintFor } from './paint-for.ts';
import { type Column, renderPage } from './render-page.ts';

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
  const { out, err, environment } = terminal;
  const paint = paintFor(out, environment);
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
  const { out, environment } = terminal;
  const paint = paintFor(out, environment);
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
