import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { type Html, url } from '../frame/html.ts';
import { ProblemAnswer } from '../frame/api-client.ts';
import type { Page, Visit } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { plannedChanges } from '../parts/outcome.ts';
import { consumerTrail, readConsumer } from './shown-consumer.ts';

/** Deletes a consumer, after it has said what goes with it. */
export const deleteConsumer: Page = {
  path: '/consumers/:id/delete',
  needs: 'change-consumers',
  show: async (visit) => {
    const { id, revision } = await readConsumer(visit);
    return askToConfirm(visit, confirmationOf(id, await planned(visit, id, String(revision))), revision);
  },
  submit: async (visit, form) => {
    const { id } = await readConsumer(visit);
    return await carryOutConfirmed(visit, form, {
      confirmation: confirmationOf(id, html``),
      request: { method: 'DELETE', path: url`/v1/consumers/${id}` },
      notice: 'consumer-deleted',
      next: '/consumers',
    });
  },
};

/** What would go, as the API plans it. Throws `ProblemAnswer`. */
async function planned({ api }: Visit, id: string, revision: string): Promise<Html> {
  const answer = await api.change<ChangeOutcome>('DELETE', url`/v1/consumers/${id}`, { revision, isDryRun: true });
  if (answer.problem !== null) throw new ProblemAnswer(answer.problem);
  return await plannedChanges(answer.body);
}

function confirmationOf(id: string, plan: Html): Confirmation {
  return {
    title: `Delete ${id}`,
    trail: consumerTrail(id),
    explanation: html`<p>Its credentials are revoked for good and its grants removed, all at once. Its App Keys are never
given again. This cannot be undone here.</p>
${plan}`,
    verb: 'Delete',
    isDangerous: true,
    path: url`/consumers/${id}/delete`,
    back: url`/consumers/${id}`,
  };
}
