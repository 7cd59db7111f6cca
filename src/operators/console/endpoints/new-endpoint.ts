import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { changePage, nothing } from '../parts/change-page.ts';
import { idField } from '../parts/form.ts';
import { linesOfLabels } from '../parts/label-lines.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import { bodyOf, endpointFields, type EndpointTexts, noTexts, textsOfForm } from './endpoint-fields.ts';

/** Creates an endpoint. */
export const newEndpoint = changePage<null, EndpointTexts & { readonly id: string }, unknown>({
  path: '/new/endpoint',
  needs: 'change-endpoints',
  read: nothing,
  heading: () => ({
    title: 'Create an endpoint',
    trail: [{ href: '/endpoints', text: 'Endpoints' }],
    verb: 'Create',
  }),
  // What an operator creates has to be within reach.
  begin: (_, { operator }) => ({ id: '', ...noTexts, labels: linesOfLabels(operator.selector) }),
  typed: (form) => ({ id: form.text('id'), ...textsOfForm(form) }),
  fields: ({ id, ...texts }, state) => html`${idField(id, state.refused)}${endpointFields(texts, state)}`,
  request: ({ id, ...texts }) => {
    const { body, faults } = bodyOf(texts);
    return { method: 'POST', path: '/v1/endpoints', body: { id, ...withoutDefaults(body) }, faults };
  },
  done: (_, { id }) => ({ href: url`/endpoints/${id}`, notice: 'endpoint-created' }),
});
