import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, reasonField, type Refused, refusal } from '../parts/form.ts';
import { textField, tickBox } from '../parts/form.ts';
import { secretsOnce } from './secrets-once.ts';
import {
  credentialTrail,
  type IssuedCredential,
  isKeySecret,
  readCredential,
  type ShownCredential,
} from './shown-credential.ts';

/** Seven days, in which partners change over. */
const USUAL_GRACE = '7d';

/**
 * Gives a credential a new secret, while the former one works for a while. The form carries the revision that it showed:
 * sent again, as by a reload, it changes nothing.
 */
export const rotateCredential: Page = {
  path: '/credentials/:id/rotate',
  needs: 'change-consumers',
  show: async (visit) => {
    const credential = await readCredential(visit);
    return show(visit, credential, {
      ...{ grace: USUAL_GRACE, isForced: false, successor: '', reason: '' },
      ...{ revision: String(credential.revision), refused: null },
    });
  },
  submit: async (visit, form) => {
    const credential = await readCredential(visit);
    const given = readForm(form);
    const { grace, isForced, successor, revision, reason } = given;
    const answer = await visit.api.change<RotationOutcome>('POST', url`/v1/credentials/${credential.id}:rotate`, {
      body: { grace, ...(isForced ? { force: true } : {}), ...(successor === '' ? {} : { id: successor }) },
      ...{ reason, revision },
    });
    if (answer.problem !== null) {
      return { ...show(visit, credential, { ...given, refused: answer.problem }), status: answer.problem.status };
    }
    const { credential: carrier, formerEndsAt } = answer.body;
    return {
      title: 'The credential has a new secret',
      trail: credentialTrail(credential),
      body: secretsOnce(carrier, formerEndsAt),
    };
  },
};

interface RotationOutcome {
  readonly formerEndsAt: string;
  readonly credential: IssuedCredential;
}

interface Given {
  readonly grace: string;
  /** Ends the former secret of the last rotation. */
  readonly isForced: boolean;
  /** The id of the second credential of method key. */
  readonly successor: string;
  readonly reason: string;
  readonly revision: string;
  readonly refused: Refused;
}

function readForm(form: Form): Given {
  return {
    ...{ grace: form.text('grace'), isForced: form.isTicked('force'), successor: form.text('id') },
    ...{ reason: form.text('reason'), revision: form.text('revision') },
    refused: null,
  };
}

function show(visit: Visit, credential: ShownCredential, given: Given): Shown {
  const { id } = credential;
  const { refused } = given;
  const isKey = isKeySecret(credential);
  return {
    title: `Rotate ${id}`,
    trail: credentialTrail(credential),
    body: changeForm(
      visit,
      refusal(refused, url`/credentials/${id}/rotate`),
      isKey
        ? html`<p>The App Key is the secret: a second credential is issued, and this one retires.</p>`
        : html`<p>The App Key stays, and the App Secret is new. The former one works until the grace period ends.</p>`,
      hiddenField('revision', given.revision),
      textField(
        {
          ...{ name: 'grace', label: 'The former secret works for', value: given.grace, isRequired: true },
          hint: 'Such as 7d or 12h; 0 ends it at once.',
        },
        refused,
      ),
      isKey
        ? textField(
            { name: 'id', label: 'Id of the new credential', hint: 'Optional.', value: given.successor },
            refused,
          )
        : html``,
      credential.status === 'rotating' || given.isForced
        ? tickBox({
            name: 'force',
            label: 'End the former secret of the last rotation now, which still works',
            isTicked: given.isForced,
          })
        : html``,
      reasonField(given.reason, refused),
      buttons({ text: 'Rotate', cancel: url`/credentials/${id}` }),
    ),
  };
}
