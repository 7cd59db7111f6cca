import type { ChangeOutcome } from '../../../api/change.ts';
import { url } from '../../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../../frame/page.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal } from '../../parts/form.ts';
import { outcomeNotice } from '../../parts/outcome.ts';
import { endpointTrail, readEndpoint, type ShownEndpoint } from '../shown-endpoint.ts';
import { optionField, optionsFor } from './option-fields.ts';
import { linesOf, optionTexts, readOption } from './option-texts.ts';

/** Changes the options of an endpoint. */
export const endpointOptions: Page = {
  path: '/endpoints/:id/options',
  needs: 'change-endpoints',
  show: async (visit) => {
    const endpoint = await readEndpoint(visit);
    const valueOf = (name: string): string => linesOf(endpoint.options?.[name]).join('\n');
    return show(visit, endpoint, { valueOf, revision: String(endpoint.revision), reason: '', refused: null });
  },
  submit: async (visit, form) => {
    const endpoint = await readEndpoint(visit);
    const given = { valueOf: form.text, revision: form.text('revision'), reason: form.text('reason'), refused: null };
    const { revision, reason } = given;
    const change = { body: { options: wishedOptions(endpoint, form) }, revision, reason };
    const answer = await visit.api.change<ChangeOutcome>('PATCH', url`/v1/endpoints/${endpoint.id}`, change);
    const { problem } = answer;
    if (problem !== null) return { ...show(visit, endpoint, { ...given, refused: problem }), status: problem.status };
    return { href: url`/endpoints/${endpoint.id}`, notice: outcomeNotice(answer.body, 'endpoint-changed') };
  },
};

function wishedOptions(endpoint: ShownEndpoint, form: Form): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    optionsFor(endpoint).map(([name]) => [name, readOption(form.text(name), optionTexts[name].kind)]),
  );
}

interface Given {
  readonly valueOf: (name: string) => string;
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
}

function show(visit: Visit, endpoint: ShownEndpoint, { valueOf, revision, reason, refused }: Given): Shown {
  const { id } = endpoint;
  return {
    title: `Options of ${id}`,
    trail: endpointTrail(id),
    body: changeForm(
      visit,
      refusal(refused, url`/endpoints/${id}/options`),
      hiddenField('revision', revision),
      ...optionsFor(endpoint).map(([name, byDefault]) => optionField(name, valueOf(name), byDefault, refused)),
      reasonField(reason, refused),
      buttons({ text: 'Save', cancel: url`/endpoints/${id}` }),
    ),
  };
}
