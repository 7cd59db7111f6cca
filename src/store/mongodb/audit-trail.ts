import type { Db, Filter, WithId } from 'mongodb';
import { resourceKinds } from '../../resources/resource.ts';
import type { AuditEvent, AuditSelection, AuditTrail } from '../../manage/resource-store.ts';
import { batchesInTime, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { type AuditDocument, collectionNames } from './documents.ts';
import { iterateWithFaults } from './faults.ts';

const READ_AT_ONCE = 1000;

/** {@link AuditTrail} on MongoDB. Does not own the client. */
export function createAuditTrail(db: Db, timeoutMs = DEFAULT_TIMEOUT_MS): AuditTrail {
  return {
    async *events(selection) {
      const events = db
        .collection<AuditDocument>(collectionNames.audit)
        .find(filterOf(selection), { sort: { at: -1, _id: -1 }, limit: selection.limit ?? 0, batchSize: READ_AT_ONCE });
      if (selection.limit === 0) return;
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

/** Null for a document of a kind that nobody knows: only others than Postern write such. */
function readEvent(document: WithId<AuditDocument>): AuditEvent | null {
  const { at, actor, action, storeRevision, id, before, after } = document;
  const kind = resourceKinds.find((known) => known === document.kind);
  if (kind === undefined || !((at as unknown) instanceof Date)) return null;
  return { atMs: at.getTime(), actor, action, storeRevision, kind, id, before, after };
}
