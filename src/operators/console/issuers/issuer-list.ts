import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { table } from '../parts/table.ts';
import { type SortedColumn, sortingOf } from '../parts/sorting.ts';
import { labels, time } from '../parts/values.ts';
import type { ShownIssuer } from './shown-issuer.ts';

/** There are no more. */
const ALL = '100';
const sorted: readonly SortedColumn[] = [
  { column: 'Id', sort: 'id', direction: 'ascending' },
  { column: 'Changed', sort: '-updatedAt', direction: 'descending' },
];

/** The issuers within reach. */
export const issuerList: Page = {
  path: '/issuers',
  needs: 'read',
  menu: { text: 'Issuers' },
  show: async ({ api, operator, query }) => {
    const { sort, sorting } = sortingOf('/issuers', query, sorted);
    const path = withQuery('/v1/issuers', { limit: ALL, sort });
    const { items } = await api.get<{ readonly items: readonly ShownIssuer[] }>(path);
    return {
      title: 'Issuers',
      body: html`<p>Tokens of an outside issuer stand for the consumers whose credentials name it.</p>
${allows(operator.role, 'change-endpoints') ? html`<p><a class="button" href="/new/issuer">Add an issuer</a></p>` : null}
${table({
  caption: 'Issuers',
  columns: ['Id', 'Issuer', 'Audiences', 'Labels', 'State', 'Changed'],
  rows: items.map((issuer) => [
    html`<a href="${url`/issuers/${issuer.id}`}">${issuer.id}</a>`,
    issuer.issuer,
    issuer.audiences.join(', '),
    labels(issuer.labels),
    issuer.enabled ? 'enabled' : 'disabled',
    time(issuer.updatedAt),
  ]),
  sorting,
  empty: 'There are no issuers.',
})}`,
    };
  },
};
