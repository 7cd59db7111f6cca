import { html } from 'hono/html';
import type { Limit } from '../../../model/limit.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import { lastingNote } from '../parts/limit-rows.ts';
import type { ListPage } from '../parts/pager.ts';
import { type Cell, table } from '../parts/table.ts';
import { badge, limitList, timeOr } from '../parts/values.ts';

/** Whether a consumer may call an endpoint, as `GET /v1/consumers/ID/access` shows it. */
export interface ShownAccess {
  readonly endpoint: string;
  readonly allowed: boolean;
  /** Null where a grant is needed and there is none. */
  readonly by: 'open' | 'grant' | 'authenticated' | null;
  readonly limits: readonly Limit[];
  /** When this changes by time alone. */
  readonly until?: string;
  readonly obstacles: readonly { readonly code: string; readonly what: string }[];
  /** Every grant on the endpoint that could be the consumer's. */
  readonly grants: readonly { readonly consumer?: string; readonly consumerSelector?: object }[];
}

/** What a consumer may call, with which limits, and what stands in the way. */
export function accessSection({ items, nextCursor }: ListPage<ShownAccess>, id: string, isChanger: boolean): Html {
  return html`<section aria-labelledby="access">
<h2 id="access">Access</h2>
${isChanger ? html`<p><a class="button" href="${url`/consumers/${id}/grant`}">Give access</a></p>` : null}
${table({
  caption: 'Endpoints, and whether this consumer may call them',
  columns: ['Endpoint', 'May call', 'By', 'Limits', 'Until', ...(isChanger ? ['Change'] : [])],
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
    by === null ? '' : reasons[by],
    limitList(limits),
    timeOr(until, by === null ? '' : 'no end'),
    ...(isChanger ? [changes(access, id)] : []),
  ];
}

const reasons = { open: 'open to all', grant: 'a grant', authenticated: 'its credentials' } as const;

function verdict({ allowed, obstacles }: ShownAccess): Html {
  if (allowed) return badge('yes', 'good');
  const whats = obstacles.map(({ what }) => html`<li>${what}</li>`);
  return html`${badge('no', 'bad')}<ul class="plain">${whats}</ul>`;
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
