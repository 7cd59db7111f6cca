import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { bodyOf, planFields, type PlanTexts, textsOf, textsOfForm } from './plan-fields.ts';
import { planTrail, readPlan, type ShownPlan } from './shown-plan.ts';

/** Changes a plan. */
export const editPlan = changePage<ShownPlan, PlanTexts>({
  path: '/plans/:id/edit',
  needs: 'change-endpoints',
  read: readPlan,
  heading: ({ id }) => ({ title: `Edit ${id}`, trail: planTrail(id), verb: 'Save' }),
  begin: textsOf,
  typed: textsOfForm,
  fields: planFields,
  request: (texts, { id }) => ({ method: 'PATCH', path: url`/v1/plans/${id}`, ...bodyOf(texts) }),
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({ href: url`/plans/${id}`, notice: outcomeNotice(body, 'plan-changed') }),
});
