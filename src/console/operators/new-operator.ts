import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, type Refused, reasonField, refusal, textField } from '../parts/form.ts';
import { labelsOfLines } from '../parts/label-lines.ts';
import { operatorFields, type OperatorTexts, textsOf, textsOfForm } from './operator-fields.ts';

const PATH = '/new/operator';

/** Adds an operator, without a token. */
export const newOperator: Page = {
  path: PATH,
  needs: 'change-operators',
  show: async (visit) =>
    await Promise.resolve(show(visit, { id: '', texts: textsOf({}), reason: '', refused: null, fault: null })),
  submit: async (visit, form) => {
    const given = readForm(form);
    const read = labelsOfLines(given.texts.selector);
    if ('fault' in read) return { ...show(visit, { ...given, fault: read.fault }), status: 422 };
    const { name, role } = given.texts;
    const body = { id: given.id, role, selector: read.labels, ...(name === '' ? {} : { name }) };
    const { problem } = await visit.api.change('POST', '/v1/operators', { body, reason: given.reason });
    if (problem !== null) return { ...show(visit, { ...given, refused: problem }), status: problem.status };
    return { href: url`/operators/${given.id}`, notice: 'operator-added' };
  },
};

interface Given {
  readonly id: string;
  readonly texts: OperatorTexts;
  readonly reason: string;
  readonly refused: Refused;
  readonly fault: string | null;
}

function readForm(form: Form): Given {
  return { id: form.text('id'), texts: textsOfForm(form), reason: form.text('reason'), refused: null, fault: null };
}

function show(visit: Visit, { id, texts, reason, refused, fault }: Given): Shown {
  const hint = 'Lower-case letters, digits and hyphens, 63 at most. The audit trail names the operator so.';
  return {
    title: 'Add an operator',
    trail: [{ href: '/operators', text: 'Operators' }],
    body: changeForm(
      visit,
      refusal(refused, PATH),
      textField({ name: 'id', label: 'Id', hint, value: id, isRequired: true }, refused),
      ...operatorFields(texts, refused, fault),
      reasonField(reason, refused),
      buttons({ text: 'Add', cancel: '/operators' }),
    ),
  };
}
