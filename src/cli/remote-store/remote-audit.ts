import { isMapping } from '../../model/document/fields.ts';
import {
  type AuditEvent,
  type AuditSelection,
  type AuditTrail,
  NotFound,
} from '../../resources/changes/resource-store.ts';
import { auditedKinds } from '../../resources/resource.ts';
import type { ApiClient } from './api-client.ts';
import { queryOf, readTimeline } from './read-timeline.ts';

/** The audit trail behind the management API: what the person whose token is used may see of it. */
export function createRemoteAudit(client: ApiClient): AuditTrail {
  return {
    events: (selection) =>
      selection.event === undefined ? listEvents(client, selection) : findEvent(client, selection.event),
    // The management API itself keeps what was asked of it.
    keep: () => Promise.resolve(),
  };
}

async function* findEvent(client: ApiClient, event: string): AsyncGenerator<AuditEvent> {
  try {
    yield readEvent(await client.ask('GET', `/v1/audit/${event}`));
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}

async function* listEvents(client: ApiClient, selection: AuditSelection): AsyncGenerator<AuditEvent> {
  const { storeRevision, sinceMs, untilMs, actor, action, consumerId, endpointId, resource, limit } = selection;
  const query = queryOf({
    since: sinceMs === undefined ? undefined : new Date(sinceMs).toISOString(),
    until: untilMs === undefined ? undefined : new Date(untilMs).toISOString(),
    consumer: consumerId,
    endpoint: endpointId,
    actor,
    action,
    revision: storeRevision === undefined ? undefined : String(storeRevision),
    kind: resource?.kind,
    id: resource?.id ?? undefined,
  });
  for await (const item of readTimeline(client, '/v1/audit', query, limit)) yield readEvent(item);
}

function readEvent(raw: unknown): AuditEvent {
  if (!isMapping(raw)) throw new Error('the management API answered with an event that is none');
  const { event, at, actor, action, reason, storeRevision, kind, id, before, after, reverts, refused } = raw;
  const known = auditedKinds.find((each) => each === kind);
  const atMs = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (known === undefined || Number.isNaN(atMs) || typeof storeRevision !== 'number') {
    throw new Error(
      'the management API answered with an event of another version; use the version of "postern manage"',
    );
  }
  const undone = isMapping(reverts)
    ? { event: String(reverts['event']), storeRevision: Number(reverts['storeRevision']) }
    : null;
  return {
    event: String(event),
    atMs,
    actor: String(actor),
    action: String(action),
    ...(typeof reason === 'string' ? { reason } : {}),
    storeRevision,
    kind: known,
    id: String(id),
    before: isMapping(before) ? before : null,
    after: isMapping(after) ? after : null,
    ...(undone === null ? {} : { reverts: undone }),
    ...(typeof refused === 'string' ? { refused } : {}),
  };
}
