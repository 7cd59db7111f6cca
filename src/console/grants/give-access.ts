import { html } from 'hono/html';
import { consumerTrail, readConsumer } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, reasonField, type Refused, refusal, textField } from '../parts/form.ts';
import type { ListPage } from '../parts/pager.ts';
import { grantFields, type GrantTexts, grantTextsOfForm, termsOf, textsOfGrant } from './grant-fields.ts';

/** So many endpoints are suggested; others can be typed. */
const SUGGESTIONS = '500';

/** Authorises a consumer on an endpoint. `?endpoint=` chooses it beforehand. */
export const giveAccess: Page = {
  path: '/consumers/:id/grant',
  needs: 'change-consumers',
  show: async (visit) => {
    const { id } = await readConsumer(visit);
    const endpoint = visit.query.get('endpoint') ?? '';
    return await show(visit, id, { endpoint, texts: textsOfGrant({}), reason: '', refused: null });
  },
  submit: async (visit, form) => {
    const { id: consumer } = await readConsumer(visit);
    const given = readForm(form);
    const { expiresAt, limits } = termsOf(given.texts);
    const body = {
      ...{ endpoint: given.endpoint, consumer },
      ...(expiresAt === null ? {} : { expiresAt }),
      ...(limits === null ? {} : { limits }),
    };
    const { problem } = await visit.api.change('POST', '/v1/grants', { body, reason: given.reason });
    if (problem === null) return { href: url`/consumers/${consumer}`, notice: 'access-given' };
    return { ...(await show(visit, consumer, { ...given, refused: problem })), status: problem.status };
  },
};

interface Given {
  readonly endpoint: string;
  readonly texts: GrantTexts;
  readonly reason: string;
  readonly refused: Refused;
}

function readForm(form: Form): Given {
  const [endpoint, reason] = [form.text('endpoint'), form.text('reason')];
  return { endpoint, texts: grantTextsOfForm(form), reason, refused: null };
}

async function show(visit: Visit, consumer: string, { endpoint, texts, reason, refused }: Given): Promise<Shown> {
  const { items } = await visit.api.get<ListPage<{ readonly id: string }>>(
    `/v1/endpoints?fields=id&limit=${SUGGESTIONS}`,
  );
  const suggestions = items.map(({ id }) => id);
  return {
    title: `Give ${consumer} access`,
    trail: consumerTrail(consumer),
    body: changeForm(
      visit,
      refusal(refused, url`/consumers/${consumer}/grant`),
      html`<p>Endpoints that need authorisation let in consumers with a grant only. Others let in every consumer with a working
credential; there a grant changes the limits.</p>`,
      textField({ name: 'endpoint', label: 'Endpoint', value: endpoint, isRequired: true, suggestions }, refused),
      grantFields(texts, refused),
      reasonField(reason, refused),
      buttons({ text: 'Give access', cancel: url`/consumers/${consumer}` }),
    ),
  };
}
