import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { authenticationMethods } from '../../../model/endpoint.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { credentialActions } from '../jobs/bulk-actions.ts';
import { selectBox, selectionForm } from '../jobs/selection.ts';
import { csvLink, readForCsv } from '../parts/csv.ts';
import { filterForm, filterValues } from '../parts/filters.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { type SortedColumn, type Sorting, sortingOf } from '../parts/sorting.ts';
import { table } from '../parts/table.ts';
import { time, timeOr } from '../parts/values.ts';
import { credentialLink, methodsOf, type ShownCredential, statusBadge, statuses } from './shown-credential.ts';

const PAGE_SIZE = '50';
const filterNames = [
  'consumer',
  'endpoint',
  'method',
  'status',
  'expiringWithin',
  'unusedFor',
  'formerInUse',
  'appKeyEnd',
] as const;
type Wish = Readonly<Record<(typeof filterNames)[number], string>>;

const byConsumer: SortedColumn = { column: 'Consumer', sort: 'id', direction: 'ascending' };
const byCreation: SortedColumn = { column: 'Created', sort: '-createdAt', direction: 'descending' };
const byTime: readonly SortedColumn[] = [
  { column: 'Ends', sort: 'expiresAt', direction: 'ascending' },
  { column: 'Last used', sort: 'lastUsedAt', direction: 'ascending' },
];
/** The orders that leave something out say so. */
const captions: Readonly<Record<string, string>> = {
  expiresAt: 'Credentials with an end, the first to end first',
  lastUsedAt: 'Credentials that work, the longest unused first',
};

const anyChoice = { value: '', text: 'any' };
const choicesOf = (values: readonly string[]): readonly { readonly value: string; readonly text: string }[] => [
  anyChoice,
  ...values.map((value) => ({ value, text: value })),
];

/** Credentials of all consumers, narrowed by what they are for and how they stand. */
export const credentialList: Page = {
  path: '/credentials',
  needs: 'read',
  menu: { text: 'Credentials' },
  show: async ({ api, query, operator }) => {
    const isChanger = allows(operator.role, 'change-consumers');
    const wish = filterValues(query, filterNames);
    const cursor = query.get('cursor') ?? undefined;
    const sorting = sortingFor(query, wish);
    const page = await api.get<ListPage<ShownCredential>>(
      withQuery('/v1/credentials', { ...wish, sort: sorting?.sort, limit: PAGE_SIZE, cursor }),
    );
    return {
      title: 'Credentials',
      body: html`<p><a href="/find/credential">Whose App Key is this?</a></p>
${filterForm('/credentials', [
  { name: 'consumer', label: 'Consumer', value: wish.consumer },
  { name: 'endpoint', label: 'Endpoint that lets it in', value: wish.endpoint },
  { name: 'method', label: 'Method', value: wish.method, choices: choicesOf(authenticationMethods) },
  { name: 'status', label: 'State', value: wish.status, choices: choicesOf(statuses) },
  { name: 'expiringWithin', label: 'Ends within', value: wish.expiringWithin, placeholder: '30d' },
  { name: 'unusedFor', label: 'Unused for', value: wish.unusedFor, placeholder: '90d' },
  {
    name: 'formerInUse',
    label: 'Former secret',
    value: wish.formerInUse,
    choices: [anyChoice, { value: 'true', text: 'still used' }],
  },
  { name: 'appKeyEnd', label: 'Last four of its key', value: wish.appKeyEnd, placeholder: '3f9a' },
])}
${credentialTable(page.items, isChanger, sorting)}
${isChanger && page.items.length > 0 ? selectionForm('/selected/credentials', credentialActions) : null}
${pager('/credentials', query, page)}
${csvLink('/credentials', query)}`,
    };
  },
  csv: async (visit) => {
    const wish = filterValues(visit.query, filterNames);
    const { items, isCut } = await readForCsv<ShownCredential>(visit, '/v1/credentials', {
      ...wish,
      sort: sortingFor(visit.query, wish)?.sort,
    });
    return {
      name: 'credentials',
      columns: ['id', 'consumer', 'methods', 'status', 'expiresAt', 'lastUsedAt', 'createdAt'],
      rows: items.map((each) => [
        each.id,
        each.consumer,
        methodsOf(each).join(' '),
        each.status,
        each.expiresAt,
        each.lastUsedAt,
        each.createdAt,
      ]),
      isCut,
    };
  },
};

/** The orders that the API has for what is asked; null where what is asked has its own. */
function sortingFor(query: URLSearchParams, wish: Wish): Sorting | null {
  const { consumer, endpoint, expiringWithin, unusedFor, formerInUse, appKeyEnd } = wish;
  if ([endpoint, expiringWithin, unusedFor, formerInUse, appKeyEnd].some((each) => each !== '')) return null;
  return sortingOf('/credentials', query, [byConsumer, byCreation, ...(consumer === '' ? byTime : [])]);
}

function credentialTable(items: readonly ShownCredential[], isChanger: boolean, sorting: Sorting | null): Html {
  return table({
    caption: captions[sorting?.sort ?? ''] ?? 'Credentials',
    columns: ['Id', 'Consumer', 'Method', 'State', 'Ends', 'Last used', 'Created'],
    ...(sorting === null ? {} : { sorting: sorting.sorting }),
    rows: items.map((each) => [
      html`${isChanger ? selectBox(each.id) : null}${credentialLink(each.id)}`,
      html`<a href="${url`/consumers/${each.consumer}`}">${each.consumer}</a>`,
      methodsOf(each).join(', '),
      statusBadge(each),
      timeOr(each.expiresAt, 'never'),
      timeOr(each.lastUsedAt, 'never'),
      time(each.createdAt),
    ]),
    empty: 'No credential matches.',
  });
}
