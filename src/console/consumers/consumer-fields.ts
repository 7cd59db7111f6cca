import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import { type Refused, textArea, textField } from '../parts/form.ts';
import { linesOfLabels } from '../parts/label-lines.ts';
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

/** Name, description and labels of a consumer. `fault` is what is wrong with the lines of labels. */
export function consumerFields(texts: ConsumerTexts, refused: Refused, fault: string | null): Html {
  return html`${textField(
    { name: 'name', label: 'Name', hint: 'What back ends see; the id when it is empty.', value: texts.name },
    refused,
  )}
${textField({ name: 'description', label: 'Description', value: texts.description }, refused)}
${textArea(
  {
    ...{ name: 'labels', label: 'Labels', value: texts.labels, fault },
    hint: 'One on each line, such as tier=gold. Grants for groups of consumers, and the reach of operators, go by them.',
  },
  refused,
)}`;
}
