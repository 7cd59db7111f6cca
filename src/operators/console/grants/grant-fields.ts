import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { selectField } from '../parts/form.ts';
import { limitFields, type LimitRow, limitsOfRows, rowsOfForm, rowsOfLimits } from '../parts/limit-rows.ts';
import { momentField, momentOfForm } from '../parts/moment-field.ts';
import type { ShownGrant } from './shown-grant.ts';

const limitChoices = [
  { value: 'endpoint', text: 'those of the endpoint' },
  { value: 'none', text: 'none' },
  { value: 'own', text: 'its own, as below' },
] as const;

/** The terms of a grant, as they are typed. */
export interface GrantTexts {
  readonly expiresAt: string;
  /** Which limits count: a value of the choices. */
  readonly which: string;
  readonly rows: readonly LimitRow[];
}

/** As the grant is; without one, what a new one begins with. */
export function textsOfGrant({ expiresAt = '', limits }: Partial<ShownGrant>): GrantTexts {
  const which = limits === undefined ? 'endpoint' : limits.length === 0 ? 'none' : 'own';
  return { expiresAt, which, rows: rowsOfLimits(limits ?? []) };
}

/** As they were typed. Rows without the choice of them are taken as that choice: nothing that was typed is lost. */
export function grantTextsOfForm(form: Form): GrantTexts {
  const rows = rowsOfForm(form);
  const which = form.text('limits');
  const expiresAt = momentOfForm(form, 'expiresAt');
  return { expiresAt, which: which === 'endpoint' && rows.length > 0 ? 'own' : which, rows };
}

/** What the API takes: null for its default. */
export function termsOf({ expiresAt, which, rows }: GrantTexts): {
  readonly expiresAt: string | null;
  readonly limits: readonly object[] | null;
} {
  const limits = which === 'own' ? limitsOfRows(rows) : which === 'none' ? [] : null;
  return { expiresAt: expiresAt === '' ? null : expiresAt, limits };
}

/** The end of a grant, and which limits count. */
export function grantFields({ expiresAt, which, rows }: GrantTexts, { refused }: FormState): Html {
  const hint = 'Optional. A time such as 2027-01-01T00:00:00Z; without it access has no end.';
  return html`${momentField({ name: 'expiresAt', label: 'Until', hint, value: expiresAt }, refused)}
${selectField(
  {
    name: 'limits',
    label: 'Limits for each consumer',
    value: which,
    choices: limitChoices,
    pointers: [],
    hint: 'Limits of all callers of the endpoint together stay in force in any case.',
  },
  refused,
)}
${limitFields(rows, { pointer: '/limits', refused, scopes: ['consumer'] })}`;
}
