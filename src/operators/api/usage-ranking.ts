import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Operator } from '../../model/operator.ts';
import type { TrafficCount } from '../../model/traffic-count.ts';
import {
  fieldOf,
  rankCounts,
  type RankedConsumer,
  rankingHours,
  type TrafficRanking,
} from '../../model/traffic-ranking.ts';
import { callersOf } from '../../resources/changes/usage/callers.ts';
import { formatHour } from '../../resources/changes/usage/sum-traffic.ts';
import { declareTime } from '../../resources/declared.ts';
import { requirePermission } from './authenticate.ts';
import { type Dated, KeptAnswer } from './kept-answer.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { answers, objectOf } from './shapes.ts';
import { reachesAll } from './sight.ts';
import { createSight } from './usage-sight.ts';

const DAY_HOURS = 24;

const countFields = {
  allowed: { type: 'integer' },
  refused: { type: 'integer' },
  limited: { type: 'integer' },
} as const;
const countNames = ['allowed', 'refused', 'limited'] as const;
const hour = objectOf('RankedHour', { properties: countFields, required: countNames });
const ranked = objectOf('RankedConsumer', {
  properties: {
    consumer: { type: 'string' },
    ...countFields,
    before: { type: 'integer', description: 'All requests of the day before.' },
    week: { type: 'integer', description: 'All requests of the week before.' },
    hours: { type: 'array', items: hour, description: 'Each hour of the last day, the oldest first.' },
  },
  required: ['consumer', ...countNames, 'before', 'week', 'hours'],
});
const ranking = z
  .object({
    at: z.string().openapi({ format: 'date-time', description: 'When the counts were read.' }),
    since: z.string().openapi({ format: 'date-time', description: 'The first hour of the last day.' }),
    callers: z
      .number()
      .int()
      .openapi({ description: 'Consumers that sent a request in the last day or the week before.' }),
    fails: z.array(ranked).openapi({ description: 'The most refused requests.' }),
    grows: z.array(ranked).openapi({ description: 'The most requests more than in the day before.' }),
    silent: z.array(ranked).openapi({ description: 'No request, and the most in the week before.' }),
    counting: z.boolean().optional().openapi({ description: 'Nothing is known yet: ask again.' }),
  })
  .openapi('UsageRanking');

const query = z
  .object({
    wait: z.enum(['true', 'false']).default('true').openapi({
      description:
        '`false`: not while the requests are counted for the first time, which takes seconds where there are many.',
    }),
  })
  .strict();

/** As long as nobody notices. */
const MOMENT_MS = 60;

interface Ranked extends TrafficRanking {
  readonly today: number;
  /** Of each consumer in it. */
  readonly hours: ReadonlyMap<string, readonly Hour[]>;
}

type Hour = Record<(typeof countNames)[number], number>;

/** Adds the route that shows which consumers stand out. */
export function addUsageRanking(
  api: OpenAPIHono<ApiEnvironment>,
  { store: { resources, traffic }, clock }: ApiPorts,
): void {
  const rank = async (operator: Operator | null): Promise<Ranked> => {
    const hours = rankingHours(clock.nowSeconds());
    const selection = {
      consumers: operator === null ? 'each' : await callersOf({ label: operator.selector, by: 'consumer' }, resources),
      sinceHour: hours.week,
    } as const;
    const isSeen = operator === null ? () => true : await createSight(operator, selection, resources);
    const found =
      operator === null && traffic.rank !== undefined
        ? await traffic.rank(hours)
        : await rankCounts(seenOf(traffic.counts(selection), isSeen), hours);
    const ids = [...new Set([...found.fails, ...found.grows].map(({ consumerId }) => consumerId))];
    const counts = ids.length === 0 ? [] : traffic.counts({ consumers: ids, sinceHour: hours.today });
    const { callers, fails, grows, silent } = found;
    const today = await hoursOf(seenOf(counts, isSeen), hours.today);
    return { callers, fails, grows, silent, today: hours.today, hours: today };
  };
  const ofAll = new KeptAnswer(async () => await rank(null), clock);

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/usage/ranking',
      tags: ['Usage'],
      operationId: 'rankUsage',
      summary: 'The consumers that fail, grow or are silent in the last day, five of each at most.',
      description: `For operators without labels the answer is read again when it is a minute old; who asks then gets the one before,
at most ten minutes old. Operators with labels see what \`GET /v1/usage\` shows them.`,
      request: { query },
      responses: answers({ 200: ranking }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const isWaiting = context.req.valid('query').wait === 'true';
      const nowMs = clock.nowMs();
      const found: Dated<Ranked> | null = reachesAll(operator)
        ? await (isWaiting ? ofAll.read() : ofAll.readWithin(MOMENT_MS))
        : { atMs: nowMs, value: await rank(operator) };
      if (found === null) {
        const since = formatHour(rankingHours(clock.nowSeconds()).today);
        const none = { callers: 0, fails: [], grows: [], silent: [] };
        return context.json({ at: declareTime(clock.nowSeconds()), since, ...none, counting: true }, 200);
      }
      const { value, atMs } = found;
      const list = (rows: readonly RankedConsumer[]) => rows.map((row) => declareRanked(row, value));
      const { callers, fails, grows, silent, today } = value;
      const dated = { at: declareTime(Math.floor(atMs / 1000)), since: formatHour(today), callers };
      return context.json({ ...dated, fails: list(fails), grows: list(grows), silent: list(silent) }, 200);
    },
  );
}

function declareRanked({ consumerId, ...counts }: RankedConsumer, { hours }: Ranked): Record<string, unknown> {
  return { consumer: consumerId, ...counts, hours: hours.get(consumerId) ?? emptyDay() };
}

function emptyDay(): readonly Hour[] {
  return Array.from({ length: DAY_HOURS }, () => ({ allowed: 0, refused: 0, limited: 0 }));
}

async function hoursOf(
  counts: AsyncIterable<TrafficCount>,
  today: number,
): Promise<ReadonlyMap<string, readonly Hour[]>> {
  const days = new Map<string, readonly Hour[]>();
  for await (const { consumerId, hour: at, codes } of counts) {
    if (consumerId === null) continue;
    let day = days.get(consumerId);
    if (day === undefined) days.set(consumerId, (day = emptyDay()));
    const sums = day[at - today];
    if (sums === undefined) continue;
    for (const [code, count] of Object.entries(codes)) sums[fieldOf(code)] += count;
  }
  return days;
}

async function* seenOf(
  counts: AsyncIterable<TrafficCount> | Iterable<TrafficCount>,
  isSeen: (count: TrafficCount) => boolean,
): AsyncGenerator<TrafficCount> {
  for await (const count of counts) if (isSeen(count)) yield count;
}
