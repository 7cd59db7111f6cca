import type { ChangeOutcome } from '../../api/change.ts';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal } from '../parts/form.ts';
import { labelsOfLines, patchOfLabels } from '../parts/label-lines.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { consumerFields, type ConsumerTexts, textsOf, textsOfForm } from './consumer-fields.ts';
import { consumerTrail, readConsumer, type ShownConsumer } from './shown-consumer.ts';

/** Changes name, description and labels of a consumer. */
export const editConsumer: Page = {
  path: '/consumers/:id/edit',
  needs: 'change-consumers',
  show: async (visit) => {
    const consumer = await readConsumer(visit);
    const revision = String(consumer.revision);
    return show(visit, consumer, { texts: textsOf(consumer), revision, reason: '', refused: null, fault: null });
  },
  submit: async (visit, form) => {
    const consumer = await readConsumer(visit);
    const given = readForm(form);
    const read = labelsOfLines(given.texts.labels);
    if ('fault' in read) return { ...show(visit, consumer, { ...given, fault: read.fault }), status: 422 };
    const { name, description } = given.texts;
    const body = {
      name: name === '' ? null : name,
      description: description === '' ? null : description,
      labels: patchOfLabels(consumer.labels, read.labels),
    };
    const { revision, reason } = given;
    const answer = await visit.api.change<ChangeOutcome>('PATCH', url`/v1/consumers/${consumer.id}`, {
      body,
      revision,
      reason,
    });
    const { problem } = answer;
    if (problem !== null) return { ...show(visit, consumer, { ...given, refused: problem }), status: problem.status };
    return { href: url`/consumers/${consumer.id}`, notice: outcomeNotice(answer.body, 'consumer-changed') };
  },
};

interface Given {
  readonly texts: ConsumerTexts;
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
  readonly fault: string | null;
}

function readForm(form: Form): Given {
  const [revision, reason] = [form.text('revision'), form.text('reason')];
  return { texts: textsOfForm(form), revision, reason, refused: null, fault: null };
}

function show(visit: Visit, consumer: ShownConsumer, { texts, revision, reason, refused, fault }: Given): Shown {
  const { id } = consumer;
  return {
    title: `Edit ${id}`,
    trail: consumerTrail(id),
    body: changeForm(
      visit,
      refusal(refused, url`/consumers/${id}/edit`),
      hiddenField('revision', revision),
      consumerFields(texts, refused, fault),
      reasonField(reason, refused),
      buttons({ text: 'Save', cancel: url`/consumers/${id}` }),
    ),
  };
}
