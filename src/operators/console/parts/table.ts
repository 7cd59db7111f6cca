import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';

/** A cell: text, or a part of a page. */
export type Cell = Html | string | number | null;

/** A table of records. */
export interface TableParts {
  /** What the table shows, for everybody: it stands above it. */
  readonly caption: string;
  readonly columns: readonly string[];
  /** The first cell of a row names the record. */
  readonly rows: readonly (readonly Cell[])[];
  /** The columns by which the rows can be sorted, and the one by which they are; the most first unless it says so. */
  readonly sorting?: {
    readonly hrefs: Readonly<Record<string, string>>;
    readonly by: string;
    readonly direction?: 'ascending' | 'descending';
  };
  /** Instead of a table without rows. */
  readonly empty: string;
}

/**
 * A table. Where the window is narrow, each record is a block, and every cell has the name of its column beside it; the
 * roles say again what the elements are, because browsers forget it when a table is laid out otherwise.
 */
export function table({ caption, columns, rows, sorting, empty }: TableParts): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const head = columns.map((column, index) => {
    const number = typeof rows[0]?.[index] === 'number' ? html`class="number"` : null;
    const href = sorting?.hrefs[column];
    const sorted = sorting?.by === column ? html`aria-sort="${sorting.direction ?? 'descending'}"` : null;
    return html`<th scope="col" role="columnheader" ${number} ${sorted}>${
      href === undefined || sorted !== null ? column : html`<a href="${href}">${column}</a>`
    }</th>`;
  });
  const lines = rows.map(
    ([first, ...others]) =>
      html`<tr role="row"><th scope="row" role="rowheader">${first}</th>${others.map((cell, index) =>
        cellOf(cell, columns[index + 1] ?? ''),
      )}</tr>`,
  );
  return html`<div class="table-frame" role="region" aria-label="${caption}" tabindex="0"><table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">${lines}</tbody>
</table></div>`;
}

/** Numbers stand below each other, with a comma between thousands. */
function cellOf(cell: Cell, column: string): Html {
  return typeof cell === 'number'
    ? html`<td role="cell" class="number" data-label="${column}">${cell.toLocaleString('en')}</td>`
    : html`<td role="cell" data-label="${column}">${cell}</td>`;
}

/** Names with values, such as the fields of one resource. What is null is left out. */
export function definitions(entries: readonly (readonly [name: string, value: Cell])[]): Html {
  const shown = entries.filter(([, value]) => value !== null);
  return html`<dl class="definitions">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
