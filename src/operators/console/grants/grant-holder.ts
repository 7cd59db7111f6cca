import { html } from 'hono/html';
import type { ProblemDetail } from '../../api/problem.ts';
import { MAX_PRIORITY, MIN_PRIORITY } from '../../../model/grant.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import { type Refused, selectField, textArea, textField } from '../parts/form.ts';
import { labelPatchOf } from '../parts/label-lines.ts';
import { typedNumber } from '../parts/text-lines.ts';

/** Whom access is given to, as it is typed. */
export interface HolderTexts {
  /** `consumer` or `group`. */
  readonly who: string;
  readonly consumer: string;
  /** Labels of the group, a line for each. */
  readonly labels: string;
  readonly priority: string;
}

/** What the form begins with. */
export function newHolder(consumer: string): HolderTexts {
  return { who: 'consumer', consumer, labels: '', priority: '0' };
}

/** As it was typed. Labels without the choice of them are taken as that choice: nothing that was typed is lost. */
export function holderOfForm(form: Form): HolderTexts {
  const [labels, consumer] = [form.text('labels'), form.text('consumer')];
  const who = form.text('who') === 'group' || (labels !== '' && consumer === '') ? 'group' : 'consumer';
  return { who, consumer, labels, priority: form.text('priority') };
}

/** What the API takes of it. */
export function declareHolder({ who, consumer, labels, priority }: HolderTexts): {
  readonly holder: object;
  readonly faults: readonly ProblemDetail[];
} {
  if (who !== 'group') return { holder: { consumer }, faults: [] };
  const { patch, faults } = labelPatchOf({}, labels, '/consumerSelector');
  return { holder: { consumerSelector: patch, priority: typedNumber(priority) }, faults };
}

/** Which of the grants for groups counts. */
export function priorityField(value: string, refused: Refused): Html {
  const [least, most] = [MIN_PRIORITY, MAX_PRIORITY].map((bound) => bound.toLocaleString('en'));
  return textField(
    {
      name: 'priority',
      label: 'Priority of the group',
      value,
      type: 'number',
      hint: `Of several groups that a consumer belongs to, the highest counts: ${String(least)} to ${String(most)}. No two of an endpoint have the same. A consumer's own grant counts before them.`,
    },
    refused,
  );
}

/** One consumer, or all that carry labels. */
export function holderFields({ who, consumer, labels, priority }: HolderTexts, refused: Refused): Html {
  const choices = [
    { value: 'consumer', text: 'one consumer' },
    { value: 'group', text: 'every consumer with the labels below, those that come later too' },
  ];
  return html`${selectField({ name: 'who', label: 'Give access to', value: who, choices, pointers: [] }, refused)}
${textField({ name: 'consumer', label: 'Consumer', value: consumer, hint: 'Its id. Only for one consumer.' }, refused)}
${textArea(
  {
    name: 'labels',
    label: 'Labels of the group',
    value: labels,
    rows: 2,
    pointers: ['/consumerSelector'],
    hint: 'One on each line, such as tier=gold: those that carry all of them. Only for a group.',
  },
  refused,
)}
${priorityField(priority, refused)}`;
}
