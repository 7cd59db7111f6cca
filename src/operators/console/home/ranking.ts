import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import type { Visit } from '../frame/page.ts';
import { sparkline } from '../parts/sparkline.ts';
import { type Cell, table } from '../parts/table.ts';
import { time } from '../parts/values.ts';
import { requestsOf, type UsageCounts } from '../usage/shown-usage.ts';

/** As `GET /v1/usage/ranking` shows it. */
interface ShownRanking {
  readonly at: string;
  readonly callers: number;
  readonly fails: readonly Ranked[];
  readonly grows: readonly Ranked[];
  readonly silent: readonly Ranked[];
  /** Nothing is known yet. */
  readonly counting?: boolean;
}

interface Ranked extends UsageCounts {
  readonly consumer: string;
  readonly before: number;
  readonly week: number;
  readonly hours: readonly UsageCounts[];
}

const HEADING = html`<h2>Consumers in the last 24 hours</h2>`;

/** What is older is said to be. */
const FRESH_SECONDS = 60;

/**
 * Which consumers fail, grow or are silent in the last 24 hours, as tables with a line for each. Nothing where nobody
 * called in a week.
 */
export async function rankings({ api, nowSeconds }: Visit): Promise<Html> {
  const { at, callers, fails, grows, silent, counting } = await api.get<ShownRanking>('/v1/usage/ranking?wait=false');
  if (counting === true)
    return await html`${HEADING}
<p role="status">The requests are being counted, for the first time since the console was started.
<a href="/">Look again</a></p>`;
  if (callers === 0) return await html``;
  const isFresh = nowSeconds - Date.parse(at) / 1000 < FRESH_SECONDS;
  return await html`${HEADING}
${isFresh ? null : html`<p class="muted">As of ${time(at)}</p>`}
${table({
  caption: 'Who fails: most refused requests',
  columns: ['Consumer', 'Refused', 'Of all', '24 hours'],
  rows: fails.map((row) => [
    consumerLink(row),
    row.refused,
    `${String(Math.round((row.refused / requestsOf(row)) * 100))} %`,
    line(row, 'Refused', ({ refused }) => refused),
  ]),
  empty: 'Who fails: no request of a consumer was refused.',
})}
${table({
  caption: 'Who grows: more requests than in the 24 hours before',
  columns: ['Consumer', 'More', 'Requests', '24 hours'],
  rows: grows.map((row) => [
    consumerLink(row),
    requestsOf(row) - row.before,
    requestsOf(row),
    line(row, 'Requests', requestsOf),
  ]),
  empty: 'Who grows: no consumer sent more requests than in the 24 hours before.',
})}
${table({
  caption: 'Who is silent: no request, after some in the 7 days before',
  columns: ['Consumer', 'Requests in the 7 days before'],
  rows: silent.map((row): readonly Cell[] => [consumerLink(row), row.week]),
  empty: 'Who is silent: every consumer that called in the 7 days before called again.',
})}`;
}

function line({ hours }: Ranked, what: string, pick: (counts: UsageCounts) => number): Html {
  return sparkline(`${what} by hour`, hours.map(pick));
}

function consumerLink({ consumer }: Ranked): Html {
  return html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`;
}
