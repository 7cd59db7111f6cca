import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { csvLink, labelsCell, readForCsv } from '../parts/csv.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { searchForm, wishOf } from '../parts/search.ts';
import { type SortedColumn, sortingOf } from '../parts/sorting.ts';
import { table } from '../parts/table.ts';
import { enabledBadge, labels, time } from '../parts/values.ts';
import { authenticationOf, formatPathRule, type ShownEndpoint } from './shown-endpoint.ts';

const PAGE_SIZE = '50';
const sorted: readonly SortedColumn[] = [
  { column: 'Id', sort: 'id', direction: 'ascending' },
  { column: 'Changed', sort: '-updatedAt', direction: 'descending' },
];

/** Which requests there are endpoints for. */
export const endpointList: Page = {
  path: '/endpoints',
  needs: 'read',
  menu: { text: 'Endpoints' },
  show: async (visit) => {
    const wanted = (visit.query.get('q') ?? '').trim();
    const cursor = visit.query.get('cursor') ?? undefined;
    const { sort } = sortingOf('/endpoints', visit.query, sorted);
    const path = withQuery('/v1/endpoints', { limit: PAGE_SIZE, cursor, sort, ...wishOf(wanted) });
    return { title: 'Endpoints', body: listOf(visit, wanted, await visit.api.get<ListPage<ShownEndpoint>>(path)) };
  },
  csv: async (visit) => {
    const { sort } = sortingOf('/endpoints', visit.query, sorted);
    const wish = { ...wishOf((visit.query.get('q') ?? '').trim()), sort };
    const { items, isCut } = await readForCsv<ShownEndpoint>(visit, '/v1/endpoints', wish);
    return {
      name: 'endpoints',
      columns: ['id', 'paths', 'hosts', 'methods', 'authentication', 'labels', 'enabled'],
      rows: items.map((each) => [
        each.id,
        each.match.paths.map(formatPathRule).join(' '),
        each.match.hosts?.join(' '),
        each.match.methods?.join(' '),
        authenticationOf(each),
        labelsCell(each.labels),
        each.enabled,
      ]),
      isCut,
    };
  },
};

function listOf({ operator, query }: Visit, wanted: string, page: ListPage<ShownEndpoint>): Html {
  const hint = html`By the beginning of its id, or a label such as <code>team=payments</code>.`;
  return html`${searchForm({ path: '/endpoints', label: 'Find an endpoint', hint, wanted })}
${allows(operator.role, 'change-endpoints') ? html`<p><a class="button" href="/new/endpoint">Create an endpoint</a></p>` : null}
${table({
  caption: wanted === '' ? 'Endpoints' : `Endpoints found for "${wanted}"`,
  columns: ['Id', 'Paths', 'Hosts', 'Methods', 'Authentication', 'Labels', 'State', 'Changed'],
  rows: page.items.map((endpoint) => [
    html`<a href="${url`/endpoints/${endpoint.id}`}">${endpoint.id}</a>`,
    pathsOf(endpoint),
    endpoint.match.hosts?.join(', ') ?? 'any',
    endpoint.match.methods?.join(', ') ?? 'any',
    authenticationOf(endpoint),
    labels(endpoint.labels),
    enabledBadge(endpoint.enabled),
    time(endpoint.updatedAt),
  ]),
  sorting: sortingOf('/endpoints', query, sorted).sorting,
  empty: wanted === '' ? 'There are no endpoints yet.' : `No endpoint was found for "${wanted}".`,
})}
${pager('/endpoints', query, page)}
${csvLink('/endpoints', query)}`;
}

function pathsOf({ match: { paths } }: ShownEndpoint): Html {
  return html`${paths.map((rule, index) => html`${index === 0 ? null : ', '}<code>${formatPathRule(rule)}</code>`)}`;
}
