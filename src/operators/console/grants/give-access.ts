import { html } from 'hono/html';
import { consumerTrail, readConsumer } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { textField } from '../parts/form.ts';
import { withoutDefaults } from '../parts/outcome.ts';
import type { ListPage } from '../parts/pager.ts';
import { grantFields, type GrantTexts, grantTextsOfForm, termsOf, textsOfGrant } from './grant-fields.ts';

/** So many endpoints are suggested; others can be typed. */
const SUGGESTIONS = '500';

/** Whom access is given to, and what to. */
interface Wanted {
  readonly consumer: string;
  readonly suggestions: readonly string[];
}

/** Authorises a consumer on an endpoint. `?endpoint=` chooses it beforehand. */
export const giveAccess = changePage<Wanted, GrantTexts & { readonly endpoint: string }, unknown>({
  path: '/consumers/:id/grant',
  needs: 'change-consumers',
  read: async (visit) => {
    const { id: consumer } = await readConsumer(visit);
    const { items } = await visit.api.get<ListPage<{ readonly id: string }>>(
      `/v1/endpoints?fields=id&limit=${SUGGESTIONS}`,
    );
    return { consumer, suggestions: items.map(({ id }) => id) };
  },
  heading: ({ consumer }) => ({
    title: `Give ${consumer} access`,
    trail: consumerTrail(consumer),
    verb: 'Give access',
  }),
  begin: (_, { query }) => ({ endpoint: query.get('endpoint') ?? '', ...textsOfGrant({}) }),
  typed: (form) => ({ endpoint: form.text('endpoint'), ...grantTextsOfForm(form) }),
  fields: (
    { endpoint: value, ...texts },
    state,
    { suggestions },
  ) => html`<p>An endpoint that needs authorisation lets in
consumers with a grant only. Any other endpoint lets in every consumer with a working credential; there, a grant changes
the limits.</p>
${textField({ name: 'endpoint', label: 'Endpoint', value, isRequired: true, suggestions }, state.refused)}
${grantFields(texts, state)}`,
  request: ({ endpoint, ...texts }, { consumer }) => ({
    method: 'POST',
    path: '/v1/grants',
    body: { endpoint, consumer, ...withoutDefaults(termsOf(texts)) },
  }),
  done: (_, _texts, { consumer }) => ({ href: url`/consumers/${consumer}`, notice: 'access-given' }),
});
