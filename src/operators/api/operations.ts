import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { isSameOperation } from '../../resources/changes/audit/operations.ts';
import type { AuditEvent } from '../../resources/changes/resource-store.ts';
import { auditedKinds } from '../../resources/resource.ts';
import { auditQuery, selectEvents } from './audit.ts';
import { requirePermission } from './authenticate.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { pick } from './request.ts';
import { answers, objectOf, pageSchema } from './shapes.ts';
import { placeText, readPlace } from './timeline.ts';

const verbs = ['created', 'changed', 'deleted', 'refused'] as const;
type Verb = (typeof verbs)[number];

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 1 } as const;
const what = { verb: { ...text, enum: [...verbs] }, kind: { ...text, enum: [...auditedKinds] } } as const;
const operation = objectOf('AuditOperation', {
  properties: {
    at: { ...text, format: 'date-time' },
    actor: { ...text, description: 'The operator.' },
    action: { ...text, description: 'The command, or what was done over the API or in the console.' },
    reason: text,
    storeRevision: { type: 'integer' },
    count: { ...count, description: 'How many events it has, of those that the query asks for.' },
    counts: {
      type: 'array',
      items: { type: 'object', properties: { ...what, count }, required: ['verb', 'kind', 'count'] },
      description: 'The same by what happened to which kind.',
    },
    events: {
      type: 'array',
      items: {
        type: 'object',
        properties: { event: text, ...what, id: text },
        required: ['event', 'verb', 'kind', 'id'],
      },
      description: 'The first of them.',
    },
  },
  required: ['at', 'actor', 'action', 'storeRevision', 'count', 'counts', 'events'],
});

/** Events of an operation that are named; all are in the list of events, by the revision. */
const NAMED = 10;
/** A page ends with the operation in which so many events were read. */
const MAX_EVENTS_READ = 5000;

/** What one command or request changed, counted: an apply of a whole fleet is one item. */
interface Summary {
  readonly first: AuditEvent;
  last: AuditEvent;
  count: number;
  readonly counts: Map<string, { readonly verb: Verb; readonly kind: string; count: number }>;
  readonly named: AuditEvent[];
}

/** Adds the route that shows changes by what was done at once. */
export function addOperations(
  api: OpenAPIHono<ApiEnvironment>,
  { store: { resources, audit }, clock }: ApiPorts,
): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/operations',
      tags: ['Audit'],
      operationId: 'listOperations',
      summary: 'What was changed, an item for all that was changed at once, the newest first.',
      description: 'What /v1/audit shows event by event, and for whom. A page may have fewer items than its limit.',
      request: { query: auditQuery },
      responses: answers({ 200: pageSchema('OperationPage', operation) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read-traces');
      const { limit, cursor, fields, ...wish } = context.req.valid('query');
      const cursors = context.get('cursors');
      const from = cursors.readPlace(cursor, readPlace);
      const selection = await selectEvents(operator, wish, { from, nowSeconds: clock.nowSeconds(), resources });
      const { summaries, isMore } = await summarize(audit.events(selection), limit);
      const last = summaries.at(-1)?.last;
      const next = isMore && last !== undefined ? cursors.after(placeText({ atMs: last.atMs, id: last.event })) : null;
      return context.json({ items: summaries.map((each) => ({ ...pick(show(each), fields) })), nextCursor: next }, 200);
    },
  );
}

/** The first `limit` operations, each whole, and whether there is another one. Holds no more than it shows. */
async function summarize(
  events: AsyncIterable<AuditEvent>,
  limit: number,
): Promise<{ readonly summaries: readonly Summary[]; readonly isMore: boolean }> {
  const summaries: Summary[] = [];
  let read = 0;
  for await (const event of events) {
    let open = summaries.at(-1);
    if (open === undefined || !isSameOperation(open.first, event)) {
      if (summaries.length === limit || read >= MAX_EVENTS_READ) return { summaries, isMore: true };
      open = { first: event, last: event, count: 0, counts: new Map(), named: [] };
      summaries.push(open);
    }
    read += 1;
    add(open, event);
  }
  return { summaries, isMore: false };
}

function add(summary: Summary, event: AuditEvent): void {
  const verb = verbOf(event);
  const key = `${verb} ${event.kind}`;
  const counted = summary.counts.get(key) ?? { verb, kind: event.kind, count: 0 };
  counted.count += 1;
  summary.counts.set(key, counted);
  summary.count += 1;
  summary.last = event;
  if (summary.named.length < NAMED) summary.named.push(event);
}

function verbOf({ before, after, refused }: AuditEvent): Verb {
  if (refused !== undefined) return 'refused';
  return before === null ? 'created' : after === null ? 'deleted' : 'changed';
}

function show({ first, count: sum, counts, named }: Summary): Record<string, unknown> {
  const { atMs, actor, action, reason, storeRevision } = first;
  return {
    at: new Date(atMs).toISOString(),
    actor,
    action,
    ...(reason === undefined ? {} : { reason }),
    storeRevision,
    count: sum,
    counts: [...counts.values()],
    events: named.map((event) => ({ event: event.event, verb: verbOf(event), kind: event.kind, id: event.id })),
  };
}
