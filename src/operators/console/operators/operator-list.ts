import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { type SortedColumn, sortingOf } from '../parts/sorting.ts';
import { table } from '../parts/table.ts';
import { enabledBadge, labels, time } from '../parts/values.ts';
import type { ShownOperator } from './shown-operator.ts';

const PAGE_SIZE = '100';
const sorted: readonly SortedColumn[] = [
  { column: 'Id', sort: 'id', direction: 'ascending' },
  { column: 'Changed', sort: '-updatedAt', direction: 'descending' },
];

/** Who manages resources, for admins who reach everything. */
export const operatorList: Page = {
  path: '/operators',
  needs: 'change-operators',
  menu: { text: 'Operators' },
  show: async ({ api, query }) => {
    const cursor = query.get('cursor') ?? undefined;
    const { sort, sorting } = sortingOf('/operators', query, sorted);
    const page = await api.get<ListPage<ShownOperator>>(withQuery('/v1/operators', { limit: PAGE_SIZE, cursor, sort }));
    return {
      title: 'Operators',
      body: html`<p><a class="button" href="/new/operator">Add an operator</a></p>
${table({
  caption: 'Operators',
  columns: ['Id', 'Name', 'Role', 'Reach', 'Tokens', 'State', 'Changed'],
  rows: page.items.map((operator) => [
    html`<a href="${url`/operators/${operator.id}`}">${operator.id}</a>`,
    operator.name ?? '',
    operator.role,
    reachOf(operator),
    String(operator.tokens?.length ?? 0),
    enabledBadge(operator.enabled ?? true),
    time(operator.updatedAt),
  ]),
  sorting,
  empty: 'There are no operators.',
})}
${pager('/operators', query, page)}`,
    };
  },
};

/** The labels of what an operator reaches. */
export function reachOf({ selector = {} }: ShownOperator): Html {
  return Object.keys(selector).length === 0 ? html`everything` : labels(selector);
}
