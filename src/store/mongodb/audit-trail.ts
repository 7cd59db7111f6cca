import type { Db, Filter } from 'mongodb';
import { resourceKinds } from '../../resources/resource.ts';
import type { AuditEvent, AuditSelection, AuditTrail } from '../../manage/resource-store.ts';
import { batchesInTime, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { type AuditDocument, collectionOf } from './documents.ts';
import { iterateWithFaults } from './faults.ts';

const READ_AT_ONCE = 1000;

/** {@link AuditTrail} on MongoDB. Does not own the client. */
export function createAuditTrail(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): AuditTrail {
  return {
    async *events(selection) {
      if (selection.limit === 0) return;
      const options = { sort: { at: -1, _id: -1 }, limit: selection.limit ?? 0, batchSize: READ_AT_ONCE } as const;
      const events = collectionOf(db, 'audit').find(filterOf(selection), options);
      for await (const document of iterateWithFaults(batchesInTime(events, timeoutMs))) {
        const event = readEvent(document);
        if (event !== null) yield event;
      }
    },
  };
}

function filterOf({ sinceMs, actor, resource }: AuditSelection): Filter<AuditDocument> {
  return {
    ...(sinceMs === undefined ? {} : { at: { $gte: new Date(sinceMs) } }),
    ...(actor === undefined ? {} : { actor }),
    ...(resource === undefined ? {} : { kind: resource.kind, ...(resource.id === null ? {} : { id: resource.id }) }),
  };
}

/** Null for a document of an unknown kind, which another program than Postern wrote. */
function readEvent({ at, kind: name, ...event }: AuditDocument): AuditEvent | null {
  const { actor, action, reason, storeRevision, id, before, after } = event;
  const kind = resourceKinds.find((known) => known === name);
  if (kind === undefined || !((at as unknown) instanceof Date)) return null;
  const why = reason === undefined ? {} : { reason };
  return { atMs: at.getTime(), actor, action, ...why, storeRevision, kind, id, before, after };
}
