import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { momentBack } from '../../model/document/moments.ts';
import { collectAll, notFound, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { listSelected } from '../../resources/changes/list-selected.ts';
import { callersOf } from '../../resources/changes/usage/callers.ts';
import { declarePlanUse, readPlanUse } from '../../resources/changes/usage/plan-usage.ts';
import { declareLimitUse, readLimitUse } from '../../resources/changes/usage/limit-usage.ts';
import { declareUsage, usualSince } from '../../resources/changes/usage/declare-usage.ts';
import {
  endHourOf,
  firstHourOf,
  type Grouping,
  groupings,
  isTime,
  sortings,
  sortRows,
  sumTraffic,
  type UsageSummary,
} from '../../resources/changes/usage/sum-traffic.ts';
import { TRAFFIC_MONTHS } from '../../model/bounds.ts';
import type { Operator } from '../../model/operator.ts';
import type { TrafficCount, TrafficSelection } from '../../model/traffic-count.ts';
import { requirePermission } from './authenticate.ts';
import { planUse } from './plans.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { labelsWithin, requireReached, selectorOf } from './reach.ts';
import { idQuery, labelParam, labelsOf, momentQuery } from './request.ts';
import { answers, objectOf } from './shapes.ts';
import { reachesAll } from './sight.ts';
import { createSight } from './usage-sight.ts';

/** Rows by consumer or endpoint; those of time are bounded by how long counts are kept. */
const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 100;
const HOUR_SECONDS = 3600;

const query = z
  .object({
    consumer: idQuery('Requests of this consumer.'),
    endpoint: idQuery('Requests to this endpoint.'),
    label: labelParam,
    by: z.enum(groupings).default('day').openapi({ description: 'A row for each.' }),
    since: momentQuery(
      `From then on, beginning with a whole hour, day or month. 24h by hour, ${String(TRAFFIC_MONTHS)} months by month, else 7d.`,
    ),
    until: momentQuery('Only spans of time that begin before then.'),
    sort: z.enum(sortings).optional().openapi({
      description: 'The rows with the most of these first, in place of the order of time or the most requests.',
    }),
    limits: z.enum(['true', 'false']).default('false').openapi({
      description: 'With consumer and without endpoint: whether to say what is used of limits of endpoints and grants.',
    }),
    limit: z.coerce.number().int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS).openapi({
      type: 'integer',
      minimum: 1,
      maximum: MAX_ROWS,
      description: 'By consumer or endpoint: so many rows, the first ones.',
    }),
  })
  .strict();

const countFields = {
  allowed: { type: 'integer' },
  refused: { type: 'integer', description: 'With any code but `RATE_LIMITED`.' },
  limited: { type: 'integer', description: 'With `RATE_LIMITED`.' },
  codes: { type: 'object', additionalProperties: { type: 'integer' }, description: '`ALLOWED`, or a refusal code.' },
} as const;
const countNames = Object.keys(countFields);
const row = objectOf('UsageRow', {
  properties: {
    ...Object.fromEntries(groupings.map((name) => [name, { type: 'string' }])),
    ...countFields,
  },
  required: countNames,
  description: 'Named by what `by` says: `{"day": "2026-11-23", …}`.',
});
const limitUse = objectOf('LimitUse', {
  properties: {
    endpoint: { type: 'string' },
    of: { type: 'string', enum: ['endpoint', 'grant'], description: 'Which has the limit.' },
    requests: { type: 'integer', description: 'The limit.' },
    unit: { type: 'string', enum: ['hour', 'day', 'month'] },
    per: { type: 'string', enum: ['consumer', 'endpoint'], description: '`endpoint`: all callers share it.' },
    used: { type: 'integer', description: 'Requests that were allowed in the hour, day or month (UTC) of now.' },
    until: { type: 'string', format: 'date-time', description: 'When counting begins anew.' },
  },
  required: ['endpoint', 'of', 'requests', 'unit', 'per', 'used', 'until'],
});
const usage = z
  .object({
    since: z.string().openapi({ format: 'date-time' }),
    rows: z.array(row),
    total: objectOf('UsageTotal', { properties: countFields, required: countNames }),
    plans: z.array(planUse).optional(),
    limits: z.array(limitUse).optional(),
  })
  .openapi('Usage');

/** Adds the route that shows how many requests were allowed, refused and limited. */
export function addUsage(api: OpenAPIHono<ApiEnvironment>, { store: { resources, traffic }, clock }: ApiPorts): void {
  /** What a consumer has used of the plans that an operator reaches. */
  const plansOf = async (
    operator: Operator,
    { consumer, endpoint }: Partial<Wanted>,
    nowSeconds: number,
  ): Promise<{ readonly plans?: Record<string, unknown>[] }> => {
    if (consumer === undefined || endpoint !== undefined) return {};
    const reached = new Set<string>();
    for await (const { resource } of listSelected(resources, 'plan', selectorOf(operator))) reached.add(resource.id);
    if (reached.size === 0) return {};
    const consumers = [consumer];
    const isSeen = await createSight(operator, { consumers, sinceHour: 0 }, resources);
    const uses = await readPlanUse({ resources, traffic, nowSeconds, isSeen }, { consumers });
    return { plans: uses.filter(({ planId }) => reached.has(planId)).map(declarePlanUse) };
  };

  /** What is used of the limits that hold for a consumer on the endpoints that an operator reaches. */
  const limitsOf = async (
    operator: Operator,
    { consumer, endpoint, limits }: Partial<Wanted>,
    nowSeconds: number,
  ): Promise<{ readonly limits?: Record<string, unknown>[] }> => {
    if (consumer === undefined || endpoint !== undefined || limits !== 'true') return {};
    const stored = await resources.find('consumer', consumer);
    if (stored === null) return { limits: [] };
    const listed = await collectAll(resources.list('endpoint', { labels: selectorOf(operator) }));
    const isSeen = await createSight(operator, { consumers: [consumer], sinceHour: 0 }, resources);
    const uses = await readLimitUse(
      { resources, traffic, nowSeconds, isSeen },
      stored.resource,
      listed.map(({ resource }) => resource),
    );
    return { limits: uses.map(declareLimitUse) };
  };

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/usage',
      tags: ['Usage'],
      operationId: 'showUsage',
      summary: 'Requests by time, consumer or endpoint, as replicas counted them: they report once a minute.',
      description: `Counts are kept for ${String(TRAFFIC_MONTHS)} months, in hours of UTC. Without \`consumer\` and \`label\`, and not by consumer, callers
who are not known count too. An operator with labels sees requests to endpoints within reach, and by consumer those of
consumers within reach, of the whole hours since these carry the labels. With \`consumer\` and without \`endpoint\`, \`plans\`
has what it has used of the plans within reach.`,
      request: { query },
      responses: answers({ 200: usage }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { since, until, limit, sort, ...wish } = context.req.valid('query');
      const { by } = wish;
      const nowSeconds = clock.nowSeconds();
      const sinceHour = firstHourOf(by, momentBack(since ?? usualSince[by], nowSeconds));
      const endHour = until === undefined ? Infinity : endHourOf(by, momentBack(until, nowSeconds));
      if (endHour <= sinceHour) throw new ApiProblem('MALFORMED_REQUEST', 'until is not after since');
      const selection = await select(operator, { ...wish, sinceHour }, resources);
      const sum = async (): Promise<UsageSummary> => {
        const counts = selection === null ? [] : traffic.counts(selection);
        const isSeen = await createSight(operator, selection, resources);
        const seen = filter(counts, (count) => count.hour < endHour && isSeen(count));
        return await sumTraffic(seen, by, Math.min(nowSeconds, endHour * HOUR_SECONDS - 1));
      };
      const [summary, plans, limits] = await Promise.all([
        sum(),
        plansOf(operator, wish, nowSeconds),
        limitsOf(operator, wish, nowSeconds),
      ]);
      // What was deleted still has its counts.
      if (summary.rows.length === 0) await requireNamed(wish, resources);
      const sorted = sort === undefined ? summary.rows : sortRows(summary.rows, sort);
      const rows = isTime(by) ? sorted : sorted.slice(0, limit);
      return context.json({ ...declareUsage({ ...summary, rows }, by, sinceHour), ...plans, ...limits }, 200);
    },
  );
}

interface Wanted {
  readonly consumer?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly label?: string | readonly string[] | undefined;
  readonly by: Grouping;
  readonly limits?: 'true' | 'false';
  readonly sinceHour: number;
}

/**
 * Which counts an operator may see of those that are wanted; null for none. Throws `NotFound` for what is beyond reach.
 */
async function select(
  operator: Operator,
  { consumer, endpoint, label: given, by, sinceHour }: Wanted,
  resources: ResourceStore,
): Promise<TrafficSelection | null> {
  const labels = given === undefined ? undefined : labelsOf(given);
  if (reachesAll(operator)) {
    return { sinceHour, endpointId: endpoint, consumers: await callersOf({ consumer, label: labels, by }, resources) };
  }
  if (consumer !== undefined) await requireReached(operator, 'consumer', consumer, resources);
  if (endpoint !== undefined) await requireReached(operator, 'endpoint', endpoint, resources);
  const isOfEach = labels !== undefined || (by === 'consumer' && consumer === undefined);
  const label = isOfEach ? labelsWithin(operator, labels ?? {}) : undefined;
  if (label === null) return null;
  return { sinceHour, endpointId: endpoint, consumers: await callersOf({ consumer, label, by }, resources) };
}

async function requireNamed({ consumer, endpoint }: Partial<Wanted>, resources: ResourceStore): Promise<void> {
  if (consumer !== undefined && (await resources.find('consumer', consumer)) === null) {
    throw notFound('consumer', consumer, []);
  }
  if (endpoint !== undefined && (await resources.find('endpoint', endpoint)) === null) {
    throw notFound('endpoint', endpoint, []);
  }
}

async function* filter(
  counts: AsyncIterable<TrafficCount> | Iterable<TrafficCount>,
  isWanted: (count: TrafficCount) => boolean,
): AsyncGenerator<TrafficCount> {
  for await (const count of counts) if (isWanted(count)) yield count;
}
