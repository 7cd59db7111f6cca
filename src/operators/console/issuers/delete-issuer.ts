import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { issuerTrail, readIssuer } from './shown-issuer.ts';

/** Deletes an issuer that no credential names. */
export const deleteIssuer = confirmPage({
  path: '/issuers/:id/delete',
  needs: 'change-endpoints',
  read: readIssuer,
  heading: ({ id }) => ({ title: `Delete ${id}`, trail: issuerTrail(id), verb: 'Delete', isDangerous: true }),
  explanation: () => html`<p>This is refused while credentials name the issuer.</p>`,
  request: ({ id }) => ({ method: 'DELETE', path: url`/v1/issuers/${id}` }),
  notice: 'issuer-deleted',
  next: () => '/issuers',
});
