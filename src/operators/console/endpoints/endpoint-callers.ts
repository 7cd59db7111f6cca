import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { basisOf, planOf, type ShownAccess, verdict } from '../grants/shown-access.ts';
import { grantTable } from '../grants/grant-table.ts';
import type { ShownGrant } from '../grants/shown-grant.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { searchForm, wishOf } from '../parts/search.ts';
import { table } from '../parts/table.ts';
import { limitList, timeOr } from '../parts/values.ts';
import { endpointTrail, readEndpoint, type ShownEndpoint } from './shown-endpoint.ts';

const PAGE_SIZE = '50';
/** So many on the page of the endpoint. */
const FIRST = '10';

/** A consumer that an endpoint lets in, as `GET /v1/endpoints/ID/callers` shows it. */
type ShownCaller = Omit<ShownAccess, 'endpoint' | 'grants'> & { readonly consumer: string };

/** Who may call an endpoint, found by id, name or label. */
export const endpointCallers: Page = {
  path: '/endpoints/:id/callers',
  needs: 'read',
  show: async (visit) => {
    const { id } = await readEndpoint(visit);
    const wanted = (visit.query.get('q') ?? '').trim();
    const path = url`/endpoints/${id}/callers`;
    const page = await readCallers(visit, id, { limit: PAGE_SIZE, ...wishOf(wanted) });
    return {
      title: `Who may call ${id}`,
      trail: endpointTrail(id),
      body: html`${findCaller(path, wanted)}
${callerTable(page.items, wanted)}
${pager(path, visit.query, page)}`,
    };
  },
};

/** The grants on an endpoint. */
export const endpointGrants: Page = {
  path: '/endpoints/:id/grants',
  needs: 'read',
  show: async (visit) => {
    const { id } = await readEndpoint(visit);
    const page = await readGrants(visit, id, PAGE_SIZE);
    return {
      title: `Grants on ${id}`,
      trail: endpointTrail(id),
      body: html`${grantTable(page.items, allows(visit.operator.role, 'change-consumers'))}
${pager(url`/endpoints/${id}/grants`, visit.query, page)}`,
    };
  },
};

/** The first grants on an endpoint and the first who may call it, with a search; null for one that is open to all. */
export async function callerSections(visit: Visit, { id, scenario }: ShownEndpoint): Promise<Html | null> {
  if (scenario === 'open') return null;
  const isChanger = allows(visit.operator.role, 'change-consumers');
  const [grants, callers] = await Promise.all([readGrants(visit, id, FIRST), readCallers(visit, id, { limit: FIRST })]);
  const path = url`/endpoints/${id}/callers`;
  return await html`<section aria-labelledby="grants">
<h2 id="grants">Grants</h2>
${isChanger ? html`<p><a class="button" href="${url`/endpoints/${id}/grant`}">Give access</a></p>` : null}
${grantTable(grants.items, isChanger)}
${grants.nextCursor === null ? null : html`<p><a href="${url`/endpoints/${id}/grants`}">All grants</a></p>`}
</section>
<section aria-labelledby="callers">
<h2 id="callers">Who may call</h2>
${findCaller(path, '')}
${callerTable(callers.items, '')}
${callers.nextCursor === null ? null : html`<p><a href="${path}">All who may call</a></p>`}
</section>`;
}

async function readGrants({ api, query }: Visit, endpoint: string, limit: string): Promise<ListPage<ShownGrant>> {
  return await api.get(withQuery('/v1/grants', { endpoint, limit, cursor: query.get('cursor') ?? undefined }));
}

async function readCallers(
  { api, query }: Visit,
  endpoint: string,
  wish: Readonly<Record<string, string>>,
): Promise<ListPage<ShownCaller>> {
  return await api.get(
    withQuery(url`/v1/endpoints/${endpoint}/callers`, { ...wish, cursor: query.get('cursor') ?? undefined }),
  );
}

function findCaller(path: string, wanted: string): Html {
  const hint = html`By the beginning of the id of a consumer, a part of its name, or a label such as
<code>tier=gold</code>.`;
  return searchForm({ path, label: 'Find who may call', hint, wanted });
}

function callerTable(callers: readonly ShownCaller[], wanted: string): Html {
  return table({
    caption: 'Consumers that may call, by what, and within which limits',
    columns: ['Consumer', 'May call', 'By', 'Limits', 'Plan', 'Until'],
    rows: callers.map((caller) => [
      html`<a href="${url`/consumers/${caller.consumer}`}">${caller.consumer}</a>`,
      verdict(caller),
      basisOf(caller),
      limitList(caller.limits),
      planOf(caller),
      timeOr(caller.until, 'no end'),
    ]),
    empty:
      wanted === ''
        ? 'No consumer may call this endpoint: none has a credential that works and, where one is needed, a grant.'
        : `No consumer that may call was found for "${wanted}".`,
  });
}
