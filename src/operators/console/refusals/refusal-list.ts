import { html } from 'hono/html';
import { groupRefusals } from '../../../check/refusals/group-refusals.ts';
import { isRequestId } from '../../../check/receive/request-id.ts';
import { findRefusalRequestId } from '../../../partners/explain/read/read-request.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { csvLink, readForCsv } from '../parts/csv.ts';
import { filterForm, filterValues } from '../parts/filters.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { type Cell, table } from '../parts/table.ts';
import { badge, copyable, time } from '../parts/values.ts';
import { codeLink, codes } from './codes.ts';
import type { ShownRefusal } from './shown-refusal.ts';

/** Those of a page that are the same are one line. */
const PAGE_SIZE = '200';
const filterNames = ['consumer', 'endpoint', 'code', 'since', 'unmatched', 'requestId'] as const;

const sinceChoices = [
  { value: '', text: 'the last 7 days' },
  { value: '1h', text: 'the last hour' },
  { value: '24h', text: 'the last 24 hours' },
  { value: '3d', text: 'the last 3 days' },
];

const kindChoices = [
  { value: '', text: 'of known callers' },
  { value: 'true', text: 'that no endpoint took' },
];

const columns = ['When', 'Consumer', 'Endpoint', 'Request', 'Code', 'Why'];
const NONE = 'No refusal matches.';

const csvColumns = [
  'at',
  'requestId',
  'consumer',
  'credential',
  'endpoint',
  'method',
  'path',
  'code',
  'status',
  'observed',
  'sourceAddress',
  'detail',
] as const;

/** What was refused to known consumers, or what no endpoint took. */
export const refusalList: Page = {
  path: '/refusals',
  needs: 'read-traces',
  menu: { text: 'Refusals' },
  show: async ({ api, query }) => {
    const { requestId: typed, ...wish } = filterValues(query, filterNames);
    const cursor = query.get('cursor') ?? undefined;
    const requestId = requestIdIn(typed);
    const page =
      typed === ''
        ? await api.get<ListPage<ShownRefusal>>(withQuery('/v1/refusals', { ...wish, limit: PAGE_SIZE, cursor }))
        : { items: requestId === null ? [] : await refusalsOf(requestId, api), nextCursor: null };
    return {
      title: 'Refusals',
      body: html`<p>Refused requests of known callers, whose App Key or client exists, or requests that no endpoint took, such as
those with a wrong method. Refusals of unknown callers are in the logs only. <a href="/refusal-codes">What the codes mean</a></p>
${filterForm('/refusals', [
  { name: 'requestId', label: 'Request id, or the whole answer', value: requestId ?? typed },
  { name: 'unmatched', label: 'Requests', value: wish.unmatched, choices: kindChoices },
  { name: 'consumer', label: 'Consumer', value: wish.consumer },
  { name: 'endpoint', label: 'Endpoint', value: wish.endpoint },
  {
    name: 'code',
    label: 'Code',
    value: wish.code,
    choices: [{ value: '', text: 'any' }, ...codes.map((code) => ({ value: code, text: code }))],
  },
  { name: 'since', label: 'When', value: wish.since, choices: sinceChoices },
])}
${typed === '' ? await joinedTable(page.items) : foundById(page.items, requestId)}
${pager('/refusals', query, page)}
${csvLink('/refusals', query)}`,
    };
  },
  csv: async (visit) => {
    const { requestId: typed, ...wish } = filterValues(visit.query, filterNames);
    const requestId = requestIdIn(typed);
    const { items, isCut } =
      typed === ''
        ? await readForCsv<ShownRefusal>(visit, '/v1/refusals', wish)
        : { items: requestId === null ? [] : await refusalsOf(requestId, visit.api), isCut: false };
    return {
      name: 'refusals',
      columns: csvColumns,
      rows: items.map((each) => csvColumns.map((key) => each[key])),
      isCut,
    };
  },
};

/** The request id that was pasted, alone or in the answer that has it; null for a text without one. */
function requestIdIn(typed: string): string | null {
  return isRequestId(typed) ? typed : findRefusalRequestId(typed);
}

async function refusalsOf(requestId: string, api: Visit['api']): Promise<readonly ShownRefusal[]> {
  return (await api.find<ListPage<ShownRefusal>>(url`/v1/refusals/${requestId}`))?.items ?? [];
}

/** All with one request id; the other fields of the form do not narrow it. */
function foundById(items: readonly ShownRefusal[], requestId: string | null): Html {
  if (requestId === null)
    return html`<p class="empty">This is no request id: letters, digits and hyphens, 64 at most.</p>`;
  if (items.length > 0) return refusalTable(items, `Refusals with the request id ${requestId}`);
  return html`<p class="empty">No refusal with this request id is kept. The request passed, its App Key is unknown, there were
too many refusals, or it is older than seven days. The log may have it:</p>
<p>${copyable(`grep -F '"requestId":"${requestId}"'`, 'the command', 'grep')}</p>`;
}

/** A line for those that are the same but for numbers and the end of the path, with how many they are. */
async function joinedTable(items: readonly ShownRefusal[]): Promise<Html> {
  const { groups } = await groupRefusals(
    items.map((shown) => ({
      shown,
      atMs: Date.parse(shown.at),
      path: shown.path,
      consumerId: shown.consumer ?? null,
      credentialId: shown.credential ?? null,
      endpointId: shown.endpoint ?? null,
      method: shown.method,
      code: shown.code,
      isObserved: shown.observed === true,
      detail: shown.detail,
    })),
  );
  return await table({
    caption: 'Refusals, the newest first',
    columns: [...columns, 'Times'],
    rows: groups.map(({ newest: { shown }, times, path }) => [...rowOf({ ...shown, path }), times]),
    sorting: { by: 'When', hrefs: {} },
    empty: NONE,
  });
}

/** Refusals as a table. */
export function refusalTable(items: readonly ShownRefusal[], caption: string): Html {
  return table({
    caption,
    columns,
    rows: items.map(rowOf),
    empty: NONE,
  });
}

function rowOf(refusal: ShownRefusal): readonly Cell[] {
  const { at, requestId, consumer, endpoint, method, path, code, observed, detail } = refusal;
  return [
    requestId === undefined ? time(at) : html`<a href="${url`/refusals/${requestId}`}">${time(at)}</a>`,
    consumer === undefined ? '-' : html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`,
    endpoint === undefined
      ? consumer === undefined
        ? 'none'
        : 'OAuth2'
      : html`<a href="${url`/endpoints/${endpoint}`}">${endpoint}</a>`,
    html`<code>${method} ${path}</code>`,
    html`${codeLink(code)}${observed === true ? html` ${badge('passed', 'warning')}` : null}`,
    detail,
  ];
}
