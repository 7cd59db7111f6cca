import { html } from 'hono/html';
import { allowFromWords } from '../../../resources/allow-from.ts';
import { consumerTexts, type ConsumerTextName } from '../../../resources/consumer-fields.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { textArea, textField } from '../parts/form.ts';
import { type FormBody, labelPatchOf, linesOfLabels } from '../parts/label-lines.ts';
import { textsOfLines } from '../parts/text-lines.ts';
import type { ShownConsumer } from './shown-consumer.ts';

/** What the fields of a consumer hold, as texts. */
export interface ConsumerTexts extends Readonly<Record<ConsumerTextName, string>> {
  /** A line for each. */
  readonly labels: string;
  /** A line for each network. */
  readonly allowFrom: string;
}

/** As the consumer is. */
export function textsOf({ labels, allowFrom = [], ...consumer }: Partial<ShownConsumer>): ConsumerTexts {
  return {
    ...textsBy((name) => consumer[name] ?? ''),
    labels: linesOfLabels(labels),
    allowFrom: allowFrom.join('\n'),
  };
}

/** As they were typed. */
export function textsOfForm(form: Form): ConsumerTexts {
  return { ...textsBy((name) => form.text(name)), labels: form.text('labels'), allowFrom: form.text('allowFrom') };
}

/** What the API takes: null where a field gets its default. `before`: the labels that the consumer has. */
export function bodyOf({ labels, allowFrom, ...texts }: ConsumerTexts, before: ShownConsumer['labels'] = {}): FormBody {
  const read = labelPatchOf(before, labels, '/labels');
  const networks = textsOfLines(allowFrom);
  return {
    body: {
      ...textsBy((name) => (texts[name] === '' ? null : texts[name])),
      labels: read.patch,
      allowFrom: networks.length === 0 ? null : networks,
    },
    faults: read.faults,
  };
}

/** A value for each text of a consumer. */
function textsBy<T>(valueOf: (name: ConsumerTextName) => T): Readonly<Record<ConsumerTextName, T>> {
  const entries = consumerTexts.map(({ name }) => [name, valueOf(name)] as const);
  return Object.fromEntries(entries) as Record<ConsumerTextName, T>;
}

/** Texts, labels and address list of a consumer. */
export function consumerFields(texts: ConsumerTexts, { refused }: FormState): Html {
  const ofTexts = consumerTexts.map(({ name, label, hint }) =>
    textField({ name, label, ...(hint === undefined ? {} : { hint }), value: texts[name] }, refused),
  );
  return html`${ofTexts}
${textArea(
  {
    name: 'labels',
    label: 'Labels',
    value: texts.labels,
    hint: 'One on each line, such as tier=gold. Grants for groups and the reach of operators select by labels.',
  },
  refused,
)}
${textArea(
  { name: 'allowFrom', label: allowFromWords.label, value: texts.allowFrom, hint: allowFromWords.hint },
  refused,
)}`;
}
