import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions, table } from '../parts/table.ts';
import { time } from '../parts/values.ts';
import { consumersOf, endpointsOf, planLimits, useColumns, useRow } from './plan-values.ts';
import { readPlan, type ShownPlan, type ShownPlanUse } from './shown-plan.ts';

/** So many bars: the fullest. */
const ROWS = '100';

/** All of one plan, with a bar for what each consumer has used of it. */
export const planPage: Page = {
  path: '/plans/:id',
  needs: 'read',
  show: async (visit) => {
    const plan = await readPlan(visit);
    const path = withQuery(url`/v1/plans/${plan.id}/usage`, { limit: ROWS });
    const { items } = await visit.api.get<{ readonly items: readonly ShownPlanUse[] }>(path);
    return {
      title: plan.id,
      trail: [{ href: '/plans', text: 'Plans' }],
      body: html`${summary(plan)}
${allows(visit.operator.role, 'change-endpoints') ? actions(plan) : null}
<h2>Used</h2>
<p class="muted">Requests of the hour, day or month (UTC) that were allowed. Replicas report once a minute; limits by the
second and minute are not shown.</p>
${table({
  caption: 'What consumers have used, the fullest first',
  columns: useColumns,
  rows: items.map(useRow),
  empty: 'No consumer of this plan has sent a request yet.',
})}`,
    };
  },
};

function summary(plan: ShownPlan): Html {
  return definitions([
    ['Id', html`<code>${plan.id}</code>`],
    ['Consumers', consumersOf(plan)],
    ['Endpoints', endpointsOf(plan)],
    ['Limits of each consumer', planLimits(plan)],
    ['Priority', plan.priority ?? 0],
    ['Created', time(plan.createdAt)],
    ['Changed', time(plan.updatedAt)],
  ]);
}

function actions({ id }: ShownPlan): Html {
  return html`<ul class="actions">
<li><a class="button" href="${url`/plans/${id}/edit`}">Edit</a></li>
<li><a class="button danger" href="${url`/plans/${id}/delete`}">Delete</a></li>
</ul>`;
}
