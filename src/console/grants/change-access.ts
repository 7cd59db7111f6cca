import type { ChangeOutcome } from '../../api/change.ts';
import { consumerTrail } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, reasonField, type Refused, refusal } from '../parts/form.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { grantFields, type GrantTexts, grantTextsOfForm, termsOf, textsOfGrant } from './grant-fields.ts';
import { grantPath, readGrant, type ShownGrant } from './shown-grant.ts';

/** Changes the end and the limits of the access that a consumer has by its own grant. */
export const changeAccess: Page = {
  path: '/consumers/:id/grants/:endpoint',
  needs: 'change-consumers',
  show: async (visit) => {
    const grant = await readGrant(visit);
    const revision = String(grant.revision);
    return show(visit, grant, { texts: textsOfGrant(grant), revision, reason: '', refused: null });
  },
  submit: async (visit, form) => {
    const grant = await readGrant(visit);
    const given = readForm(form);
    const { texts, revision, reason } = given;
    const body = termsOf(texts);
    const answer = await visit.api.change<ChangeOutcome>('PATCH', grantPath(visit), { body, revision, reason });
    const { problem } = answer;
    if (problem !== null) return { ...show(visit, grant, { ...given, refused: problem }), status: problem.status };
    return { href: url`/consumers/${grant.consumer}`, notice: outcomeNotice(answer.body, 'access-changed') };
  },
};

interface Given {
  readonly texts: GrantTexts;
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
}

function readForm(form: Form): Given {
  const [revision, reason] = [form.text('revision'), form.text('reason')];
  return { texts: grantTextsOfForm(form), revision, reason, refused: null };
}

function show(visit: Visit, grant: ShownGrant, { texts, revision, reason, refused }: Given): Shown {
  const { consumer, endpoint } = grant;
  return {
    title: `Access of ${consumer} to ${endpoint}`,
    trail: consumerTrail(consumer),
    body: changeForm(
      visit,
      refusal(refused, url`/consumers/${consumer}/grants/${endpoint}`),
      hiddenField('revision', revision),
      grantFields(texts, refused),
      reasonField(reason, refused),
      buttons({ text: 'Save', cancel: url`/consumers/${consumer}` }),
    ),
  };
}
