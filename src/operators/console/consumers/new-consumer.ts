import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { changePage, nothing } from '../parts/change-page.ts';
import { idField } from '../parts/form.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import { bodyOf, consumerFields, type ConsumerTexts, textsOf, textsOfForm } from './consumer-fields.ts';

/** Creates a consumer. */
export const newConsumer = changePage<null, ConsumerTexts & { readonly id: string }, unknown>({
  path: '/new/consumer',
  needs: 'change-consumers',
  read: nothing,
  heading: () => ({
    title: 'Create a consumer',
    trail: [{ href: '/consumers', text: 'Consumers' }],
    verb: 'Create',
  }),
  // What an operator creates has to be within reach.
  begin: (_, { operator }) => ({ id: '', ...textsOf({ labels: operator.selector }) }),
  typed: (form) => ({ id: form.text('id'), ...textsOfForm(form) }),
  fields: ({ id, ...texts }, state) => html`${idField(id, state.refused)}${consumerFields(texts, state)}`,
  request: ({ id, ...texts }) => {
    const { body, faults } = bodyOf(texts);
    return { method: 'POST', path: '/v1/consumers', body: { id, ...withoutDefaults(body) }, faults };
  },
  done: (_, { id }) => ({ href: url`/consumers/${id}`, notice: 'consumer-created' }),
});
