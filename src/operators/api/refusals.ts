import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { momentBack } from '../../model/document/moments.ts';
import { explainKept } from '../../partners/explain/kept-refusal.ts';
import { meaningOf, readKept } from '../../partners/explain/read-kept.ts';
import { type AuditSelection, collectAll, NotFound, takeFirst } from '../../resources/changes/resource-store.ts';
import type { Operator } from '../../model/operator.ts';
import { isRequestId } from '../../check/receive/request-id.ts';
import { refusalAnswers, type RefusalCode } from '../../check/refusal.ts';
import { declareRefusal } from '../../check/refusals/declare-refusal.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts, ApiStore } from './ports.ts';
import { requireReached, withinReach } from './reach.ts';
import { idQuery, listQuery, momentQuery, pick } from './request.ts';
import { answers, objectOf, pageShape } from './shapes.ts';
import { ownedByOf, reachesAll, seesRefusal } from './sight.ts';
import { type Place, readPlace, timelinePage } from './timeline.ts';

const text = { type: 'string' } as const;
const ownFields = {
  refusal: { ...text, pattern: '^[0-9a-f]{24}$', description: 'Names this one and no other.' },
  at: { ...text, format: 'date-time' },
  requestId: { ...text, description: 'The one that the caller got.' },
  consumer: { ...text, description: 'Absent where no endpoint took the request; so is the credential.' },
  credential: text,
  endpoint: { ...text, description: 'Absent for a request to the OAuth2 endpoints, and where no endpoint took it.' },
  method: text,
  path: { ...text, description: 'Without the query.' },
  code: { ...text, description: 'A refusal code, or the error of an OAuth2 endpoint.', example: 'REQUEST_EXPIRED' },
  status: { type: 'integer', description: 'Of the answer to this code; codes of OAuth2 have several.' },
  message: { ...text, description: 'What the caller got with this code.' },
  detail: { ...text, description: 'Why, as the log says it.' },
  observed: { type: 'boolean', description: 'Let through, because the endpoint only observes.' },
  sourceAddress: text,
  stringToSign: { ...text, description: 'What the gateway built, on endpoints with `signatureHints`.' },
  leftOutBefore: {
    type: 'integer',
    description: 'Refusals of the same consumer before it that were too many to keep.',
  },
} as const;
const needed = ['refusal', 'at', 'method', 'path', 'code', 'detail'];
const refusal = objectOf('Refusal', { properties: ownFields, required: needed });
const refusalPage = z
  .object({
    ...pageShape(refusal),
    leftOut: z
      .number()
      .int()
      .optional()
      .openapi({ description: 'So many were too many to keep, with `leftOut=true`.' }),
  })
  .openapi('RefusalPage');
const mistake = {
  type: 'object',
  properties: {
    name: text,
    what: text,
    fix: text,
    command: { ...text, description: 'That fixes it, after `postern`.' },
  },
  required: ['name', 'what', 'fix'],
} as const;
const explained = objectOf('ExplainedRefusal', {
  properties: {
    ...ownFields,
    meaning: { type: ['string', 'null'], description: 'What the documents for partners say about the code.' },
    mistakes: { type: 'array', items: mistake, description: 'What was wrong, and how to fix it.' },
    notes: { type: 'array', items: text },
    needsRequest: { type: 'boolean', description: 'Only the request itself can say more: see `postern explain`.' },
  },
  required: [...needed, 'meaning', 'mistakes', 'notes', 'needsRequest'],
});

const query = listQuery
  .extend({
    consumer: idQuery('Refused to this consumer.'),
    endpoint: idQuery('Refused at this endpoint.'),
    credential: idQuery('Refused with this credential.'),
    code: z
      .string()
      .regex(/^[A-Za-z_]{1,64}$/)
      .optional()
      .openapi({ description: 'Refused with this code.', example: 'AUTHENTICATION_FAILED' }),
    unmatched: z
      .enum(['true', 'false'])
      .optional()
      .openapi({ description: 'True for requests that no endpoint took, instead of those of known callers.' }),
    requestId: z.string().refine(isRequestId).optional().openapi({
      description: 'Refused with this request id, or one that begins so.',
      type: 'string',
      pattern: '^[A-Za-z0-9-]{1,64}$',
    }),
    leftOut: z.enum(['true', 'false']).default('false').openapi({
      description: 'True also says how many were too many to keep.',
    }),
    since: momentQuery('From then on. Refusals are kept for seven days.'),
    until: momentQuery('Up to then.'),
  })
  .strict();

/** Names refusals in a path. */
export const refusalParams = z.object({
  requestId: z
    .string()
    .refine(isRequestId)
    .openapi({ param: { name: 'requestId', in: 'path' }, type: 'string', pattern: '^[A-Za-z0-9-]{1,64}$' }),
});

/** Refusals with one request id: callers choose their ids where Envoy lets them. */
export const MAX_OF_ID = 100;
const MAX_EXPLAINED = 20;

/** Adds the routes that show what was refused to known callers, and why. */
export function addRefusals(api: OpenAPIHono<ApiEnvironment>, { store, clock }: ApiPorts): void {
  const { resources, refusals } = store;
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/refusals',
      tags: ['Refusals'],
      operationId: 'listRefusals',
      summary: 'What was refused to known consumers, the newest first.',
      description: `Only requests whose App Key or client is known are here, or with \`unmatched\` those that no endpoint took. An operator
with labels sees those whose consumer and endpoint carried them at that time, and none that no endpoint took.`,
      request: { query },
      responses: answers({ 200: refusalPage }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const { limit, cursor, fields, since, until, unmatched, leftOut, ...wish } = context.req.valid('query');
      const cursors = context.get('cursors');
      const from = cursors.readPlace(cursor, readPlace) ?? undefined;
      if (!reachesAll(operator)) {
        const { consumer, endpoint } = wish;
        if (consumer !== undefined) await requireReached(operator, 'consumer', consumer, resources);
        if (endpoint !== undefined) await requireReached(operator, 'endpoint', endpoint, resources);
      }
      const nowSeconds = clock.nowSeconds();
      const selection = {
        isUnmatched: unmatched === 'true',
        consumerId: wish.consumer,
        endpointId: wish.endpoint,
        credentialId: wish.credential,
        code: wish.code,
        requestId: wish.requestId,
        sinceMs: since && momentBack(since, nowSeconds) * 1000,
        untilMs: until && momentBack(until, nowSeconds) * 1000,
        ownedBy: ownedByOf(operator),
        olderThan: from,
      };
      const selected = refusals.find({ ...selection, limit: limit + 1 });
      const found = await collectAll(selected.records);
      // What was left out has no labels: it is told of a consumer within reach, or to those who reach everything.
      const isCounted = leftOut === 'true' && (reachesAll(operator) || wish.consumer !== undefined);
      const counted = isCounted ? { leftOut: await selected.countLeftOut() } : {};
      const placeOf = ({ atMs, id }: RefusalRecord): Place => ({ atMs, id });
      const page = timelinePage(found, { limit, placeOf, cursors });
      const items = page.items.map((record) => ({ ...pick(show(record), fields) }));
      return context.json({ items, nextCursor: page.nextCursor, ...counted }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/refusals/{requestId}',
      tags: ['Refusals'],
      operationId: 'explainRefusal',
      summary: 'What was refused under a request id, with what is known to be wrong and how to fix it.',
      request: { params: refusalParams },
      responses: answers({ 200: z.object({ items: z.array(explained) }).openapi('ExplainedRefusals') }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const { requestId } = context.req.valid('param');
      const found = await takeFirst(refusals.find({ requestId, limit: MAX_OF_ID }).records, MAX_OF_ID);
      const exact = found.filter((record) => record.requestId === requestId);
      const seen = exact.filter((record) => seesRefusal(operator, record));
      if (seen.length === 0) throw notKept(requestId);
      const items = await Promise.all(
        seen.slice(0, MAX_EXPLAINED).map(async (record) => await explain(record, operator, store)),
      );
      return context.json({ items }, 200);
    },
  );
}

/** No refusal with this request id is kept, or within reach. */
export function notKept(requestId: string): NotFound {
  return new NotFound(
    `no refusal with the request id ${requestId} is kept: the request passed, its App Key is unknown, there were too many, or it is older than seven days; the log may have it`,
  );
}

/** With what the caller got; codes of the OAuth2 endpoints have several statuses. */
function show(record: RefusalRecord): Record<string, unknown> {
  const refusal = record.id;
  if (!Object.hasOwn(refusalAnswers, record.code)) return { refusal, ...declareRefusal(record) };
  const { status, message } = refusalAnswers[record.code as RefusalCode];
  return { refusal, ...declareRefusal(record), status, message };
}

/** By what is within reach: since the refusal, what it names can have become another team's. */
async function explain(
  record: RefusalRecord,
  operator: Operator,
  { resources: all, audit: trail }: ApiStore,
): Promise<Record<string, unknown>> {
  const { endpointId } = record;
  const resources = withinReach(operator, all);
  const audit = {
    events: (selection: AuditSelection) => trail.events({ ...selection, ownedBy: ownedByOf(operator) }),
  };
  const endpoint = endpointId === null ? null : ((await resources.find('endpoint', endpointId))?.resource ?? null);
  const kept = await readKept(record, endpoint, { resources, audit, file: null });
  const explanation = explainKept(record, { ...kept, givenSecret: null });
  return { ...show(record), meaning: meaningOf(record, endpoint), ...explanation };
}
