import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { type SortedColumn, sortingOf } from '../parts/sorting.ts';
import { table } from '../parts/table.ts';
import { consumersOf, endpointsOf, planLimits } from './plan-values.ts';
import type { ShownPlan } from './shown-plan.ts';

const sorted: readonly SortedColumn[] = [
  { column: 'Priority', sort: '-priority', direction: 'descending' },
  { column: 'Id', sort: 'id', direction: 'ascending' },
];

/** The plans, the one that counts first at the top. */
export const planList: Page = {
  path: '/plans',
  needs: 'read',
  menu: { text: 'Plans' },
  show: async ({ api, operator, query }) => {
    const { sort, sorting } = sortingOf('/plans', query, sorted);
    const { items } = await api.get<{ readonly items: readonly ShownPlan[] }>('/v1/plans');
    // The API gives all of them, in the order of their ids.
    const byPriority = (): ShownPlan[] => [...items].sort((one, other) => (other.priority ?? 0) - (one.priority ?? 0));
    const ranked = sort === 'id' ? items : byPriority();
    return {
      title: 'Plans',
      body: html`<p>A plan limits each consumer over several endpoints together, beside their own limits. Of several that
cover a request, the one with the highest priority counts.</p>
${allows(operator.role, 'change-endpoints') ? html`<p><a class="button" href="/new/plan">Create a plan</a></p>` : null}
${table({
  caption: 'Plans',
  columns: ['Id', 'Priority', 'Consumers', 'Endpoints', 'Limits of each consumer'],
  rows: ranked.map((plan) => [
    html`<a href="${url`/plans/${plan.id}`}">${plan.id}</a>`,
    plan.priority ?? 0,
    consumersOf(plan),
    endpointsOf(plan),
    planLimits(plan),
  ]),
  sorting,
  empty: 'There are no plans.',
})}`,
    };
  },
};
