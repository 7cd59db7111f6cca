import { html } from 'hono/html';
import { allows } from '../../model/operator.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import { enabledBadge, labels } from '../parts/values.ts';
import { authenticationOf, formatPathRule, type ShownEndpoint } from './shown-endpoint.ts';

const PAGE_SIZE = '50';

/** Which requests there are endpoints for. */
export const endpointList: Page = {
  path: '/endpoints',
  needs: 'read',
  menu: { text: 'Endpoints' },
  show: async (visit) => {
    const label = (visit.query.get('label') ?? '').trim();
    const cursor = visit.query.get('cursor') ?? undefined;
    const path = withQuery('/v1/endpoints', { limit: PAGE_SIZE, cursor, label });
    return { title: 'Endpoints', body: listOf(visit, label, await visit.api.get<ListPage<ShownEndpoint>>(path)) };
  },
};

function listOf({ operator, query }: Visit, label: string, { items, nextCursor }: ListPage<ShownEndpoint>): Html {
  return html`<form method="get" action="/endpoints" role="search" class="filters">
<div class="field"><label for="label">Label</label>
<input type="search" id="label" name="label" value="${label}" placeholder="team=payments" autocomplete="off" spellcheck="false"></div>
<p class="buttons"><button type="submit">Find</button>${label === '' ? null : html` <a href="/endpoints">Show all</a>`}</p>
</form>
${allows(operator.role, 'change-endpoints') ? html`<p><a class="button" href="/new/endpoint">Create an endpoint</a></p>` : null}
${table({
  caption: label === '' ? 'Endpoints' : `Endpoints with the label ${label}`,
  columns: ['Id', 'Paths', 'Hosts', 'Methods', 'Authentication', 'Labels', 'State'],
  rows: items.map((endpoint) => [
    html`<a href="${url`/endpoints/${endpoint.id}`}">${endpoint.id}</a>`,
    pathsOf(endpoint),
    endpoint.match.hosts?.join(', ') ?? 'any',
    endpoint.match.methods?.join(', ') ?? 'any',
    authenticationOf(endpoint),
    labels(endpoint.labels),
    enabledBadge(endpoint.enabled),
  ]),
  empty: label === '' ? 'There are no endpoints yet.' : `No endpoint has the label ${label}.`,
})}
${pager('/endpoints', query, nextCursor)}`;
}

function pathsOf({ match: { paths } }: ShownEndpoint): Html {
  return html`${paths.map((rule, index) => html`${index === 0 ? null : ', '}<code>${formatPathRule(rule)}</code>`)}`;
}
