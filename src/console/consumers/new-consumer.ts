import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, type Refused, reasonField, refusal, textField } from '../parts/form.ts';
import { labelsOfLines, linesOfLabels } from '../parts/label-lines.ts';
import { consumerFields, type ConsumerTexts, textsOf, textsOfForm } from './consumer-fields.ts';

const PATH = '/new/consumer';

/** Creates a consumer. */
export const newConsumer: Page = {
  path: PATH,
  needs: 'change-consumers',
  show: async (visit) => {
    // What an operator creates has to be within reach.
    const texts = { ...textsOf({}), labels: linesOfLabels(visit.operator.selector) };
    return await Promise.resolve(show(visit, { id: '', texts, reason: '', refused: null, fault: null }));
  },
  submit: async (visit, form) => {
    const given = readForm(form);
    const read = labelsOfLines(given.texts.labels);
    if ('fault' in read) return { ...show(visit, { ...given, fault: read.fault }), status: 422 };
    const { name, description } = given.texts;
    const body = {
      ...{ id: given.id, labels: read.labels },
      ...(name === '' ? {} : { name }),
      ...(description === '' ? {} : { description }),
    };
    const { problem } = await visit.api.change('POST', '/v1/consumers', { body, reason: given.reason });
    if (problem !== null) return { ...show(visit, { ...given, refused: problem }), status: problem.status };
    return { href: url`/consumers/${given.id}`, notice: 'consumer-created' };
  },
};

interface Given {
  readonly id: string;
  readonly texts: ConsumerTexts;
  readonly reason: string;
  readonly refused: Refused;
  readonly fault: string | null;
}

function readForm(form: Form): Given {
  return { id: form.text('id'), texts: textsOfForm(form), reason: form.text('reason'), refused: null, fault: null };
}

function show(visit: Visit, { id, texts, reason, refused, fault }: Given): Shown {
  const hint = 'Lower-case letters, digits and hyphens, 63 at most. It cannot be changed later.';
  return {
    title: 'Create a consumer',
    trail: [{ href: '/consumers', text: 'Consumers' }],
    body: changeForm(
      visit,
      refusal(refused, PATH),
      textField({ name: 'id', label: 'Id', hint, value: id, isRequired: true }, refused),
      consumerFields(texts, refused, fault),
      reasonField(reason, refused),
      html`${buttons({ text: 'Create', cancel: '/consumers' })}`,
    ),
  };
}
