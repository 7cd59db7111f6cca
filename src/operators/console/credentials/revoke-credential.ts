import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { timeOr } from '../parts/values.ts';
import { credentialTrail, readCredential } from './shown-credential.ts';

/** Refuses a credential from now on. */
export const revokeCredential = confirmPage({
  path: '/credentials/:id/revoke',
  needs: 'change-consumers',
  read: readCredential,
  heading: (credential) => ({
    title: `Revoke ${credential.id}`,
    trail: credentialTrail(credential),
    verb: 'Revoke',
    isDangerous: true,
  }),
  explanation: ({
    consumer,
    lastUsedAt,
  }) => html`<p>Requests of <strong>${consumer}</strong> with this credential are refused at
once, and so are those with its former secret and its access tokens. Last used:
${timeOr(lastUsedAt, 'never')}.</p>`,
  request: ({ id }) => ({ method: 'POST', path: url`/v1/credentials/${id}:revoke` }),
  notice: 'credential-revoked',
  next: ({ id }) => url`/credentials/${id}`,
});
