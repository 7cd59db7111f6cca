import { html } from 'hono/html';
import { credentialIdWith, generateIdSuffix } from '../../manage/generate-credential.ts';
import { authenticationMethods } from '../../model/endpoint.ts';
import { consumerTrail, readConsumer } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, reasonField, type Refused, refusal, selectField } from '../parts/form.ts';
import { textField, tickBox } from '../parts/form.ts';
import { secretsOnce } from './secrets-once.ts';
import type { IssuedCredential } from './shown-credential.ts';

const methodTexts = {
  key: 'key: the App Key alone is sent',
  hmac: 'hmac: requests are signed (HMAC)',
  'parameter-signature': 'parameter-signature: parameters are signed',
  oauth2: 'oauth2: access tokens (client credentials)',
} as const;

/**
 * Issues a credential. The answer to the form has the secret. The form carries what is random in the id: sent again, as
 * by a reload, it finds the id taken and issues nothing.
 */
export const issueCredential: Page = {
  path: '/consumers/:id/issue',
  needs: 'change-consumers',
  show: async (visit) => {
    const { id } = await readConsumer(visit);
    return show(visit, id, empty());
  },
  submit: async (visit, form) => {
    const { id: consumer } = await readConsumer(visit);
    const given = readForm(form);
    const isGenerated = given.id === '' && SUFFIX_PATTERN.test(given.suffix);
    const id = isGenerated ? credentialIdWith(consumer, given.method, given.suffix) : given.id;
    const answer = await visit.api.change<IssuedCredential>('POST', '/v1/credentials:issue', {
      body: {
        ...{ consumer, method: given.method },
        ...(id === '' ? {} : { id }),
        ...(given.notBefore === '' ? {} : { notBefore: given.notBefore }),
        ...(given.expiresAt === '' ? {} : { expiresAt: given.expiresAt }),
        ...(given.isHashOnly ? { hashOnly: true } : {}),
      },
      reason: given.reason,
    });
    if (isGenerated && answer.problem?.code === 'CONFLICT') return issuedBefore(consumer, id);
    if (answer.problem !== null) {
      const shown = show(visit, consumer, { ...given, refused: answer.problem });
      return { ...shown, status: answer.problem.status };
    }
    return {
      title: 'The credential was issued',
      trail: consumerTrail(consumer),
      body: secretsOnce(answer.body, null),
    };
  },
};

/** As `generateIdSuffix` makes it. */
const SUFFIX_PATTERN = /^[0-9a-f]{8}$/;

function issuedBefore(consumer: string, id: string): Shown {
  return {
    title: 'This credential was issued before',
    trail: consumerTrail(consumer),
    status: 409,
    body: html`<p>This form was sent before, and nothing was issued again. The secret of
<a href="${url`/credentials/${id}`}">${id}</a> was in the first answer and is not shown again. If it was lost, rotate the
credential, or revoke it and issue another one.</p>`,
  };
}

interface Given {
  readonly method: string;
  readonly id: string;
  /** What is random in the id, where none is typed. */
  readonly suffix: string;
  readonly notBefore: string;
  readonly expiresAt: string;
  readonly isHashOnly: boolean;
  readonly reason: string;
  readonly refused: Refused;
}

function empty(): Given {
  const texts = { method: 'hmac', id: '', notBefore: '', expiresAt: '', reason: '' };
  return { ...texts, suffix: generateIdSuffix(), isHashOnly: false, refused: null };
}

function readForm(form: Form): Given {
  return {
    ...{ method: form.text('method'), id: form.text('id'), suffix: form.text('suffix') },
    ...{ notBefore: form.text('notBefore'), expiresAt: form.text('expiresAt'), reason: form.text('reason') },
    ...{ isHashOnly: form.isTicked('hashOnly'), refused: null },
  };
}

function show(visit: Visit, consumer: string, given: Given): Shown {
  const { refused } = given;
  const momentHint = 'Optional. A time such as 2027-01-01T00:00:00Z, or a span from now such as 90d.';
  const idHint = 'Optional: one is generated. Lower-case letters, digits and hyphens.';
  return {
    title: `Issue a credential for ${consumer}`,
    trail: consumerTrail(consumer),
    body: changeForm(
      visit,
      refusal(refused, url`/consumers/${consumer}/issue`),
      hiddenField('suffix', given.suffix),
      selectField(
        {
          ...{ name: 'method', label: 'Authentication method', value: given.method },
          choices: authenticationMethods.map((method) => ({ value: method, text: methodTexts[method] })),
        },
        refused,
      ),
      textField({ name: 'expiresAt', label: 'Ends', hint: momentHint, value: given.expiresAt }, refused),
      textField({ name: 'notBefore', label: 'Works from', hint: momentHint, value: given.notBefore }, refused),
      textField({ name: 'id', label: 'Id', hint: idHint, value: given.id }, refused),
      tickBox({
        name: 'hashOnly',
        label: 'For method key: keep only the hash of the App Key',
        isTicked: given.isHashOnly,
      }),
      reasonField(given.reason, refused),
      buttons({ text: 'Issue', cancel: url`/consumers/${consumer}` }),
    ),
  };
}
