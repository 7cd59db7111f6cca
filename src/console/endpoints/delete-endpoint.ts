import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { ProblemAnswer } from '../frame/api-client.ts';
import { type Html, url } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { plannedChanges } from '../parts/outcome.ts';
import { endpointTrail, readEndpoint } from './shown-endpoint.ts';

/** Deletes an endpoint, after it has said what goes with it. */
export const deleteEndpoint: Page = {
  path: '/endpoints/:id/delete',
  needs: 'change-endpoints',
  show: async (visit) => {
    const { id, revision } = await readEndpoint(visit);
    const plan = await planned(visit, id, String(revision));
    return askToConfirm(visit, confirmationOf(id, plan), revision);
  },
  submit: async (visit, form) => {
    const { id } = await readEndpoint(visit);
    return await carryOutConfirmed(visit, form, {
      confirmation: confirmationOf(id, html``),
      request: { method: 'DELETE', path: url`/v1/endpoints/${id}` },
      notice: 'endpoint-deleted',
      next: '/endpoints',
    });
  },
};

/** What would go, as the API plans it. Throws `ProblemAnswer`. */
async function planned({ api }: Visit, id: string, revision: string): Promise<Html> {
  const answer = await api.change<ChangeOutcome>('DELETE', url`/v1/endpoints/${id}`, { revision, isDryRun: true });
  if (answer.problem !== null) throw new ProblemAnswer(answer.problem);
  return await plannedChanges(answer.body);
}

function confirmationOf(id: string, plan: Html): Confirmation {
  return {
    title: `Delete ${id}`,
    trail: endpointTrail(id),
    explanation: html`<p>Its requests then belong to a broader endpoint, if there is one, or are answered with 404. To refuse
them and keep the endpoint, <a href="${url`/endpoints/${id}/disable`}">disable</a> it.</p>
${plan}`,
    verb: 'Delete',
    isDangerous: true,
    path: url`/endpoints/${id}/delete`,
    back: url`/endpoints/${id}`,
  };
}
