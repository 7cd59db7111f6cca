import { randomBytes } from 'node:crypto';
import { html } from 'hono/html';
import type { ProblemCode } from '../../api/problem.ts';
import { type Html, url } from '../frame/html.ts';
import type { Shown } from '../frame/page.ts';
import { changePage } from '../parts/change-page.ts';
import { hiddenField, textField } from '../parts/form.ts';
import { definitions } from '../parts/table.ts';
import { copyable, time } from '../parts/values.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';
import type { ShownOperator } from './shown-operator.ts';

/** The form was sent before, with the same or with other fields. */
const sentBefore: readonly ProblemCode[] = ['IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_CONFLICT'];

/** What is typed, and the key by which the API answers the form once. */
interface Wanted {
  readonly onceKey: string;
  readonly expiresAt: string;
}

/** What `POST /v1/operators/ID/tokens:issue` answers. */
interface IssuedToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

/**
 * Issues a token for an operator. The answer to the form has the token. The form carries a key of its own: sent again,
 * as by a reload, it issues nothing and shows no token.
 */
export const issueToken = changePage<ShownOperator, Wanted, IssuedToken>({
  path: '/operators/:id/issue',
  needs: 'change-operators',
  read: readOperator,
  heading: ({ id }) => ({ title: `Issue a token for ${id}`, trail: operatorTrail(id), verb: 'Issue' }),
  begin: () => ({ onceKey: newKey(), expiresAt: '' }),
  // A key that no page made is not sent on; the API then refuses the form.
  typed: ({ text }) => ({
    onceKey: KEY_PATTERN.test(text('onceKey')) ? text('onceKey') : '',
    expiresAt: text('expiresAt'),
  }),
  fields: ({ onceKey, expiresAt: value }, { refused }) => {
    const hint =
      'Optional. A time such as 2027-01-01T00:00:00Z, or a span such as 30d; 90d without it, a year at most.';
    return [
      hiddenField('onceKey', onceKey === '' ? newKey() : onceKey),
      textField({ name: 'expiresAt', label: 'Ends', hint, value }, refused),
    ];
  },
  request: ({ onceKey, expiresAt }, { id }) => ({
    method: 'POST',
    path: url`/v1/operators/${id}/tokens:issue`,
    onceKey,
    body: expiresAt === '' ? {} : { expiresAt },
  }),
  instead: ({ code }, _, { id }) => (sentBefore.includes(code) ? issuedBefore(id) : null),
  done: ({ body, headers }, _, { id }) =>
    headers.get('idempotency-replayed') === 'true'
      ? issuedBefore(id)
      : { title: 'The token was issued', trail: operatorTrail(id), body: tokenOnce(id, body) },
});

/** As {@link newKey} makes it. */
const KEY_PATTERN = /^[0-9a-f]{32}$/;

function newKey(): string {
  return randomBytes(16).toString('hex');
}

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
