import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { textField, tickBox } from '../parts/form.ts';
import { secretsOnce } from './secrets-once.ts';
import {
  credentialTrail,
  factsOf,
  type IssuedCredential,
  readCredential,
  type ShownCredential,
} from './shown-credential.ts';

/** Seven days, in which partners change over. */
const USUAL_GRACE = '7d';

interface Wanted {
  readonly grace: string;
  /** Ends the former secret of the last rotation. */
  readonly isForced: boolean;
  /** The id of the second credential of method key. */
  readonly successor: string;
}

interface RotationOutcome {
  readonly formerEndsAt: string;
  readonly credential: IssuedCredential;
}

/**
 * Gives a credential a new secret, while the former one works for a while. The form carries the revision that it
 * showed: sent again, as by a reload, it changes nothing.
 */
export const rotateCredential = changePage<ShownCredential, Wanted, RotationOutcome>({
  path: '/credentials/:id/rotate',
  needs: 'change-consumers',
  read: readCredential,
  heading: (credential) => ({
    title: `Rotate ${credential.id}`,
    trail: credentialTrail(credential),
    verb: 'Rotate',
  }),
  begin: () => ({ grace: USUAL_GRACE, isForced: false, successor: '' }),
  typed: ({ text, isTicked }) => ({
    grace: text('grace'),
    isForced: isTicked('force'),
    successor: text('id'),
  }),
  fields: ({ grace, isForced, successor }, { refused }, credential) => {
    const { appKey, rotation } = factsOf(credential);
    const parts = { name: 'id', label: 'Id of the new credential', hint: 'Optional.', value: successor };
    return [
      html`<p>${rotation}</p>`,
      textField(
        {
          name: 'grace',
          label: 'The former secret works for',
          value: grace,
          isRequired: true,
          hint: 'Such as 7d or 12h; 0 ends it at once.',
        },
        refused,
      ),
      ...(appKey === 'secret' ? [textField(parts, refused)] : []),
      ...(credential.status === 'rotating' || isForced ? [tickBox({ ...force, isTicked: isForced })] : []),
    ];
  },
  request: ({ grace, isForced, successor }, { id }) => ({
    method: 'POST',
    path: url`/v1/credentials/${id}:rotate`,
    body: { grace, ...(isForced ? { force: true } : {}), ...(successor === '' ? {} : { id: successor }) },
  }),
  revisionOf: ({ revision }) => revision,
  done: ({ body: { credential: carrier, formerEndsAt } }, _, credential) => ({
    title: 'The credential has a new secret',
    trail: credentialTrail(credential),
    body: secretsOnce(carrier, formerEndsAt),
  }),
});

const force = { name: 'force', label: 'Force: end the former secret of the last rotation now. It still works.' };
