import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { issuerTrail, readIssuer } from './shown-issuer.ts';

/** Stops all tokens of an issuer, until it is enabled again. */
export const disableIssuer = confirmPage({
  path: '/issuers/:id/disable',
  needs: 'change-endpoints',
  read: readIssuer,
  heading: ({ id }) => ({ title: `Disable ${id}`, trail: issuerTrail(id), verb: 'Disable', isDangerous: true }),
  explanation: ({ id }) => html`<p>From now on, all tokens of <strong>${id}</strong> are refused, until you enable it
again. Nothing is deleted.</p>`,
  request: ({ id }) => ({ method: 'PATCH', path: url`/v1/issuers/${id}`, body: { enabled: false } }),
  notice: 'issuer-disabled',
  next: ({ id }) => url`/issuers/${id}`,
});

/** Lets tokens of a disabled issuer in again. */
export const enableIssuer = confirmPage({
  path: '/issuers/:id/enable',
  needs: 'change-endpoints',
  read: readIssuer,
  heading: ({ id }) => ({ title: `Enable ${id}`, trail: issuerTrail(id), verb: 'Enable' }),
  explanation: ({ id }) => html`<p>Tokens of <strong>${id}</strong> stand for the consumers whose credentials name it
again.</p>`,
  request: ({ id }) => ({ method: 'PATCH', path: url`/v1/issuers/${id}`, body: { enabled: true } }),
  notice: 'issuer-enabled',
  next: ({ id }) => url`/issuers/${id}`,
});
