import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { plannedChanges } from '../parts/outcome.ts';
import { consumerTrail, readConsumer } from './shown-consumer.ts';

/** Deletes a consumer, after it has said what goes with it. */
export const deleteConsumer = confirmPage({
  path: '/consumers/:id/delete',
  needs: 'change-consumers',
  read: async (visit) => {
    const { id, revision } = await readConsumer(visit);
    const change = { revision: String(revision) };
    return { id, revision, plan: await visit.api.plan<ChangeOutcome>('DELETE', url`/v1/consumers/${id}`, change) };
  },
  heading: ({ id }) => ({ title: `Delete ${id}`, trail: consumerTrail(id), verb: 'Delete', isDangerous: true }),
  explanation: ({
    plan,
  }) => html`<p>Its credentials are revoked for good, and its grants are removed. Its App Keys are never
given out again. This cannot be undone here.</p>
${plannedChanges(plan)}`,
  request: ({ id }) => ({ method: 'DELETE', path: url`/v1/consumers/${id}` }),
  notice: 'consumer-deleted',
  next: () => '/consumers',
});
