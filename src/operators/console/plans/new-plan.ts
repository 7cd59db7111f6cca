import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { changePage, nothing } from '../parts/change-page.ts';
import { idField } from '../parts/form.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import { bodyOf, planFields, type PlanTexts, textsOf, textsOfForm } from './plan-fields.ts';

/** Creates a plan. */
export const newPlan = changePage<null, PlanTexts & { readonly id: string }, unknown>({
  path: '/new/plan',
  needs: 'change-endpoints',
  read: nothing,
  heading: () => ({ title: 'Create a plan', trail: [{ href: '/plans', text: 'Plans' }], verb: 'Create' }),
  // What an operator creates has to be within reach.
  begin: (_, { operator: { selector } }) => ({
    id: '',
    ...textsOf({ consumerSelector: selector, endpointSelector: selector }),
  }),
  typed: (form) => ({ id: form.text('id'), ...textsOfForm(form) }),
  fields: ({ id, ...texts }, state) => html`${idField(id, state.refused)}${planFields(texts, state)}`,
  request: ({ id, ...texts }) => {
    const { body, faults } = bodyOf(texts);
    return { method: 'POST', path: '/v1/plans', body: { id, ...withoutDefaults(body) }, faults };
  },
  done: (_, { id }) => ({ href: url`/plans/${id}`, notice: 'plan-created' }),
});
