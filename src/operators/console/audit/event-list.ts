import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { filterForm, filterValues } from '../parts/filters.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/values.ts';
import type { ShownEvent } from './shown-event.ts';

const PAGE_SIZE = '50';
const filterNames = ['consumer', 'endpoint', 'actor', 'action', 'since', 'revision'] as const;

const sinceChoices = [
  { value: '', text: 'all' },
  { value: '24h', text: 'the last 24 hours' },
  { value: '7d', text: 'the last 7 days' },
  { value: '30d', text: 'the last 30 days' },
];

/** Who changed what. */
export const eventList: Page = {
  path: '/audit',
  needs: 'read-traces',
  menu: { text: 'Audit' },
  show: async ({ api, query }) => {
    const wish = filterValues(query, filterNames);
    const cursor = query.get('cursor') ?? undefined;
    const page = await api.get<ListPage<ShownEvent>>(withQuery('/v1/audit', { ...wish, limit: PAGE_SIZE, cursor }));
    return {
      title: 'Audit',
      body: html`${filterForm('/audit', [
        { name: 'consumer', label: 'Consumer', value: wish.consumer },
        { name: 'endpoint', label: 'Endpoint', value: wish.endpoint },
        { name: 'actor', label: 'Operator', value: wish.actor },
        { name: 'action', label: 'Action', value: wish.action, placeholder: 'credential revoke' },
        { name: 'since', label: 'When', value: wish.since, choices: sinceChoices },
        { name: 'revision', label: 'Revision', value: wish.revision },
      ])}
${table({
  caption: 'Changes, the newest first',
  columns: ['When', 'Operator', 'Action', 'What', 'Reason', 'Revision'],
  rows: page.items.map((each) => [
    html`<a href="${url`/audit/${each.event}`}">${time(each.at)}</a>`,
    each.actor,
    each.action,
    html`${verbOf(each)} ${each.kind} <code>${each.id}</code>`,
    each.reason ?? '',
    html`<a href="${withQuery('/audit', { revision: String(each.storeRevision) })}">${String(each.storeRevision)}</a>`,
  ]),
  empty: 'No change matches.',
})}
${pager('/audit', query, page.nextCursor)}`,
    };
  },
};

/** What happened to the resource of an event. */
export function verbOf({ before, after, refused }: ShownEvent): Html {
  if (refused !== undefined) return html`met and refused`;
  return html`${before === null ? 'created' : after === null ? 'deleted' : 'changed'}`;
}
