import { type Db, type Filter, ObjectId } from 'mongodb';
import type { Clock } from '../../base/clock.ts';
import { auditedKinds } from '../../resources/resource.ts';
import type { AuditEvent, AuditSelection, AuditTrail } from '../../resources/changes/resource-store.ts';
import { ownersWith } from '../../model/owned-by.ts';
import { batchesInTime, byDeadline, DEFAULT_TIMEOUT_MS } from './deadline.ts';
import { type AuditDocument, collectionOf } from './documents.ts';
import { iterateWithFaults, withFaults } from './faults.ts';

const READ_AT_ONCE = 1000;

/** {@link AuditTrail} on MongoDB. Does not own the client. */
export function createAuditTrail(
  db: Db,
  { clock, timeoutMs = DEFAULT_TIMEOUT_MS }: { readonly clock: Pick<Clock, 'nowMs'>; readonly timeoutMs?: number },
): AuditTrail {
  return {
    async *events(selection) {
      if (selection.limit === 0) return;
      const options = { sort: { at: -1, _id: -1 }, limit: selection.limit ?? 0, batchSize: READ_AT_ONCE } as const;
      const events = collectionOf(db, 'audit').find(auditFilter(selection), options);
      for await (const batch of iterateWithFaults(batchesInTime(events, timeoutMs))) {
        for (const document of batch) {
          const event = readEvent(document);
          if (event !== null) yield event;
        }
      }
    },
    keep: async ({ reason, ...event }) => {
      const why = reason === undefined ? {} : { reason };
      const none = { storeRevision: 0, before: null, after: null };
      const document = { at: new Date(clock.nowMs()), ...none, ...event, ...why };
      await withFaults(() =>
        byDeadline(AbortSignal.timeout(timeoutMs), () => collectionOf(db, 'audit').insertOne(document)),
      );
    },
  };
}

/** What the selected events hold. Each way to select has an index of its own, in the order of time. */
export function auditFilter(selection: AuditSelection): Filter<AuditDocument> {
  const { event, storeRevision, sinceMs, untilMs, olderThan, actor, action, resource, consumerId, endpointId } =
    selection;
  const { ownedBy, hidesOperators = false } = selection;
  const latestMs = Math.min(untilMs ?? Infinity, olderThan?.atMs ?? Infinity);
  const at = {
    ...(sinceMs === undefined ? {} : { $gte: new Date(sinceMs) }),
    ...(latestMs === Infinity ? {} : { $lte: new Date(latestMs) }),
  };
  const always: Filter<AuditDocument> = {
    ...(event === undefined ? {} : { _id: new ObjectId(event) }),
    ...(storeRevision === undefined ? {} : { storeRevision }),
    ...(Object.keys(at).length === 0 ? {} : { at }),
    ...(olderThan === undefined ? {} : { $nor: [notAfter(olderThan)] }),
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(ownedBy === undefined ? {} : { ownedBy: { $all: [...ownersWith(ownedBy)] } }),
    ...(hidesOperators ? { kind: { $in: kindsOfAll } } : {}),
  };
  const anyOf = [
    resource === undefined ? null : [{ kind: resource.kind, ...(resource.id === null ? {} : { id: resource.id }) }],
    // What an event holds of a partner says whom it concerns, also where another version wrote it.
    consumerId === undefined
      ? null
      : [{ kind: 'consumer', id: consumerId }, { 'before.consumer': consumerId }, { 'after.consumer': consumerId }],
    endpointId === undefined
      ? null
      : [
          { kind: 'endpoint', id: endpointId },
          { 'before.endpoint': endpointId },
          { 'after.endpoint': endpointId },
          { 'before.endpoints': endpointId },
          { 'after.endpoints': endpointId },
        ],
  ].flatMap((filters) => (filters === null ? [] : [filters as readonly Filter<AuditDocument>[]]));
  const [first, ...others] = anyOf;
  if (first === undefined) return always;
  const rest = others.map((filters) => ({ $or: [...filters] }));
  // The rest stands in each alternative, so that each is read in the order of time from its own index.
  const alternatives = first.map((filter) => ({ ...always, ...filter, ...(rest.length === 0 ? {} : { $and: rest }) }));
  return alternatives.length === 1 ? (alternatives[0] ?? {}) : { $or: alternatives };
}

const kindsOfAll = auditedKinds.filter((kind) => kind !== 'operator');

/** Events of the same moment come in the order of their ids, the highest first. */
function notAfter({ atMs, event }: NonNullable<AuditSelection['olderThan']>): Filter<AuditDocument> {
  return { at: new Date(atMs), _id: { $gte: new ObjectId(event) } };
}

/** Null for a document of an unknown kind, which another program than Postern wrote. */
function readEvent({ _id, at, kind: name, ...event }: AuditDocument): AuditEvent | null {
  const { actor, action, reason, storeRevision, id, before, after, reverts, ownedBy, refused } = event;
  const kind = auditedKinds.find((known) => known === name);
  if (kind === undefined || !((at as unknown) instanceof Date)) return null;
  return {
    event: String(_id),
    atMs: at.getTime(),
    actor,
    action,
    ...(reason === undefined ? {} : { reason }),
    storeRevision,
    kind,
    id,
    before,
    after,
    ...(reverts === undefined ? {} : { reverts }),
    ...(ownedBy === undefined ? {} : { ownedBy }),
    ...(refused === undefined ? {} : { refused }),
  };
}
