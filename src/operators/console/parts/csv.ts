import { html } from 'hono/html';
import { sortedEntries } from '../../../model/labels.ts';
import { type Html, withQuery } from '../frame/html.ts';
import type { CsvTable, Visit } from '../frame/page.ts';
import { type ListPage, listQuery } from './pager.ts';

/** Rows of a file: what has more is cut there, and its name says so. */
export const MAX_CSV_ROWS = 5000;
/** As many as the API gives at once. */
const PAGE_SIZE = 500;

/** Spreadsheets take a cell that begins so as a formula (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/;

/** A table as a file (RFC 4180). A text that would be a formula gets a leading `'`. */
export function csvText({ columns, rows }: Pick<CsvTable, 'columns' | 'rows'>): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(value: CsvTable['rows'][number][number]): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What the file of a table is called: `consumers-2026-11-30.csv`, or `consumers-2026-11-30-first-5000.csv`. */
export function csvName({ name, rows, isCut }: CsvTable, nowSeconds: number): string {
  const day = new Date(nowSeconds * 1000).toISOString().slice(0, 10);
  return `${name}-${day}${isCut ? `-first-${String(rows.length)}` : ''}.csv`;
}

interface CsvItems<T> {
  readonly items: readonly T[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** All items of a list of the API, from its beginning, {@link MAX_CSV_ROWS} at most. Throws `ProblemAnswer`. */
export async function readForCsv<T>(
  { api }: Pick<Visit, 'api'>,
  path: string,
  wish: Readonly<Record<string, string | undefined>>,
): Promise<CsvItems<T>> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const limit = String(Math.min(PAGE_SIZE, MAX_CSV_ROWS - items.length));
    const page: ListPage<T> = await api.get<ListPage<T>>(withQuery(path, { ...wish, limit, cursor }));
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length < MAX_CSV_ROWS);
  return { items, isCut: cursor !== undefined };
}

/** Labels in one cell: `team=orders; tier=gold`. */
export function labelsCell(labels: Readonly<Record<string, string>> | undefined): string {
  return sortedEntries(labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
}

/** Leads to the list of a page as a file: the same query, from the first page on. */
export function csvLink(path: string, query: URLSearchParams): Html {
  const href = withQuery(path, { ...listQuery(query), format: 'csv' });
  const most = MAX_CSV_ROWS.toLocaleString('en');
  return html`<p><a href="${href}" download>Download as CSV</a> <span class="muted">(${most} rows at most)</span></p>`;
}
