import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Shown } from '../frame/page.ts';
import { changePage } from '../parts/change-page.ts';
import { textField, tickBox } from '../parts/form.ts';
import { keyInBody, noKey, publicKeyFields, type TypedKey, typedKey } from './public-key-fields.ts';
import { knownByFields, knownByInBody, noKnownBy, type TypedKnownBy, typedKnownBy } from './known-by-fields.ts';
import { secretsOnce } from './secrets-once.ts';
import {
  credentialTrail,
  factsOf,
  hasPublicKey,
  isKnownBy,
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
  readonly key: TypedKey;
  readonly knownBy: TypedKnownBy;
}

interface RotationOutcome {
  readonly formerEndsAt: string;
  readonly credential: IssuedCredential;
}

/**
 * Gives a credential a new secret, while the former one works for a while. Sent again, the form changes nothing;
 * it shows the secret again for the second of two clicks, and not for a reload.
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
  begin: () => ({ grace: USUAL_GRACE, isForced: false, successor: '', key: noKey, knownBy: noKnownBy }),
  typed: ({ text, isTicked }) => ({
    grace: text('grace'),
    isForced: isTicked('force'),
    successor: text('id'),
    key: typedKey({ text }),
    knownBy: typedKnownBy({ text }),
  }),
  fields: ({ grace, isForced, successor, key, knownBy }, { refused }, credential) => {
    const { appKey, rotation } = factsOf(credential);
    const former = hasPublicKey(credential) ? 'key' : appKey === 'derived' ? 'credential' : 'secret';
    const parts = { name: 'id', label: 'Id of the new credential', hint: 'Optional.', value: successor };
    return [
      html`<p>${rotation}</p>`,
      ...(hasPublicKey(credential) ? publicKeyFields(key, KEY_HINT, refused) : []),
      ...(appKey === 'derived' ? knownByFields(knownBy, refused) : []),
      textField(
        {
          name: 'grace',
          label: `The former ${former} works for`,
          value: grace,
          isRequired: true,
          hint: 'Such as 7d or 12h; 0 ends it at once.',
        },
        refused,
      ),
      ...(appKey !== 'public' ? [textField(parts, refused)] : []),
      ...(credential.status === 'rotating' || isForced ? [tickBox({ ...forceOf(former), isTicked: isForced })] : []),
    ];
  },
  request: ({ grace, isForced, successor, key, knownBy }, { id }) => ({
    method: 'POST',
    path: url`/v1/credentials/${id}:rotate`,
    body: {
      grace,
      ...(isForced ? { force: true } : {}),
      ...(successor === '' ? {} : { id: successor }),
      ...keyInBody(key),
      ...knownByInBody(knownBy),
    },
  }),
  revisionOf: ({ revision }) => revision,
  once: { sentBefore: (_, credential) => rotatedBefore(credential) },
  done: ({ body: { credential: carrier, formerEndsAt } }, _, credential) => ({
    title: isKnownBy(carrier)
      ? 'A second credential was issued'
      : `The credential has a new ${hasPublicKey(carrier) ? 'public key' : 'secret'}`,
    trail: credentialTrail(credential),
    body: secretsOnce(carrier, formerEndsAt),
  }),
});

const KEY_HINT = 'The new one, which the consumer made: PEM, a certificate or a JWK. Never a private key.';

function rotatedBefore(credential: ShownCredential): Shown {
  const { id } = credential;
  return {
    title: 'This form was sent before',
    trail: credentialTrail(credential),
    status: 409,
    body: html`<p>Nothing was rotated again. A secret was in the first answer only and is not shown again. If it was lost,
rotate <a href="${url`/credentials/${id}`}">${id}</a> again.</p>`,
  };
}

function forceOf(former: string): { readonly name: string; readonly label: string } {
  return { name: 'force', label: `Force: end the former ${former} of the last rotation now. It still works.` };
}
