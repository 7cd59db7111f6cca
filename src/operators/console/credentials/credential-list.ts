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
import { table } from '../parts/table.ts';
import { timeOr } from '../parts/values.ts';
import { credentialLink, methodsOf, type ShownCredential, statusBadge, statuses } from './shown-credential.ts';

const PAGE_SIZE = '50';
const filterNames = ['consumer', 'endpoint', 'method', 'status', 'expiringWithin', 'unusedFor', 'formerInUse'] as const;

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
    const page = await api.get<ListPage<ShownCredential>>(
      withQuery('/v1/credentials', { ...wish, limit: PAGE_SIZE, cursor }),
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
])}
${credentialTable(page.items, isChanger)}
${isChanger && page.items.length > 0 ? selectionForm('/selected/credentials', credentialActions) : null}
${pager('/credentials', query, page)}
${csvLink('/credentials', query)}`,
    };
  },
  csv: async (visit) => {
    const wish = filterValues(visit.query, filterNames);
    const { items, isCut } = await readForCsv<ShownCredential>(visit, '/v1/credentials', wish);
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

function credentialTable(items: readonly ShownCredential[], isChanger: boolean): Html {
  return table({
    caption: 'Credentials',
    columns: ['Id', 'Consumer', 'Method', 'State', 'Ends', 'Last used'],
    rows: items.map((each) => [
      html`${isChanger ? selectBox(each.id) : null}${credentialLink(each.id)}`,
      html`<a href="${url`/consumers/${each.consumer}`}">${each.consumer}</a>`,
      methodsOf(each).join(', '),
      statusBadge(each),
      timeOr(each.expiresAt, 'never'),
      timeOr(each.lastUsedAt, 'never'),
    ]),
    empty: 'No credential matches.',
  });
}
