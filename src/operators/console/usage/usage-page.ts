import { html } from 'hono/html';
import { type Grouping, groupings, isTime, sortings } from '../../../resources/changes/usage/sum-traffic.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { csvLink } from '../parts/csv.ts';
import { filterForm } from '../parts/filters.ts';
import { listQuery } from '../parts/pager.ts';
import { table, type TableParts } from '../parts/table.ts';
import { useColumns, useRow } from '../plans/plan-values.ts';
import type { ShownPlanUse } from '../plans/shown-plan.ts';
import { codeLink } from '../refusals/codes.ts';
import type { ShownUsage, UsageCounts } from './shown-usage.ts';
import { usageChart } from './usage-chart.ts';

const groupingTexts: Readonly<Record<Grouping, string>> = {
  hour: 'hour, the last 24',
  day: 'day, the last 7',
  month: 'month, the last 13',
  consumer: 'consumer, in 7 days',
  endpoint: 'endpoint, in 7 days',
};

/** Rows by consumer or endpoint that the API gives, those with the most requests. */
const MAX_ROWS = 500;

/** How many requests were allowed, refused and limited. */
export const usagePage: Page = {
  path: '/usage',
  needs: 'read',
  menu: { text: 'Usage' },
  show: async (visit) => {
    const { api, query } = visit;
    const wish = wishOf(query);
    const { by, consumer, endpoint, sort } = wish;
    const usage = await api.get<ShownUsage>(withQuery('/v1/usage', { by, consumer, endpoint, sort }));
    return { title: titleOf(consumer, endpoint), body: bodyOf(usage, wish, query) };
  },
  csv: async ({ api, query }) => {
    const { by, ...wish } = wishOf(query);
    const limit = isTime(by) ? undefined : String(MAX_ROWS);
    const { rows } = await api.get<ShownUsage>(withQuery('/v1/usage', { by, ...wish, limit }));
    return {
      name: `usage-by-${by}`,
      columns: [by, 'allowed', 'refused', 'limited'],
      rows: rows.map((row) => [row[by], ...countsOf(row)]),
      isCut: !isTime(by) && rows.length === MAX_ROWS,
    };
  },
};

function wishOf(query: Visit['query']): Wish {
  const by = groupings.find((each) => each === query.get('by')) ?? 'day';
  return {
    by,
    consumer: textOf(query, 'consumer'),
    endpoint: textOf(query, 'endpoint'),
    sort: isTime(by) ? '' : textOf(query, 'sort'),
  };
}

function textOf(query: Visit['query'], name: string): string {
  return (query.get(name) ?? '').trim();
}

interface Wish {
  readonly by: Grouping;
  readonly consumer: string;
  readonly endpoint: string;
  /** Empty for the most requests. */
  readonly sort: string;
}

function titleOf(consumer: string, endpoint: string): string {
  return `Usage${consumer === '' ? '' : ` of ${consumer}`}${endpoint === '' ? '' : ` on ${endpoint}`}`;
}

function bodyOf(
  { rows, total, plans = [] }: ShownUsage,
  { by, consumer, endpoint, sort }: Wish,
  query: Visit['query'],
): Html {
  const title = `Requests by ${by}${isTime(by) ? ', in UTC' : ''}`;
  return html`${filterForm('/usage', [
    {
      name: 'by',
      label: 'A row for each',
      value: by,
      choices: groupings.map((each) => ({ value: each, text: groupingTexts[each] })),
    },
    { name: 'consumer', label: 'Consumer', value: consumer },
    { name: 'endpoint', label: 'Endpoint', value: endpoint },
  ])}
${
  isTime(by) && rows.length > 0
    ? usageChart(
        title,
        rows.map((row) => ({ ...row, label: labelOf(row[by] ?? '', by) })),
      )
    : null
}
${table({
  caption: title,
  columns: [by === 'consumer' ? 'Consumer' : by === 'endpoint' ? 'Endpoint' : 'From', 'Allowed', 'Refused', 'Limited'],
  rows: [
    ...rows.map((row) => [nameOf(row[by] ?? '', by), ...countsOf(row)]),
    ...(rows.length > 1 ? [['Total', ...countsOf(total)]] : []),
  ],
  ...(isTime(by) ? {} : { sorting: sortingOf(query, sort) }),
  empty: 'No requests were counted in this time. Replicas report once a minute.',
})}
${csvLink('/usage', query)}
${codes(total.codes)}
${used(plans)}`;
}

function sortingOf(query: Visit['query'], sort: string): NonNullable<TableParts['sorting']> {
  const names = sortings.map((each) => [columnOf(each), each] as const);
  return {
    by: sort === '' ? '' : columnOf(sort),
    hrefs: Object.fromEntries(
      names.map(([column, each]) => [column, withQuery('/usage', { ...listQuery(query), sort: each })]),
    ),
  };
}

function columnOf(sort: string): string {
  return sort.slice(0, 1).toUpperCase() + sort.slice(1);
}

/** `13:00`, `11-23` or `2026-11`. */
function labelOf(name: string, by: Grouping): string {
  if (by === 'hour') return name.slice(11, 16);
  return by === 'day' ? name.slice(5) : name;
}

function nameOf(name: string, by: Grouping): Html | string {
  if (by === 'consumer') return html`<a href="${url`/consumers/${name}`}">${name}</a>`;
  if (by === 'endpoint') return html`<a href="${url`/endpoints/${name}`}">${name}</a>`;
  return by === 'hour' ? name.replace('T', ' ').replace('Z', '') : name;
}

function countsOf({ allowed, refused, limited }: UsageCounts): readonly number[] {
  return [allowed, refused, limited];
}

function used(plans: readonly ShownPlanUse[]): Html {
  if (plans.length === 0) return html``;
  return html`<h2>Used of plans</h2>
${table({
  caption: 'What the consumer has used of its plans',
  columns: ['Plan', ...useColumns],
  rows: plans.map((use) => [html`<a href="${url`/plans/${use.plan}`}">${use.plan}</a>`, ...useRow(use)]),
  empty: '',
})}`;
}

function codes(counts: Readonly<Record<string, number>>): Html {
  const refused = Object.entries(counts).filter(([code]) => code !== 'ALLOWED');
  if (refused.length === 0) return html``;
  return html`<h2>Refused with</h2>
${table({
  caption: 'Requests by the code of their refusal',
  columns: ['Code', 'Requests'],
  rows: refused.sort(([, one], [, other]) => other - one).map(([code, count]) => [codeLink(code), count]),
  empty: '',
})}`;
}
