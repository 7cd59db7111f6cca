import { html } from 'hono/html';
import { consumerTrail, readConsumer } from '../consumers/shown-consumer.ts';
import { endpointTrail, readEndpoint } from '../endpoints/shown-endpoint.ts';
import { url } from '../frame/html.ts';
import type { Page, Shown, Visit } from '../frame/page.ts';
import { changePage } from '../parts/change-page.ts';
import { textField } from '../parts/form.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import type { ListPage } from '../parts/pager.ts';
import { grantFields, type GrantTexts, grantTextsOfForm, termsOf, textsOfGrant } from './grant-fields.ts';
import { declareHolder, holderFields, holderOfForm, type HolderTexts, newHolder } from './grant-holder.ts';

/** So many endpoints are suggested; others can be typed. */
const SUGGESTIONS = '500';

/** Where the form was opened: what it begins with, and what comes after it. */
interface Place {
  readonly title: string;
  readonly trail: NonNullable<Shown['trail']>;
  readonly consumer: string;
  readonly endpoint: string;
  readonly suggestions: readonly string[];
}

type Texts = GrantTexts & HolderTexts & { readonly endpoint: string };

/** Authorises a consumer, or a group, on an endpoint. `?endpoint=` chooses it beforehand. */
export const giveAccess = givePage('/consumers/:id/grant', async (visit) => {
  const { id } = await readConsumer(visit);
  const { items } = await visit.api.get<ListPage<{ readonly id: string }>>(
    `/v1/endpoints?fields=id&limit=${SUGGESTIONS}`,
  );
  return {
    title: `Give ${id} access`,
    trail: consumerTrail(id),
    consumer: id,
    endpoint: visit.query.get('endpoint') ?? '',
    suggestions: items.map((each) => each.id),
  };
});

/** Authorises a consumer, or a group, on this endpoint. */
export const giveAccessTo = givePage('/endpoints/:id/grant', async (visit) => {
  const { id } = await readEndpoint(visit);
  return { title: `Give access to ${id}`, trail: endpointTrail(id), consumer: '', endpoint: id, suggestions: [] };
});

function givePage(path: string, read: (visit: Visit) => Promise<Place>): Page {
  return changePage<Place, Texts, unknown>({
    path,
    needs: 'change-consumers',
    read,
    heading: ({ title, trail }) => ({ title, trail, verb: 'Give access' }),
    begin: ({ consumer, endpoint }) => ({ endpoint, ...newHolder(consumer), ...textsOfGrant({}) }),
    typed: (form) => ({ endpoint: form.text('endpoint'), ...holderOfForm(form), ...grantTextsOfForm(form) }),
    fields: (texts, state, { suggestions }) => html`<p>An endpoint that needs authorisation lets in
consumers with a grant only. Any other endpoint lets in every consumer with a working credential; there, a grant changes
the limits.</p>
${holderFields(texts, state.refused)}
${textField({ name: 'endpoint', label: 'Endpoint', value: texts.endpoint, isRequired: true, suggestions }, state.refused)}
${grantFields(texts, state)}`,
    request: ({ endpoint, ...texts }, place) => {
      const { holder, faults } = declareHolder({ ...texts, consumer: texts.consumer || place.consumer });
      const body = { endpoint, ...holder, ...withoutDefaults(termsOf(texts)) };
      return { method: 'POST', path: '/v1/grants', body, faults };
    },
    done: (_, { who, endpoint }, { trail, consumer }) => ({
      href: who === 'group' && consumer !== '' ? url`/endpoints/${endpoint}` : (trail.at(-1)?.href ?? '/'),
      notice: 'access-given',
    }),
  });
}
