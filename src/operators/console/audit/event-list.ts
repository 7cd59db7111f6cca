import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { csvLink, readForCsv } from '../parts/csv.ts';
import { filterForm, filterValues } from '../parts/filters.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/values.ts';
import type { ShownEvent, ShownOperation } from './shown-event.ts';

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
    const read = async <T>(path: string): Promise<ListPage<T>> =>
      await api.get<ListPage<T>>(withQuery(path, { ...wish, limit: PAGE_SIZE, cursor }));
    // Of one revision, each event is wanted.
    const { shown, page } =
      wish.revision === ''
        ? shownOperations(await read<ShownOperation>('/v1/operations'), wish)
        : shownEvents(await read<ShownEvent>('/v1/audit'));
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
${shown}
${pager('/audit', query, page)}
${csvLink('/audit', query)}`,
    };
  },
  csv: async (visit) => {
    const wish = filterValues(visit.query, filterNames);
    const { items, isCut } = await readForCsv<ShownEvent>(visit, '/v1/audit', wish);
    return {
      name: 'audit',
      columns: ['at', 'actor', 'action', 'what', 'kind', 'id', 'reason', 'revision', 'event'],
      rows: items.map((each) => [
        each.at,
        each.actor,
        each.action,
        verbOf(each),
        each.kind,
        each.id,
        each.reason,
        each.storeRevision,
        each.event,
      ]),
      isCut,
    };
  },
};

interface ShownList {
  readonly shown: Html;
  readonly page: ListPage<unknown>;
}

const columns = ['When', 'Operator', 'Action', 'What', 'Reason', 'Revision'];
const NONE = 'No change matches.';
/** The trail has no other order. */
const sorting = { by: 'When', hrefs: {} };

/** A line for all that was changed at once, which unfolds. */
function shownOperations(page: ListPage<ShownOperation>, wish: Readonly<Record<string, string>>): ShownList {
  const rows = page.items.map((each) => [
    linkedTime(each.at, each.events[0]?.event),
    each.actor,
    each.action,
    whatOf(each, wish),
    each.reason ?? '',
    revisionLink(each, wish),
  ]);
  return { shown: table({ caption: 'Changes, the newest first', columns, rows, sorting, empty: NONE }), page };
}

function shownEvents(page: ListPage<ShownEvent>): ShownList {
  const rows = page.items.map((each) => [
    linkedTime(each.at, each.event),
    each.actor,
    each.action,
    html`${verbOf(each)} ${each.kind} <code>${each.id}</code>`,
    each.reason ?? '',
    revisionLink(each, {}),
  ]);
  return { shown: table({ caption: 'Changes of one revision', columns, rows, empty: NONE }), page };
}

function linkedTime(at: string, event: string | undefined): Html {
  return event === undefined ? time(at) : html`<a href="${url`/audit/${event}`}">${time(at)}</a>`;
}

function revisionLink(
  { storeRevision }: Pick<ShownEvent, 'storeRevision'>,
  wish: Readonly<Record<string, string>>,
): Html {
  const revision = String(storeRevision);
  return html`<a href="${withQuery('/audit', { ...wish, revision })}">${revision}</a>`;
}

const verbTexts: Readonly<Record<string, string>> = { refused: 'met and refused' };

function whatOf(
  { count, counts, events, storeRevision }: ShownOperation,
  wish: Readonly<Record<string, string>>,
): Html {
  const named = events.map(
    ({ event, verb, kind, id }) =>
      html`<a href="${url`/audit/${event}`}">${verbTexts[verb] ?? verb} ${kind} <code>${id}</code></a>`,
  );
  if (count === 1) return html`${named}`;
  const sums = counts.map(
    (each) => `${each.count.toLocaleString('en')} ${each.kind} ${verbTexts[each.verb] ?? each.verb}`,
  );
  const all = withQuery('/audit', { ...wish, revision: String(storeRevision) });
  return html`<details><summary>${sums.join(', ')}</summary>
<ul>${named.map((each) => html`<li>${each}</li>`)}
${count > named.length ? html`<li><a href="${all}">All ${count.toLocaleString('en')}</a></li>` : null}</ul></details>`;
}

/** What happened to the resource of an event. */
export function verbOf({ before, after, refused }: ShownEvent): string {
  if (refused !== undefined) return 'met and refused';
  return before === null ? 'created' : after === null ? 'deleted' : 'changed';
}
