import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { plannedChanges } from '../parts/outcome.ts';
import { endpointTrail, readEndpoint } from './shown-endpoint.ts';

/** Deletes an endpoint, after it has said what goes with it. */
export const deleteEndpoint = confirmPage({
  path: '/endpoints/:id/delete',
  needs: 'change-endpoints',
  read: async (visit) => {
    const { id, revision } = await readEndpoint(visit);
    const change = { revision: String(revision) };
    return { id, revision, plan: await visit.api.plan<ChangeOutcome>('DELETE', url`/v1/endpoints/${id}`, change) };
  },
  heading: ({ id }) => ({ title: `Delete ${id}`, trail: endpointTrail(id), verb: 'Delete', isDangerous: true }),
  explanation: ({
    id,
    plan,
  }) => html`<p>A broader endpoint then takes its requests, if there is one; otherwise they get 404. To
refuse them and keep the endpoint, <a href="${url`/endpoints/${id}/disable`}">disable</a> it.</p>
${plannedChanges(plan)}`,
  request: ({ id }) => ({ method: 'DELETE', path: url`/v1/endpoints/${id}` }),
  notice: 'endpoint-deleted',
  next: () => '/endpoints',
});
