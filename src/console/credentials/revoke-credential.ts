import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { timeOr } from '../parts/values.ts';
import { credentialTrail, readCredential, type ShownCredential } from './shown-credential.ts';

/** Refuses a credential for good. */
export const revokeCredential: Page = {
  path: '/credentials/:id/revoke',
  needs: 'change-consumers',
  show: async (visit) => {
    const credential = await readCredential(visit);
    return askToConfirm(visit, confirmationOf(credential), credential.revision);
  },
  submit: async (visit, form) => {
    const credential = await readCredential(visit);
    const { id } = credential;
    return await carryOutConfirmed(visit, form, {
      confirmation: confirmationOf(credential),
      request: { method: 'POST', path: url`/v1/credentials/${id}:revoke` },
      notice: 'credential-revoked',
      next: url`/credentials/${id}`,
    });
  },
};

function confirmationOf(credential: ShownCredential): Confirmation {
  const { id, consumer, lastUsedAt } = credential;
  return {
    title: `Revoke ${id}`,
    trail: credentialTrail(credential),
    explanation: html`<p>Requests of <strong>${consumer}</strong> with this credential are refused at once and for good, with its
former secret and its access tokens. Last used: ${timeOr(lastUsedAt, 'never')}.</p>`,
    verb: 'Revoke',
    isDangerous: true,
    path: url`/credentials/${id}/revoke`,
    back: url`/credentials/${id}`,
  };
}
