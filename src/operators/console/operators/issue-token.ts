import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import type { Shown } from '../frame/page.ts';
import { changePage } from '../parts/change-page.ts';
import { momentField, momentOfForm } from '../parts/moment-field.ts';
import { definitions } from '../parts/table.ts';
import { copyable, time } from '../parts/values.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';
import type { ShownOperator } from './shown-operator.ts';

/** What is typed. */
interface Wanted {
  readonly expiresAt: string;
}

/** What `POST /v1/operators/ID/tokens:issue` answers. */
interface IssuedToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Issues a token for an operator. The answer to the form has the token. Sent again, the form issues nothing; it shows
 * the token again for the second of two clicks, and not for a reload.
 */
export const issueToken = changePage<ShownOperator, Wanted, IssuedToken>({
  path: '/operators/:id/issue',
  needs: 'change-operators',
  read: readOperator,
  heading: ({ id }) => ({ title: `Issue a token for ${id}`, trail: operatorTrail(id), verb: 'Issue' }),
  begin: () => ({ expiresAt: '' }),
  typed: (form) => ({ expiresAt: momentOfForm(form, 'expiresAt') }),
  fields: ({ expiresAt: value }, { refused }) => {
    const hint =
      'Optional. A time such as 2027-01-01T00:00:00Z, or a span such as 30d; 90d without it, a year at most.';
    return momentField({ name: 'expiresAt', label: 'Ends', hint, value }, refused);
  },
  request: ({ expiresAt }, { id }) => ({
    method: 'POST',
    path: url`/v1/operators/${id}/tokens:issue`,
    body: expiresAt === '' ? {} : { expiresAt },
  }),
  once: { sentBefore: (_, { id }) => issuedBefore(id) },
  done: ({ body }, _, { id }) => ({
    title: 'The token was issued',
    trail: operatorTrail(id),
    body: tokenOnce(id, body),
  }),
});

/** The answer to the form itself: no address shows the token again, and browsers do not keep the page. */
function tokenOnce(operator: string, { id, token, expiresAt }: IssuedToken): Html {
  return html`<div class="notice" role="status"><p><strong>Copy it now: the token is shown only once.</strong> Its holder
acts as this operator.</p></div>
${definitions([
  ['Operator', html`<a href="${url`/operators/${operator}`}">${operator}</a>`],
  ['Token', copyable(token, 'the token', 'token')],
  ['Id of the token', html`<code>${id}</code>`],
  ['Ends', time(expiresAt)],
])}`;
}

function issuedBefore(id: string): Shown {
  return {
    title: 'This form was sent before',
    trail: operatorTrail(id),
    status: 409,
    body: html`<p>Nothing was issued again. A token is in the first answer only and is not shown again. If it was lost, revoke
it on the page of <a href="${url`/operators/${id}`}">${id}</a>, and issue another one.</p>`,
  };
}
