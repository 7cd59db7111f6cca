import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import { table } from '../parts/table.ts';
import { labels, limitList, timeOr } from '../parts/values.ts';
import { holderOf, pageOfGrant, type ShownGrant } from './shown-grant.ts';

/** The grants on an endpoint: whom they are for, until when, with which limits. */
export function grantTable(grants: readonly ShownGrant[], isChanger: boolean): Html {
  return table({
    caption: 'Grants on this endpoint',
    columns: ['For', 'Priority', 'Limits of each consumer', 'Until', ...(isChanger ? ['Change'] : [])],
    rows: grants.map((grant) => [
      forWhom(grant),
      grant.priority ?? (grant.consumer === undefined ? 0 : html`<span class="muted">before groups</span>`),
      grant.limits === undefined ? html`<span class="muted">those of the endpoint</span>` : limitList(grant.limits),
      timeOr(grant.expiresAt, 'no end'),
      ...(isChanger ? [changes(grant)] : []),
    ]),
    empty: 'No grant names this endpoint.',
  });
}

function forWhom({ consumer, consumerSelector }: ShownGrant): Html {
  if (consumer === undefined) return html`every consumer with ${labels(consumerSelector)}`;
  return html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`;
}

function changes(grant: ShownGrant): Html {
  const page = pageOfGrant(grant);
  const whose = holderOf(grant);
  return html`<a href="${page}" aria-label="Change access of ${whose}">Change</a>
<a href="${page}/withdraw" aria-label="Withdraw access of ${whose}">Withdraw</a>`;
}
