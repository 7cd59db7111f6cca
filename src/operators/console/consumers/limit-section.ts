import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/values.ts';
import { shareOf, useMeter } from '../plans/plan-values.ts';
import type { ShownLimitUse, ShownUsage } from '../usage/shown-usage.ts';

/** What is used of the limits of a consumer that last an hour or longer: of plans, of grants and of endpoints. */
export function limitSection({ plans = [], limits = [] }: ShownUsage): Html {
  const rows = [
    ...plans.map((use) => ({
      use,
      whose: 'this consumer',
      of: html`plan <a href="${url`/plans/${use.plan}`}">${use.plan}</a>`,
    })),
    ...limits.map((use) => ({ use, whose: use.per === 'endpoint' ? 'all callers' : 'this consumer', of: ofWhat(use) })),
  ];
  if (rows.length === 0) return html``;
  return html`<section aria-labelledby="limits">
<h2 id="limits">Limits used</h2>
${table({
  caption: 'What is used of limits by the hour, day or month',
  columns: ['Of', 'Limit', 'Counts', 'Used', 'Share', 'Begins anew'],
  rows: rows.map(({ use, whose, of }) => [
    of,
    `${use.requests.toLocaleString('en')} each ${use.unit}`,
    whose,
    `${use.used.toLocaleString('en')} (${shareOf(use)})`,
    useMeter(use, whose),
    time(use.until),
  ]),
  empty: '',
})}
</section>`;
}

function ofWhat({ endpoint, of }: ShownLimitUse): Html {
  const link = html`<a href="${url`/endpoints/${endpoint}`}">${endpoint}</a>`;
  return of === 'grant' ? html`its grant on ${link}` : html`endpoint ${link}`;
}
