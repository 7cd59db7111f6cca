import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { momentBack } from '../../model/document/moments.ts';
import { declareEvent } from '../../resources/changes/audit/declare-event.ts';
import { describeEvent } from '../../resources/changes/audit/describe-event.ts';
import {
  type AuditEvent,
  type AuditSelection,
  type AuditTrail,
  collectAll,
  NotFound,
  type ResourceStore,
} from '../../resources/changes/resource-store.ts';
import type { Operator } from '../../model/operator.ts';
import { auditedKinds } from '../../resources/resource.ts';
import { MAX_GRANT_HOLDER_CHARACTERS } from '../../model/bounds.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { requireReached } from './reach.ts';
import { idQuery, listQuery, momentQuery, pick } from './request.ts';
import { answers, fieldsOfChange, objectOf, pageSchema } from './shapes.ts';
import { managesOperators, ownedByOf, reachesAll, seesEvent } from './sight.ts';
import { type Place, readPlace, timelinePage } from './timeline.ts';

const text = { type: 'string' } as const;
const eventFields = {
  event: { ...text, pattern: '^[0-9a-f]{24}$' },
  at: { ...text, format: 'date-time' },
  actor: { ...text, description: 'The operator.' },
  action: {
    ...text,
    description: 'The command, or what was done over the API or in the console.',
    example: 'api consumer edit',
  },
  reason: text,
  storeRevision: { type: 'integer', description: 'Equal for all that was changed at once.' },
  kind: { ...text, enum: [...auditedKinds] },
  id: text,
  before: { type: ['object', 'null'], description: 'Without secrets; null for what was created.' },
  after: { type: ['object', 'null'], description: 'Without secrets; null for what was deleted.' },
  reverts: {
    type: 'object',
    description: 'The event that this one undid.',
    properties: { event: text, storeRevision: { type: 'integer' } },
    required: ['event', 'storeRevision'],
  },
  refused: {
    ...text,
    description: 'Nothing was changed: the operator met something beyond reach. Why, with every name.',
  },
} as const;
const needed = ['event', 'at', 'actor', 'action', 'storeRevision', 'kind', 'id', 'before', 'after'];
const event = objectOf('AuditEvent', { properties: eventFields, required: needed });
const shownEvent = objectOf('ShownAuditEvent', {
  properties: { ...eventFields, fields: { ...fieldsOfChange, description: 'What differs, field by field.' } },
  required: [...needed, 'fields'],
});

/** Characters of an actor and an action that are looked for. */
const MAX_NAME_TEXT = 128;

/** What lists of events are asked for. */
export const auditQuery = listQuery
  .extend({
    since: momentQuery('From then on.'),
    until: momentQuery('Up to then.'),
    consumer: idQuery('All about this consumer: itself, its credentials and grants, deleted ones too.'),
    endpoint: idQuery('All about this endpoint: itself, the grants on it and the plans that list it.'),
    actor: z.string().min(1).max(MAX_NAME_TEXT).optional().openapi({ description: 'What this operator changed.' }),
    action: z
      .string()
      .min(1)
      .max(MAX_NAME_TEXT)
      .optional()
      .openapi({ description: 'What was done, such as `credential revoke` or `api credential revoke`.' }),
    kind: z.enum(auditedKinds).optional().openapi({ description: 'Changes of resources of this kind.' }),
    id: z
      .string()
      .min(1)
      .max(64 + MAX_GRANT_HOLDER_CHARACTERS)
      .optional()
      .openapi({ description: 'Beside `kind`: of this one.' }),
    revision: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .openapi({ type: 'integer', minimum: 0, description: 'All that was changed at once: its `storeRevision`.' }),
  })
  .strict();

/** The id of an event in a path. */
export const eventParams = z.object({
  event: z
    .string()
    .regex(/^[0-9a-f]{24}$/)
    .openapi({ param: { name: 'event', in: 'path' }, example: '65a1f0c2b3d4e5f601234567' }),
});

/** Adds the routes that show what was changed, by whom and when. */
export function addAudit(api: OpenAPIHono<ApiEnvironment>, { store: { resources, audit }, clock }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/audit',
      tags: ['Audit'],
      operationId: 'listAuditEvents',
      summary: 'What was changed, by whom and when, the newest first. Secrets are in no event.',
      description: `An operator with labels sees what was changed of consumers and endpoints that carried them at that
time. Changes of operators are for those who manage operators.`,
      request: { query: auditQuery },
      responses: answers({ 200: pageSchema('AuditPage', event) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const { limit, cursor, fields, ...wish } = context.req.valid('query');
      const cursors = context.get('cursors');
      const from = cursors.readPlace(cursor, readPlace);
      const selection = await selectEvents(operator, wish, { from, nowSeconds: clock.nowSeconds(), resources });
      const found = await collectAll(audit.events({ ...selection, limit: limit + 1 }));
      const placeOf = ({ atMs, event: id }: AuditEvent): Place => ({ atMs, id });
      const page = timelinePage(found, { limit, placeOf, cursors });
      const items = page.items.map((each) => ({ ...pick({ ...declareEvent(each) }, fields) }));
      return context.json({ items, nextCursor: page.nextCursor }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/audit/{event}',
      tags: ['Audit'],
      operationId: 'showAuditEvent',
      summary: 'One change, with the resource before and after it.',
      request: { params: eventParams },
      responses: answers({ 200: shownEvent }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const found = await requireSeenEvent(operator, context.req.valid('param').event, audit);
      const fields = describeEvent(found).fields.map((field) => ({ ...field }));
      return context.json({ ...declareEvent(found), fields }, 200);
    },
  );
}

/** The events that a list is asked for and the operator may see. Throws `NotFound` for what she does not reach. */
export async function selectEvents(
  operator: Operator,
  wish: Omit<z.infer<typeof auditQuery>, 'limit' | 'cursor' | 'fields'>,
  ground: { readonly from: Place | null; readonly nowSeconds: number; readonly resources: Pick<ResourceStore, 'find'> },
): Promise<AuditSelection> {
  const { consumer, endpoint, actor, action, revision, since, until, kind, id } = wish;
  if (id !== undefined && kind === undefined) throw new ApiProblem('MALFORMED_REQUEST', 'id goes with kind');
  const { from, nowSeconds, resources } = ground;
  if (!reachesAll(operator)) {
    if (consumer !== undefined) await requireReached(operator, 'consumer', consumer, resources);
    if (endpoint !== undefined) await requireReached(operator, 'endpoint', endpoint, resources);
  }
  return {
    consumerId: consumer,
    endpointId: endpoint,
    actor,
    action,
    storeRevision: revision,
    resource: kind === undefined ? undefined : { kind, id: id ?? null },
    sinceMs: since && momentBack(since, nowSeconds) * 1000,
    untilMs: until && momentBack(until, nowSeconds) * 1000,
    ownedBy: ownedByOf(operator),
    hidesOperators: !managesOperators(operator),
    olderThan: from === null ? undefined : { atMs: from.atMs, event: from.id },
  };
}

/** An event that an operator may see. Throws `NotFound` also for one that is there beyond that. */
export async function requireSeenEvent(
  operator: Operator,
  id: string,
  audit: Pick<AuditTrail, 'events'>,
): Promise<AuditEvent> {
  for await (const found of audit.events({ event: id, limit: 1 })) if (seesEvent(operator, found)) return found;
  throw new NotFound(`there is no event "${id}"`);
}
