import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { tickBox } from '../parts/form.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import {
  bodyOf,
  operatorFields,
  operatorTrail,
  type OperatorTexts,
  readOperator,
  textsOf,
  textsOfForm,
} from './operator-fields.ts';
import type { ShownOperator } from './shown-operator.ts';

/** Changes an operator, and disables or enables it; the tokens stay. */
export const editOperator = changePage<ShownOperator, OperatorTexts & { readonly isEnabled: boolean }>({
  path: '/operators/:id/edit',
  needs: 'change-operators',
  read: readOperator,
  heading: ({ id }) => ({ title: `Edit ${id}`, trail: operatorTrail(id), verb: 'Save' }),
  begin: (operator) => ({ ...textsOf(operator), isEnabled: operator.enabled ?? true }),
  typed: (form) => ({ ...textsOfForm(form), isEnabled: form.isTicked('enabled') }),
  fields: ({ isEnabled, ...texts }, state) => [
    ...operatorFields(texts, state),
    tickBox({ name: 'enabled', label: 'Enabled: tokens and sessions are accepted', isTicked: isEnabled }),
  ],
  request: ({ isEnabled: enabled, ...texts }, { id, selector }) => {
    const { body, faults } = bodyOf(texts, selector);
    return { method: 'PATCH', path: url`/v1/operators/${id}`, body: { ...body, enabled }, faults };
  },
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/operators/${id}`,
    notice: outcomeNotice(body, 'operator-changed'),
  }),
});
