import { html } from 'hono/html';
import { consumerTrail } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { grantPath, readGrant, type ShownGrant } from './shown-grant.ts';

/** Removes the own grant of a consumer on an endpoint. */
export const withdrawAccess: Page = {
  path: '/consumers/:id/grants/:endpoint/withdraw',
  needs: 'change-consumers',
  show: async (visit) => {
    const grant = await readGrant(visit);
    return askToConfirm(visit, confirmationOf(grant), grant.revision);
  },
  submit: async (visit, form) => {
    const grant = await readGrant(visit);
    return await carryOutConfirmed(visit, form, {
      confirmation: confirmationOf(grant),
      request: { method: 'DELETE', path: grantPath(visit) },
      notice: 'access-withdrawn',
      next: url`/consumers/${grant.consumer}`,
    });
  },
};

function confirmationOf({ consumer, endpoint }: ShownGrant): Confirmation {
  return {
    title: `Withdraw access of ${consumer} to ${endpoint}`,
    trail: consumerTrail(consumer),
    explanation: html`<p>The own grant of <strong>${consumer}</strong> on <strong>${endpoint}</strong> is removed. An endpoint that needs
authorisation then refuses its requests, unless a grant for a group lets it in. One that needs none still lets it in, with the
limits of the endpoint.</p>`,
    verb: 'Withdraw access',
    isDangerous: true,
    path: url`/consumers/${consumer}/grants/${endpoint}/withdraw`,
    back: url`/consumers/${consumer}`,
  };
}
