import { html } from 'hono/html';
import { consumerTrail } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { pathOfGrant, readGrant } from './shown-grant.ts';

/** Removes the own grant of a consumer on an endpoint. */
export const withdrawAccess = confirmPage({
  path: '/consumers/:id/grants/:endpoint/withdraw',
  needs: 'change-consumers',
  read: readGrant,
  heading: ({ consumer, endpoint }) => ({
    title: `Withdraw access of ${consumer} to ${endpoint}`,
    trail: consumerTrail(consumer),
    verb: 'Withdraw access',
    isDangerous: true,
  }),
  explanation: ({ consumer, endpoint }) => html`<p>This removes the grant of <strong>${consumer}</strong> on
<strong>${endpoint}</strong>. An endpoint that needs authorisation then refuses its requests, unless a grant for a group lets
it in. Any other endpoint still lets it in, with the limits of the endpoint.</p>`,
  request: (grant) => ({ method: 'DELETE', path: pathOfGrant(grant) }),
  notice: 'access-withdrawn',
  next: ({ consumer }) => url`/consumers/${consumer}`,
});
