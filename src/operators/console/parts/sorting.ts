import { withQuery } from '../frame/html.ts';
import { listQuery } from './pager.ts';
import type { TableParts } from './table.ts';

/** A column by which a list can be sorted, and how: only as there is an index for it. */
export interface SortedColumn {
  readonly column: string;
  /** As the API names the order. */
  readonly sort: string;
  readonly direction: 'ascending' | 'descending';
}

/** How a list is sorted, and the ways to its other orders. */
export interface Sorting {
  /** Undefined for the usual order. */
  readonly sort: string | undefined;
  readonly sorting: NonNullable<TableParts['sorting']>;
}

/** The order that an address asks for. The first column is that of the usual order, which an unknown one becomes. */
export function sortingOf(path: string, query: URLSearchParams, columns: readonly SortedColumn[]): Sorting {
  const [usual] = columns;
  const asked = columns.find(({ sort }) => sort === query.get('sort')) ?? usual;
  const others = Object.fromEntries(Object.entries(listQuery(query)).filter(([name]) => name !== 'sort'));
  const hrefOf = ({ sort }: SortedColumn): string =>
    withQuery(path, sort === usual?.sort ? others : { ...others, sort });
  return {
    sort: asked === usual ? undefined : asked?.sort,
    sorting: {
      by: asked?.column ?? '',
      direction: asked?.direction ?? 'ascending',
      hrefs: Object.fromEntries(columns.map((each) => [each.column, hrefOf(each)])),
    },
  };
}
