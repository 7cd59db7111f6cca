import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions, table } from '../parts/table.ts';
import { enabledBadge, time } from '../parts/values.ts';
import { reachOf } from './operator-list.ts';
import { readOperator } from './operator-fields.ts';
import { roleTexts } from './shown-operator.ts';

/** One operator, with the tokens by their ids. */
export const operatorPage: Page = {
  path: '/operators/:id',
  needs: 'change-operators',
  show: async (visit) => {
    const operator = await readOperator(visit);
    const { id, name, role, enabled = true, certificateNames = [], subjects = [], tokens = [] } = operator;
    const { hosts = [], pathPrefixes = [] } = operator;
    return {
      title: name ?? id,
      trail: [{ href: '/operators', text: 'Operators' }],
      body: html`${definitions([
        ['Id', html`<code>${id}</code>`],
        ['State', enabledBadge(enabled)],
        ['Role', html`${role}: ${roleTexts[role]}`],
        ['Reach', reachOf(operator)],
        ['Hosts of endpoints to change', hosts.length === 0 ? 'any' : hosts.join(', ')],
        ['Paths of endpoints to change', pathPrefixes.length === 0 ? 'any' : pathPrefixes.join(', ')],
        ['Names of certificates', certificateNames.length === 0 ? null : certificateNames.join(', ')],
        ['Subjects at the provider', subjects.length === 0 ? null : subjects.join(', ')],
        ['Created', time(operator.createdAt)],
        ['Changed', time(operator.updatedAt)],
      ])}
${actions(id)}
<h2>Tokens</h2>
${table({
  caption: 'The tokens themselves are not kept',
  columns: ['Id', 'Issued', 'Ends', 'Change'],
  rows: tokens.map((token) => [
    html`<code>${token.id}</code>`,
    time(token.createdAt),
    time(token.expiresAt),
    html`<a href="${url`/operators/${id}/tokens/${token.id}/revoke`}" aria-label="Revoke the token ${token.id}">Revoke</a>`,
  ]),
  empty: 'No token works for this operator.',
})}
<p><a href="${withQuery('/audit', { actor: id })}">What this operator changed</a></p>`,
    };
  },
};

function actions(id: string): Html {
  return html`<ul class="actions">
<li><a class="button" href="${url`/operators/${id}/edit`}">Edit</a></li>
<li><a class="button" href="${url`/operators/${id}/issue`}">Issue a token</a></li>
<li><a class="button danger" href="${url`/operators/${id}/remove`}">Remove</a></li>
</ul>`;
}
