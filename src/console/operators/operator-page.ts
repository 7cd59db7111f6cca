import { html } from 'hono/html';
import { url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions, table } from '../parts/table.ts';
import { enabledBadge, time } from '../parts/values.ts';
import { reachOf } from './operator-list.ts';
import { roleTexts, type ShownOperator } from './shown-operator.ts';

/** One operator, with the tokens by their ids. */
export const operatorPage: Page = {
  path: '/operators/:id',
  show: async ({ api, param }) => {
    const operator = await api.get<ShownOperator>(url`/v1/operators/${param('id')}`);
    const { id, name, role, enabled = true, certificateNames = [], subjects = [], tokens = [] } = operator;
    return {
      title: name ?? id,
      trail: [{ href: '/operators', text: 'Operators' }],
      body: html`${definitions([
        ['Id', html`<code>${id}</code>`],
        ['State', enabledBadge(enabled)],
        ['Role', html`${role}: ${roleTexts[role]}`],
        ['Reach', reachOf(operator)],
        ['Names of certificates', certificateNames.length === 0 ? null : certificateNames.join(', ')],
        ['Subjects at the provider', subjects.length === 0 ? null : subjects.join(', ')],
        ['Created', time(operator.createdAt)],
        ['Changed', time(operator.updatedAt)],
      ])}
<h2>Tokens</h2>
${table({
  caption: 'The tokens themselves are not kept',
  columns: ['Id', 'Issued', 'Ends'],
  rows: tokens.map((token) => [html`<code>${token.id}</code>`, time(token.createdAt), time(token.expiresAt)]),
  empty: 'No token works for this operator.',
})}
<p><a href="${withQuery('/audit', { actor: id })}">What this operator changed</a></p>`,
    };
  },
};
