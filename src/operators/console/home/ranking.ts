import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Visit } from '../frame/page.ts';
import { sparkline } from '../parts/sparkline.ts';
import { type Cell, table } from '../parts/table.ts';
import { requestsOf, type ShownUsage, type UsageCounts } from '../usage/shown-usage.ts';

const SHOWN = 5;
/** As many as the API compares. */
const MOST = '500';
const HOUR_SECONDS = 3600;
const HOURS = 24;

/**
 * Which consumers fail, grow or are silent in the last 24 hours, as tables with a line for each. Nothing where nobody
 * called in a week.
 */
export async function rankings(visit: Visit): Promise<Html> {
  const [today, yesterday, week] = await Promise.all([
    usageOf(visit, { since: '24h', limit: MOST }),
    usageOf(visit, { since: '48h', until: '24h', limit: MOST }),
    usageOf(visit, { since: '8d', until: '24h', limit: MOST }),
  ]);
  const fails = await failing(visit, today);
  const grows = growing(today, yesterday);
  const silent = await silentOf(visit, today, week);
  if (today.length === 0 && week.length === 0) return await html``;
  const ids = [...new Set([...fails, ...grows].map(({ id }) => id))];
  const hours = new Map(
    await Promise.all(ids.map(async (id) => [id, await hoursOf(visit, id)] as [string, readonly UsageCounts[]])),
  );
  const line = (id: string, what: string, pick: (counts: UsageCounts) => number): Html =>
    sparkline(`${what} by hour`, (hours.get(id) ?? []).map(pick));
  return await html`<h2>Consumers in the last 24 hours</h2>
${table({
  caption: 'Who fails: most refused requests',
  columns: ['Consumer', 'Refused', 'Of all', '24 hours'],
  rows: fails.map((row) => [
    consumerLink(row.id),
    row.refused,
    `${String(Math.round((row.refused / requestsOf(row)) * 100))} %`,
    line(row.id, 'Refused', ({ refused }) => refused),
  ]),
  empty: 'Who fails: no request of a consumer was refused.',
})}
${table({
  caption: 'Who grows: more requests than in the 24 hours before',
  columns: ['Consumer', 'More', 'Requests', '24 hours'],
  rows: grows.map((row) => [consumerLink(row.id), row.more, requestsOf(row), line(row.id, 'Requests', requestsOf)]),
  empty: 'Who grows: no consumer sent more requests than in the 24 hours before.',
})}
${table({
  caption: 'Who is silent: no request, after some in the 7 days before',
  columns: ['Consumer', 'Requests in the 7 days before'],
  rows: silent.map((row): readonly Cell[] => [consumerLink(row.id), requestsOf(row)]),
  empty: 'Who is silent: every consumer that called in the 7 days before called again.',
})}`;
}

interface Counted extends UsageCounts {
  readonly id: string;
}

async function usageOf({ api }: Visit, wish: Readonly<Record<string, string>>): Promise<readonly Counted[]> {
  const { rows } = await api.get<ShownUsage>(withQuery('/v1/usage', { by: 'consumer', ...wish }));
  return rows.map(({ consumer = '', allowed, refused, limited }) => ({ id: consumer, allowed, refused, limited }));
}

/** Those with the most refusals. Of more consumers than are compared, the API knows them. */
async function failing(visit: Visit, today: readonly Counted[]): Promise<readonly Counted[]> {
  const most =
    today.length < Number(MOST)
      ? [...today].sort((one, other) => other.refused - one.refused).slice(0, SHOWN)
      : await usageOf(visit, { since: '24h', sort: 'refused', limit: String(SHOWN) });
  return most.filter(({ refused }) => refused > 0);
}

function growing(
  today: readonly Counted[],
  yesterday: readonly Counted[],
): readonly (Counted & { readonly more: number })[] {
  const before = new Map(yesterday.map((row) => [row.id, requestsOf(row)]));
  return today
    .map((row) => ({ ...row, more: requestsOf(row) - (before.get(row.id) ?? 0) }))
    .filter(({ more }) => more > 0)
    .sort((one, other) => other.more - one.more)
    .slice(0, SHOWN);
}

/** The busiest of the week before that did not call. Of more consumers than are compared, each is looked at itself. */
async function silentOf(
  visit: Visit,
  today: readonly Counted[],
  week: readonly Counted[],
): Promise<readonly Counted[]> {
  const called = new Set(today.map(({ id }) => id));
  const candidates = week.filter(({ id }) => !called.has(id)).slice(0, SHOWN);
  if (today.length < Number(MOST)) return candidates;
  const sums = await Promise.all(candidates.map(async ({ id }) => await hoursOf(visit, id)));
  return candidates.filter((_, index) => sums[index]?.every((each) => requestsOf(each) === 0) === true);
}

/** The last 24 hours of a consumer, each. */
async function hoursOf({ api, nowSeconds }: Visit, consumer: string): Promise<readonly UsageCounts[]> {
  const { rows } = await api.get<ShownUsage>(withQuery('/v1/usage', { by: 'hour', since: '24h', consumer }));
  const byHour = new Map(rows.map((row): [string | undefined, UsageCounts] => [row.hour, row]));
  const none: UsageCounts = { allowed: 0, refused: 0, limited: 0 };
  return Array.from({ length: HOURS }, (_, index) => {
    const at = new Date((nowSeconds - (HOURS - 1 - index) * HOUR_SECONDS) * 1000);
    return byHour.get(`${at.toISOString().slice(0, 13)}:00Z`) ?? none;
  });
}

function consumerLink(id: string): Html {
  return html`<a href="${url`/consumers/${id}`}">${id}</a>`;
}
