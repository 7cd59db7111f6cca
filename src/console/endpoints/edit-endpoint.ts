import type { ChangeOutcome } from '../../api/change.ts';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal } from '../parts/form.ts';
import { labelsOfLines, patchOfLabels } from '../parts/label-lines.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { bodyOf, endpointFields, type EndpointTexts, textsOf, textsOfForm } from './endpoint-fields.ts';
import { endpointTrail, readEndpoint } from './shown-endpoint.ts';

/** Changes which requests an endpoint takes, how their callers are authenticated, and who is let in. */
export const editEndpoint: Page = {
  path: '/endpoints/:id/edit',
  needs: 'change-endpoints',
  show: async (visit) => {
    const endpoint = await readEndpoint(visit);
    const revision = String(endpoint.revision);
    return show(visit, { texts: textsOf(endpoint), revision, reason: '', refused: null, fault: null });
  },
  submit: async (visit, form) => {
    const { id, labels: before } = await readEndpoint(visit);
    const given = readForm(form);
    const read = labelsOfLines(given.texts.labels);
    if ('fault' in read) return { ...show(visit, { ...given, fault: read.fault }), status: 422 };
    const body = { ...bodyOf(given.texts), labels: patchOfLabels(before, read.labels) };
    const { revision, reason } = given;
    const change = { body, revision, reason };
    const answer = await visit.api.change<ChangeOutcome>('PATCH', url`/v1/endpoints/${id}`, change);
    const { problem } = answer;
    if (problem !== null) return { ...show(visit, { ...given, refused: problem }), status: problem.status };
    return { href: url`/endpoints/${id}`, notice: outcomeNotice(answer.body, 'endpoint-changed') };
  },
};

interface Given {
  readonly texts: EndpointTexts;
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
  readonly fault: string | null;
}

function readForm(form: Form): Given {
  const [revision, reason] = [form.text('revision'), form.text('reason')];
  return { texts: textsOfForm(form), revision, reason, refused: null, fault: null };
}

function show(visit: Visit, { texts, revision, reason, refused, fault }: Given): Shown {
  const id = visit.param('id');
  return {
    title: `Edit ${id}`,
    trail: endpointTrail(id),
    body: changeForm(
      visit,
      refusal(refused, url`/endpoints/${id}/edit`),
      hiddenField('revision', revision),
      endpointFields(texts, refused, fault),
      reasonField(reason, refused),
      buttons({ text: 'Save', cancel: url`/endpoints/${id}` }),
    ),
  };
}
