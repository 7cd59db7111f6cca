import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { allowFromWords } from '../../../resources/allow-from.ts';
import { consumerTexts } from '../../../resources/consumer-fields.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { consumerActions } from '../jobs/bulk-actions.ts';
import { selectBox, selectionForm } from '../jobs/selection.ts';
import { chosenColumns, columnChoice, keptColumns } from '../parts/column-choice.ts';
import { csvLink, labelsCell, readForCsv } from '../parts/csv.ts';
import { type ListPage, pager } from '../parts/pager.ts';
import { searchForm, wishOf } from '../parts/search.ts';
import { type SortedColumn, sortingOf } from '../parts/sorting.ts';
import { type Cell, table } from '../parts/table.ts';
import { enabledBadge, labels, time } from '../parts/values.ts';
import type { ShownConsumer } from './shown-consumer.ts';

const PAGE_SIZE = '50';

interface Column {
  readonly text: string;
  readonly cellOf: (consumer: ShownConsumer) => Cell;
}

const columns: Readonly<Record<string, Column>> = {
  ...Object.fromEntries(
    consumerTexts.map(({ name, label }): [string, Column] => [
      name,
      { text: label, cellOf: (consumer) => consumer[name] ?? '' },
    ]),
  ),
  labels: { text: 'Labels', cellOf: (consumer) => labels(consumer.labels) },
  enabled: { text: 'State', cellOf: ({ enabled }) => enabledBadge(enabled) },
  allowFrom: { text: allowFromWords.label, cellOf: ({ allowFrom }) => allowFrom?.join(', ') ?? '' },
  createdAt: { text: 'Created', cellOf: ({ createdAt }) => time(createdAt) },
  updatedAt: { text: 'Changed', cellOf: ({ updatedAt }) => time(updatedAt) },
};
const usualColumns = ['name', 'labels', 'enabled'];
const sorted: readonly SortedColumn[] = [
  { column: 'Id', sort: 'id', direction: 'ascending' },
  { column: 'Created', sort: '-createdAt', direction: 'descending' },
  { column: 'Changed', sort: '-updatedAt', direction: 'descending' },
];

/** Finds consumers by id, name, contact or label. */
export const consumerList: Page = {
  path: '/consumers',
  needs: 'read',
  menu: { text: 'Consumers' },
  show: async (visit) => {
    const wanted = (visit.query.get('q') ?? '').trim();
    const page = await visit.api.get<ListPage<ShownConsumer>>(
      withQuery('/v1/consumers', {
        limit: PAGE_SIZE,
        cursor: visit.query.get('cursor') ?? undefined,
        sort: sortingOf('/consumers', visit.query, sorted).sort,
        ...wishOf(wanted),
      }),
    );
    return { title: 'Consumers', body: listOf(visit, wanted, page) };
  },
  csv: async (visit) => {
    const { sort } = sortingOf('/consumers', visit.query, sorted);
    const wish = { ...wishOf((visit.query.get('q') ?? '').trim()), sort };
    const { items, isCut } = await readForCsv<ShownConsumer>(visit, '/v1/consumers', wish);
    const texts = consumerTexts.map(({ name }) => name);
    return {
      name: 'consumers',
      columns: ['id', ...texts, 'labels', 'enabled', 'allowFrom', 'createdAt', 'updatedAt'],
      rows: items.map((each) => [
        each.id,
        ...texts.map((name) => each[name]),
        labelsCell(each.labels),
        each.enabled,
        each.allowFrom?.join(' '),
        each.createdAt,
        each.updatedAt,
      ]),
      isCut,
    };
  },
};

function listOf({ operator, query }: Visit, wanted: string, page: ListPage<ShownConsumer>): Html {
  const shown = chosenColumns(query, Object.keys(columns), usualColumns);
  const isCreator = allows(operator.role, 'change-consumers');
  const hint = html`By the beginning of its id, a part of its name, e-mail address or team, or a label such as
<code>tier=gold</code>.`;
  return html`${searchForm({ path: '/consumers', label: 'Find a consumer', hint, wanted, kept: keptColumns(query) })}
<p><a href="/find/credential">Whose App Key is this?</a></p>
${isCreator ? html`<p><a class="button" href="/new/consumer">Create a consumer</a></p>` : null}
${table({
  caption: wanted === '' ? 'Consumers' : `Consumers found for "${wanted}"`,
  columns: ['Id', ...shown.map((name) => columns[name]?.text ?? '')],
  rows: page.items.map((consumer) => [
    html`${isCreator ? selectBox(consumer.id) : null}<a href="${url`/consumers/${consumer.id}`}">${consumer.id}</a>`,
    ...shown.map((name) => columns[name]?.cellOf(consumer) ?? ''),
  ]),
  sorting: sortingOf('/consumers', query, sorted).sorting,
  empty: wanted === '' ? 'There are no consumers yet.' : `No consumer was found for "${wanted}".`,
})}
${isCreator && page.items.length > 0 ? selectionForm('/selected/consumers', consumerActions) : null}
${pager('/consumers', query, page)}
${columnChoice(
  '/consumers',
  query,
  Object.entries(columns).map(([name, { text }]) => ({ name, text, isShown: shown.includes(name) })),
)}
${csvLink('/consumers', query)}`;
}
