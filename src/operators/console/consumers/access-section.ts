import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import { basisOf, planOf, type ShownAccess, verdict } from '../grants/shown-access.ts';
import { lastingNote } from '../parts/limit-rows.ts';
import type { ListPage } from '../parts/pager.ts';
import { type Cell, table } from '../parts/table.ts';
import { limitList, timeOr } from '../parts/values.ts';

/** What a consumer may call, with which limits, and what stands in the way. */
export function accessSection({ items, nextCursor }: ListPage<ShownAccess>, id: string, isChanger: boolean): Html {
  return html`<section aria-labelledby="access">
<h2 id="access">Access</h2>
${isChanger ? html`<p><a class="button" href="${url`/consumers/${id}/grant`}">Give access</a></p>` : null}
${table({
  caption: 'Endpoints, and whether this consumer may call them',
  columns: ['Endpoint', 'May call', 'By', 'Limits', 'Plan', 'Until', ...(isChanger ? ['Change'] : [])],
  rows: items.map((access) => rowOf(access, id, isChanger)),
  empty: 'There are no endpoints yet.',
})}
${lastingNote(items.flatMap(({ limits }) => limits))}
${nextCursor === null ? null : html`<p class="muted">There are more endpoints than are shown here.</p>`}
</section>`;
}

function rowOf(access: ShownAccess, id: string, isChanger: boolean): readonly Cell[] {
  const { endpoint, by, limits, until } = access;
  return [
    html`<a href="${url`/endpoints/${endpoint}`}">${endpoint}</a>`,
    verdict(access),
    basisOf(access),
    limitList(limits),
    planOf(access),
    timeOr(until, by === null ? '' : 'no end'),
    ...(isChanger ? [changes(access, id)] : []),
  ];
}

function changes({ endpoint, by, grants }: ShownAccess, id: string): Cell {
  if (grants.some(({ consumer }) => consumer === id)) {
    const path = url`/consumers/${id}/grants/${endpoint}`;
    return html`<a href="${path}" aria-label="Change access to ${endpoint}">Change</a>
<a href="${path}/withdraw" aria-label="Withdraw access to ${endpoint}">Withdraw</a>`;
  }
  if (by === 'open') return '';
  const path = withQuery(url`/consumers/${id}/grant`, { endpoint });
  return html`<a href="${path}" aria-label="Give access to ${endpoint}">Give access</a>`;
}
