import { html } from 'hono/html';
import { MAX_SEARCH_TEXT } from '../../api/request.ts';
import { isRequestId } from '../../../check/receive/request-id.ts';
import { ID_PATTERN } from '../../../model/document/fields.ts';
import { allows } from '../../../model/operator.ts';
import { findRefusalRequestId } from '../../../partners/explain/read/read-request.ts';
import { KEY_END_PATTERN } from '../../../resources/app-key-end.ts';
import { type ShownCredential, statusBadge } from '../credentials/shown-credential.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import type { ListPage } from '../parts/pager.ts';
import { wishOf } from '../parts/search.ts';
import { enabledBadge, labels, time } from '../parts/values.ts';
import type { ShownRefusal } from '../refusals/shown-refusal.ts';

/** So many consumers, and so many endpoints. */
const SHOWN = '10';

/** What every page finds by one text: consumers, credentials, endpoints, plans and refused requests. */
export const searchPage: Page = {
  path: '/search',
  needs: 'read',
  show: async (visit) => {
    const wanted = (visit.query.get('q') ?? '').trim();
    const groups = wanted === '' ? [] : await Promise.all(searches.map(async (search) => await search(visit, wanted)));
    const found = groups.filter((group) => group !== null);
    return { title: wanted === '' ? 'Search' : `Found for "${wanted}"`, body: await resultOf(wanted, found) };
  },
};

/** What one search found: nothing shown for null. */
type Search = (visit: Visit, wanted: string) => Promise<Html | null>;

const searches: readonly Search[] = [
  async (visit, wanted) => await listed(visit, wanted, 'consumers', 'Consumers'),
  async ({ api }, wanted) => {
    const found = await findById<ShownCredential>(api, 'credentials', wanted);
    return found === null ? null : await group('Credential', [lineOf(found)]);
  },
  async ({ api }, wanted) => {
    if (!KEY_END_PATTERN.test(wanted)) return null;
    const wish = { appKeyEnd: wanted };
    const { items, nextCursor } = await api.get<ListPage<ShownCredential>>(
      withQuery('/v1/credentials', { limit: SHOWN, ...wish }),
    );
    if (items.length === 0) return null;
    const more = html`<a href="${withQuery('/credentials', wish)}">All whose App Key ends so</a>`;
    const lines = items.map(lineOf);
    return await group(`App Key ends with ${wanted}`, nextCursor === null ? lines : [...lines, more]);
  },
  async (visit, wanted) => await listed(visit, wanted, 'endpoints', 'Endpoints'),
  async ({ api }, wanted) => {
    const found = await findById(api, 'plans', wanted);
    return found === null ? null : await group('Plan', [html`<a href="${url`/plans/${found.id}`}">${found.id}</a>`]);
  },
  async ({ api, operator }, wanted) => {
    const requestId = isRequestId(wanted) ? wanted : findRefusalRequestId(wanted);
    if (requestId === null || !allows(operator.role, 'read-traces')) return null;
    const items = (await api.find<ListPage<ShownRefusal>>(url`/v1/refusals/${requestId}`))?.items ?? [];
    const lines = items.map(
      ({ at, code, consumer = 'nobody known' }) =>
        html`<a href="${url`/refusals/${requestId}`}">${code}</a> of ${consumer}, ${time(at)}`,
    );
    return lines.length === 0 ? null : await group('Refused requests', lines);
  },
];

function lineOf(credential: ShownCredential): Html {
  const { id, consumer } = credential;
  return html`<a href="${url`/credentials/${id}`}">${id}</a> of <a href="${url`/consumers/${consumer}`}">${consumer}</a>
${statusBadge(credential)}`;
}

async function findById<T extends { readonly id: string }>(
  api: Visit['api'],
  kind: string,
  id: string,
): Promise<T | null> {
  return ID_PATTERN.test(id) ? await api.find<T>(`/v1/${kind}/${id}`) : null;
}

interface Labelled {
  readonly id: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly enabled: boolean;
}

async function listed({ api }: Visit, wanted: string, kind: string, title: string): Promise<Html | null> {
  // More than a name or a label is: the answer of a refused request, perhaps.
  if (wanted.length > MAX_SEARCH_TEXT) return null;
  const { items, nextCursor } = await api.get<ListPage<Labelled>>(
    withQuery(`/v1/${kind}`, { limit: SHOWN, ...wishOf(wanted) }),
  );
  if (items.length === 0) return null;
  const lines = items.map(
    ({ id, name = '', labels: carried, enabled }) =>
      html`<a href="${url`/${kind}/${id}`}">${id}</a> ${name} ${carried === undefined ? null : labels(carried)}
${enabled ? null : enabledBadge(enabled)}`,
  );
  const more = html`<a href="${withQuery(`/${kind}`, { q: wanted })}">All ${kind} found</a>`;
  return await group(title, nextCursor === null ? lines : [...lines, more]);
}

function group(title: string, lines: readonly Html[]): Html {
  return html`<section><h2>${title}</h2><ul class="plain">${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`;
}

function resultOf(wanted: string, found: readonly Html[]): Html {
  if (found.length > 0) return html`${found}`;
  return html`${wanted === '' ? null : html`<p class="empty">Nothing within your reach was found.</p>`}
<p>A search looks for the beginning of the id of a consumer or an endpoint; for a part of a consumer's name, e-mail address
or team; for a label such as <code>tier=gold</code>; for the whole id of a credential or plan; for the last four characters
of an App Key; and for a request id, alone or in the answer that has it. Whole App Keys are looked for
<a href="/find/credential">in a form</a>, because addresses are kept.</p>`;
}
