import { url } from '../frame/html.ts';
import { changePage, nothing } from '../parts/change-page.ts';
import { idField } from '../parts/form.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import { bodyOf, operatorFields, type OperatorTexts, textsOf, textsOfForm } from './operator-fields.ts';

/** Adds an operator, without a token. */
export const newOperator = changePage<null, OperatorTexts & { readonly id: string }, unknown>({
  path: '/new/operator',
  needs: 'change-operators',
  read: nothing,
  heading: () => ({
    title: 'Add an operator',
    trail: [{ href: '/operators', text: 'Operators' }],
    verb: 'Add',
  }),
  begin: () => ({ id: '', ...textsOf({}) }),
  typed: (form) => ({ id: form.text('id'), ...textsOfForm(form) }),
  fields: ({ id, ...texts }, state) => [idField(id, state.refused), ...operatorFields(texts, state)],
  request: ({ id, ...texts }) => {
    const { body, faults } = bodyOf(texts);
    return { method: 'POST', path: '/v1/operators', body: { id, ...withoutDefaults(body) }, faults };
  },
  done: (_, { id }) => ({ href: url`/operators/${id}`, notice: 'operator-added' }),
});
