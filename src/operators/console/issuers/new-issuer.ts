import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { changePage, nothing } from '../parts/change-page.ts';
import { idField } from '../parts/form.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import { bodyOf, issuerFields, type IssuerTexts, textsOf, textsOfForm } from './issuer-fields.ts';

/** Adds an issuer. */
export const newIssuer = changePage<null, IssuerTexts & { readonly id: string }, unknown>({
  path: '/new/issuer',
  needs: 'change-endpoints',
  read: nothing,
  heading: () => ({ title: 'Add an issuer', trail: [{ href: '/issuers', text: 'Issuers' }], verb: 'Add' }),
  // What an operator adds has to be within reach.
  begin: (_, { operator: { selector } }) => ({ id: '', ...textsOf({ labels: selector }) }),
  typed: (form) => ({ id: form.text('id'), ...textsOfForm(form) }),
  fields: ({ id, ...texts }, state) => html`${idField(id, state.refused)}${issuerFields(texts, state)}`,
  request: ({ id, ...texts }) => {
    const { body, faults } = bodyOf(texts, {});
    return { method: 'POST', path: '/v1/issuers', body: { id, ...withoutDefaults(body) }, faults };
  },
  done: (_, { id }) => ({ href: url`/issuers/${id}`, notice: 'issuer-added' }),
});
