import { html } from 'hono/html';
import type { Page, Visit } from '../frame/page.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { grantTrail, holderOf, pathOfGrant, readGroupGrant, readOwnGrant, type ShownGrant } from './shown-grant.ts';

/** Removes the own grant of a consumer on an endpoint. */
export const withdrawAccess = withdrawalOf('/consumers/:id/grants/:endpoint/withdraw', readOwnGrant);

/** Removes a grant for a group on an endpoint. */
export const withdrawGroupAccess = withdrawalOf('/endpoints/:id/grants/:holder/withdraw', readGroupGrant);

function withdrawalOf(path: string, read: (visit: Visit) => Promise<ShownGrant>): Page {
  return confirmPage({
    path,
    needs: 'change-consumers',
    read,
    heading: (grant) => ({
      title: `Withdraw access of ${holderOf(grant)} to ${grant.endpoint}`,
      trail: grantTrail(grant),
      verb: 'Withdraw access',
      isDangerous: true,
    }),
    explanation: (grant) => html`<p>This removes the grant of <strong>${holderOf(grant)}</strong> on
<strong>${grant.endpoint}</strong>. An endpoint that needs authorisation then refuses ${
      grant.consumer === undefined ? 'their requests, unless another grant' : 'its requests, unless a grant for a group'
    }
lets them in. Any other endpoint still lets them in, with the limits of the endpoint.</p>`,
    request: (grant) => ({ method: 'DELETE', path: pathOfGrant(grant) }),
    notice: 'access-withdrawn',
    next: (grant) => grantTrail(grant).at(-1)?.href ?? '/',
  });
}
