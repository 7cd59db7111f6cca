import { randomBytes } from 'node:crypto';
import { html } from 'hono/html';
import type { ProblemCode } from '../../api/problem.ts';
import { type Html, url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, reasonField, type Refused, refusal, textField } from '../parts/form.ts';
import { definitions } from '../parts/table.ts';
import { copyable, time } from '../parts/values.ts';
import { operatorTrail, readOperator } from './operator-fields.ts';

/** The form was sent before, with the same or with other fields. */
const sentBefore: readonly ProblemCode[] = ['IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_CONFLICT'];

/**
 * Issues a token for an operator. The answer to the form has the token. The form carries a key of its own: sent again, as
 * by a reload, it issues nothing and shows no token.
 */
export const issueToken: Page = {
  path: '/operators/:id/issue',
  needs: 'change-operators',
  show: async (visit) => {
    const { id } = await readOperator(visit);
    return show(visit, id, { onceKey: newKey(), expiresAt: '', reason: '', refused: null });
  },
  submit: async (visit, form) => {
    const { id } = await readOperator(visit);
    const given = readForm(form);
    const { onceKey, expiresAt, reason } = given;
    const answer = await visit.api.change<IssuedToken>('POST', url`/v1/operators/${id}/tokens:issue`, {
      body: expiresAt === '' ? {} : { expiresAt },
      ...{ onceKey, reason },
    });
    const { problem } = answer;
    if (problem !== null) {
      if (sentBefore.includes(problem.code)) return issuedBefore(id);
      return { ...show(visit, id, { ...given, refused: problem }), status: problem.status };
    }
    if (answer.headers.get('idempotency-replayed') === 'true') return issuedBefore(id);
    return { title: 'The token was issued', trail: operatorTrail(id), body: tokenOnce(id, answer.body) };
  },
};

/** What `POST /v1/operators/ID/tokens:issue` answers. */
interface IssuedToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: string;
}

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

interface Given {
  /** The API answers a request with the same key once. */
  readonly onceKey: string;
  readonly expiresAt: string;
  readonly reason: string;
  readonly refused: Refused;
}

/** A key that no page made is not sent on; the API then refuses the form. */
function readForm(form: Form): Given {
  const key = form.text('onceKey');
  const [expiresAt, reason] = [form.text('expiresAt'), form.text('reason')];
  return { onceKey: KEY_PATTERN.test(key) ? key : '', expiresAt, reason, refused: null };
}

function show(visit: Visit, id: string, { onceKey, expiresAt, reason, refused }: Given): Shown {
  const hint =
    'Optional: in 90 days. A time such as 2027-01-01T00:00:00Z, or a span from now such as 30d; a year at most.';
  return {
    title: `Issue a token for ${id}`,
    trail: operatorTrail(id),
    body: changeForm(
      visit,
      refusal(refused, url`/operators/${id}/issue`),
      hiddenField('onceKey', onceKey === '' ? newKey() : onceKey),
      textField({ name: 'expiresAt', label: 'Ends', hint, value: expiresAt }, refused),
      reasonField(reason, refused),
      buttons({ text: 'Issue', cancel: url`/operators/${id}` }),
    ),
  };
}
