import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { planTrail, readPlan } from './shown-plan.ts';

/** Deletes a plan. */
export const deletePlan = confirmPage({
  path: '/plans/:id/delete',
  needs: 'change-endpoints',
  read: readPlan,
  heading: ({ id }) => ({ title: `Delete ${id}`, trail: planTrail(id), verb: 'Delete', isDangerous: true }),
  explanation:
    () => html`<p>Its limits hold no longer. Its consumers then have the plan with the next lower priority that
covers them, or none.</p>`,
  request: ({ id }) => ({ method: 'DELETE', path: url`/v1/plans/${id}` }),
  notice: 'plan-deleted',
  next: () => '/plans',
});
