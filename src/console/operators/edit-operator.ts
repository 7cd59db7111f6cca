import type { ChangeOutcome } from '../../api/change.ts';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal, tickBox } from '../parts/form.ts';
import { labelsOfLines, patchOfLabels } from '../parts/label-lines.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import {
  operatorFields,
  operatorTrail,
  type OperatorTexts,
  readOperator,
  textsOf,
  textsOfForm,
} from './operator-fields.ts';

/** Changes name, role and reach of an operator, enables and disables; the tokens stay. */
export const editOperator: Page = {
  path: '/operators/:id/edit',
  needs: 'change-operators',
  show: async (visit) => {
    const operator = await readOperator(visit);
    return show(visit, operator.id, {
      ...{ texts: textsOf(operator), isEnabled: operator.enabled ?? true, revision: String(operator.revision) },
      ...{ reason: '', refused: null, fault: null },
    });
  },
  submit: async (visit, form) => {
    const { id, selector } = await readOperator(visit);
    const given = readForm(form);
    const read = labelsOfLines(given.texts.selector);
    if ('fault' in read) return { ...show(visit, id, { ...given, fault: read.fault }), status: 422 };
    const { texts, isEnabled: enabled, revision, reason } = given;
    const { name, role } = texts;
    const body = { name: name === '' ? null : name, role, selector: patchOfLabels(selector, read.labels), enabled };
    const path = url`/v1/operators/${id}`;
    const answer = await visit.api.change<ChangeOutcome>('PATCH', path, { body, revision, reason });
    const { problem } = answer;
    if (problem !== null) return { ...show(visit, id, { ...given, refused: problem }), status: problem.status };
    return { href: url`/operators/${id}`, notice: outcomeNotice(answer.body, 'operator-changed') };
  },
};

interface Given {
  readonly texts: OperatorTexts;
  readonly isEnabled: boolean;
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
  readonly fault: string | null;
}

function readForm(form: Form): Given {
  const [revision, reason] = [form.text('revision'), form.text('reason')];
  const isEnabled = form.isTicked('enabled');
  return { texts: textsOfForm(form), isEnabled, revision, reason, refused: null, fault: null };
}

function show(visit: Visit, id: string, { texts, isEnabled, revision, reason, refused, fault }: Given): Shown {
  return {
    title: `Edit ${id}`,
    trail: operatorTrail(id),
    body: changeForm(
      visit,
      refusal(refused, url`/operators/${id}/edit`),
      hiddenField('revision', revision),
      ...operatorFields(texts, refused, fault),
      tickBox({ name: 'enabled', label: 'Enabled: tokens and sessions are taken', isTicked: isEnabled }),
      reasonField(reason, refused),
      buttons({ text: 'Save', cancel: url`/operators/${id}` }),
    ),
  };
}
