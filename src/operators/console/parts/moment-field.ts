import type { Html } from '../frame/html.ts';
import { html } from 'hono/html';
import type { Form } from '../frame/page.ts';
import { type FieldParts, hiddenField, type Refused, textField } from './form.ts';

const pickedName = (name: string): string => `${name}-picked`;
const formerName = (name: string): string => `${name}-former`;

/** As browsers send `datetime-local`: without a zone, and with seconds where they are not 0. */
const PICKED = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

/** A time that is typed, such as `90d` or `2027-01-01T00:00:00Z`, or chosen in UTC in the field below it. */
export function momentField(parts: FieldParts & { readonly value: string }, refused: Refused): Html {
  const { name, label, value } = parts;
  const picker = {
    name: pickedName(name),
    label: `${label}, chosen in UTC`,
    hint: 'In place of the text above.',
    value: '',
    type: 'datetime-local',
    pointers: [],
  } as const;
  return html`${textField(parts, refused)}
${textField(picker, null)}
${hiddenField(formerName(name), value)}`;
}

/**
 * The time as the API takes it. What is chosen counts in place of a text that stayed as it was; of two that differ the
 * API takes neither, and says so beside the field.
 */
export function momentOfForm({ text }: Pick<Form, 'text'>, name: string): string {
  const [typed, picked] = [text(name), text(pickedName(name))];
  if (picked === '') return typed;
  const chosen = PICKED.test(picked) ? `${picked.length === 16 ? `${picked}:00` : picked}Z` : picked;
  return typed === '' || typed === text(formerName(name)) ? chosen : `${typed} or ${chosen}`;
}
