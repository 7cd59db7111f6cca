import { operatorRoles } from '../../model/operator.ts';
import { type Html, url } from '../frame/html.ts';
import type { Form, Shown, Visit } from '../frame/page.ts';
import { type Refused, selectField, textArea, textField } from '../parts/form.ts';
import { linesOfLabels } from '../parts/label-lines.ts';
import { roleTexts, type ShownOperator } from './shown-operator.ts';

/** What the fields of an operator hold, as texts. */
export interface OperatorTexts {
  readonly name: string;
  readonly role: string;
  /** The labels of what is within reach, a line for each. */
  readonly selector: string;
}

/** As the operator is; a new one is a viewer, who may the least. */
export function textsOf({ name = '', role = 'viewer', selector }: Partial<ShownOperator>): OperatorTexts {
  return { name, role, selector: linesOfLabels(selector) };
}

/** As they were typed. */
export function textsOfForm(form: Form): OperatorTexts {
  return { name: form.text('name'), role: form.text('role'), selector: form.text('selector') };
}

/** Name, role and reach of an operator. `fault` is what is wrong with the lines of labels. */
export function operatorFields(texts: OperatorTexts, refused: Refused, fault: string | null): readonly Html[] {
  const { name, role: value, selector } = texts;
  const choices = operatorRoles.map((role) => ({ value: role, text: `${role}: ${roleTexts[role]}` }));
  return [
    textField({ name: 'name', label: 'Name', hint: 'What pages show; the id when it is empty.', value: name }, refused),
    selectField({ name: 'role', label: 'Role', value, choices }, refused),
    textArea(
      {
        ...{ name: 'selector', label: 'Labels of what is within reach', value: selector, fault },
        hint: 'One on each line, such as team=payments. Empty: everything, and an admin then manages operators.',
      },
      refused,
    ),
  ];
}

/** The operator that the path names (`:id`). Throws `ProblemAnswer`. */
export async function readOperator({ api, param }: Visit): Promise<ShownOperator> {
  return await api.get<ShownOperator>(url`/v1/operators/${param('id')}`);
}

/** The way from the list to an operator, for pages below it. */
export function operatorTrail(id: string): NonNullable<Shown['trail']> {
  return [
    { href: '/operators', text: 'Operators' },
    { href: url`/operators/${id}`, text: id },
  ];
}
