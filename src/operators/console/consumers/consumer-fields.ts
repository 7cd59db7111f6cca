import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { textArea, textField } from '../parts/form.ts';
import { labelPatchOf, linesOfLabels, type LinesFault } from '../parts/label-lines.ts';
import type { ShownConsumer } from './shown-consumer.ts';

/** What the fields of a consumer hold, as texts. */
export interface ConsumerTexts {
  readonly name: string;
  readonly description: string;
  /** A line for each. */
  readonly labels: string;
}

/** As the consumer is. */
export function textsOf({ name = '', description = '', labels }: Partial<ShownConsumer>): ConsumerTexts {
  return { name, description, labels: linesOfLabels(labels) };
}

/** As they were typed. */
export function textsOfForm(form: Form): ConsumerTexts {
  return { name: form.text('name'), description: form.text('description'), labels: form.text('labels') };
}

/** What the API takes: null where a field gets its default. `before`: the labels that the consumer has. */
export function bodyOf(
  { name, description, labels }: ConsumerTexts,
  before: ShownConsumer['labels'] = {},
): { readonly body: object } | LinesFault {
  const read = labelPatchOf(before, labels);
  if ('fault' in read) return read;
  return {
    body: {
      name: name === '' ? null : name,
      description: description === '' ? null : description,
      labels: read.patch,
    },
  };
}

/** Name, description and labels of a consumer. */
export function consumerFields(texts: ConsumerTexts, { refused, fault }: FormState): Html {
  return html`${textField(
    { name: 'name', label: 'Name', hint: 'What back ends see. Without it they see the id.', value: texts.name },
    refused,
  )}
${textField({ name: 'description', label: 'Description', value: texts.description }, refused)}
${textArea(
  {
    name: 'labels',
    label: 'Labels',
    value: texts.labels,
    fault,
    hint: 'One on each line, such as tier=gold. Grants for groups and the reach of operators select by labels.',
  },
  refused,
)}`;
}
