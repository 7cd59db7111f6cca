import { setTimeout as delay } from 'node:timers/promises';
import { type AnyBulkWriteOperation, type Db, ObjectId } from 'mongodb';
import type { Sealer } from '../../../model/keyring/sealed.ts';
import { materialFacts } from '../../../model/material.ts';
import { endToFind } from '../../../resources/app-key-end.ts';
import type { Change, ChangeOf, Operation } from '../../../resources/changes/change.ts';
import { sidesOf } from '../../../resources/changes/audit/event-sides.ts';
import { createOwners } from '../../../resources/changes/audit/owners-of-change.ts';
import type { ChangeGround } from '../../../resources/changes/rights/change-ground.ts';
import { chunksOf } from '../../../resources/changes/resource-store.ts';
import type { Labels } from '../../../model/labels.ts';
import { type LabelsSince, labelsSinceAfter } from '../../../model/labels-since.ts';
import { type ResourceKind, resourceKinds, type Stored } from '../../../resources/resource.ts';
import { byDeadline } from '../deadline.ts';
import { type AuditDocument, collectionOf, type FormerAppKeyDocument, type UsageDocument } from '../documents.ts';
import { MongodbUnavailable, noMajority, type UnavailableReason, withFaults } from '../faults.ts';
import { writeVersion } from '../mapping/records.ts';
import { recordKinds } from '../record-kinds.ts';
import { checkManagers } from './check-managers.ts';
import { checkOwners } from './check-owners.ts';
import { checkRights, readStoredGround } from './check-rights.ts';
import { changesOfKind, type CommitContext, deletedIds, type Identified } from './changes.ts';
import { checkBounds } from './check-bounds.ts';
import { checkAppKeys, checkCollisions, checkReferences, checkRevisions } from './check-changes.ts';
import { endSessions } from './end-sessions.ts';
import { checkPlanPriorities, freePlanPriorities } from './plan-priorities.ts';
import { checkPriorities, freePriorities } from './priorities.ts';
import { sendInTurn, WRITES_AT_ONCE } from './send-in-turn.ts';
import { type NumberedCommit, takeRevision } from './store-revision.ts';
import { checkIssuers, freeIssuers } from './unique-issuers.ts';

/** So many ids, of 127 characters at most, fit well into one request. */
const IDS_AT_ONCE = 10_000;

const RETRY_MS = 200;
const PASSING: readonly UnavailableReason[] = ['uncertain', 'no-primary', 'slow', 'unreachable'];

/**
 * Takes the next revision of the store, which no other commit has, for a commit. A majority of the members has to
 * confirm it: where none does, that shows here, before anything is changed. An emergency stop (`w: 1`) goes on with the
 * primary's confirmation alone, and its number can be given again when that is lost. Rejects at the deadline.
 */
export async function revisionFor(db: Db, commit: NumberedCommit, deadline: AbortSignal): Promise<number> {
  for (let unreachable: MongodbUnavailable | null = null; ; ) {
    try {
      return await withFaults(() => byDeadline(deadline, () => takeRevision(db, commit)));
    } catch (error) {
      if (!(error instanceof MongodbUnavailable) || !PASSING.includes(error.reason)) throw error;
      if (error.reason === 'unreachable') unreachable = error;
      if (deadline.aborted) throw unreachable ?? noMajority();
    }
    await delay(RETRY_MS);
  }
}

/**
 * Makes changes with their audit events in the transaction of the context, or rejects with `Conflict`. Records that
 * others may want are written last, so that they are held as shortly as can be.
 */
export async function makeChanges(
  changes: readonly Change[],
  operation: Operation,
  sealer: Sealer | null,
  context: CommitContext,
): Promise<void> {
  await checkRevisions(changes, context);
  await checkOwners(changes, operation, context);
  const ground = await readStoredGround(changes, operation, context);
  await checkRights(changes, operation, ground, context);
  await checkManagers(changes, operation, context);
  await checkAppKeys(changes, context);
  await checkPriorities(changes, context);
  await checkPlanPriorities(changesOfKind(changes, 'plan'), context);
  await checkIssuers(changesOfKind(changes, 'issuer'), context);
  const reused = await findReusedIds(changes, context);
  await recordEvents(changes, operation, ground, context);
  await keepFormerAppKeys(changes, context);
  await forgetUsage(changes, context);
  await noteUnused(changes, context);
  await endSessions(changes, context);
  await freePriorities(changesOfKind(changes, 'grant'), context);
  await freePlanPriorities(changesOfKind(changes, 'plan'), context);
  await freeIssuers(changesOfKind(changes, 'issuer'), context);
  for (const kind of resourceKinds) await writeKind(kind, changesOfKind(changes, kind), { sealer, reused }, context);
  await checkReferences(changes, context);
  await checkCollisions(changes, context);
  await checkBounds(changes, context);
}

/** Writes an audit event for each change. The first has the id of the commit, by which the commit is found again. */
async function recordEvents(
  changes: readonly Change[],
  operation: Operation,
  ground: ChangeGround,
  context: CommitContext,
): Promise<void> {
  const { db, session, commitId, storeRevision, nowMs } = context;
  const { actor, action, reason } = operation;
  const why = reason === undefined ? {} : { reason };
  const common = { at: new Date(nowMs), actor, action, ...why, storeRevision };
  const ownersOf = createOwners(changes, ground);
  const eventOf = (change: Change): AuditDocument => {
    const { kind, id, reverts } = change;
    const { before, after } = sidesOf(change);
    const _id = change === changes[0] ? commitId : new ObjectId();
    const event = { _id, ...common, kind, id, ownedBy: ownersOf(change), before, after };
    return reverts === undefined ? event : { ...event, reverts: { ...reverts } };
  };
  const audit = collectionOf(db, 'audit');
  await sendInTurn(changes, eventOf, async (events) => {
    await audit.insertMany(events, { session });
  });
}

/** Whether a commit was made, as a majority of the members has it. */
export async function isCommitted(db: Db, commitId: ObjectId, signal: AbortSignal): Promise<boolean> {
  const options = { projection: { _id: 1 }, readConcern: 'majority', signal } as const;
  return (await collectionOf(db, 'audit').findOne({ _id: commitId }, options)) !== null;
}

async function forgetUsage(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  for (const ids of chunksOf(deletedIds(changes, 'credential'), 10 * WRITES_AT_ONCE)) {
    await collectionOf(db, 'usage').deleteMany({ _id: { $in: [...ids] } }, { session });
  }
}

/** Of new credentials, since when they are not used: from when they work. Of each new App Key, how it ends. */
async function noteUnused(changes: readonly Change[], { db, session, nowMs }: CommitContext): Promise<void> {
  const notes = changesOfKind(changes, 'credential').flatMap(({ id, before, after }): UsageNote[] => {
    if (after === null || before?.resource.appKeyHash === after.appKeyHash) return [];
    const idleSince = before === null ? { idleSince: new Date(Math.max(nowMs, (after.notBefore ?? 0) * 1000)) } : {};
    return [{ id, idleSince, appKeyEnd: endToFind(after) }];
  });
  const collection = collectionOf(db, 'usage');
  const known = new Set<string>();
  for (const piece of chunksOf(notes, IDS_AT_ONCE)) {
    const ids = piece.map(({ id }) => id);
    for await (const { _id } of collection.find({ _id: { $in: ids } }, { session, projection: { _id: 1 } }))
      known.add(_id);
  }
  const writeOf = ({ id, idleSince, appKeyEnd }: UsageNote): AnyBulkWriteOperation<UsageDocument> => {
    const end = appKeyEnd === null ? {} : { appKeyEnd };
    if (!known.has(id)) return { insertOne: { document: { _id: id, ...idleSince, ...end } } };
    const former = appKeyEnd === null ? { $unset: { appKeyEnd: '' as const } } : {};
    return { updateOne: { filter: { _id: id }, update: { $set: { ...idleSince, ...end }, ...former } } };
  };
  await sendInTurn(notes, writeOf, async (operations) => {
    await collection.bulkWrite(operations, { session });
  });
}

/** What is noted of a credential beside its last use. */
interface UsageNote {
  readonly id: string;
  readonly idleSince: Pick<UsageDocument, 'idleSince'>;
  /** Null: it has none that may be found by its end. */
  readonly appKeyEnd: string | null;
}

/** Writes changes whose revisions were checked in the same transaction. */
async function writeKind<K extends ResourceKind>(
  kind: K,
  changes: readonly ChangeOf<K>[],
  { sealer, reused }: { readonly sealer: Sealer | null; readonly reused: ReadonlySet<string> },
  { db, session, nowMs }: CommitContext,
): Promise<void> {
  const collection = db.collection<Identified>(recordKinds[kind].collection);
  const isDeletion = ({ after }: ChangeOf<K>): boolean => after === null;
  // What is deleted leaves its unique values to the others.
  const ordered = [...changes.filter(isDeletion), ...changes.filter((change) => !isDeletion(change))];
  const nowSeconds = Math.floor(nowMs / 1000);
  const prepare = (change: ChangeOf<K>): AnyBulkWriteOperation<Identified> =>
    operationOf(change, sealer, { nowSeconds, reused });
  await sendInTurn(ordered, prepare, async (operations) => {
    const result = await collection.bulkWrite(operations, { session });
    const written = result.insertedCount + result.matchedCount + result.deletedCount;
    if (written !== operations.length) {
      throw new Error(`only ${String(written)} of ${String(operations.length)} ${kind}s fitted`);
    }
  });
}

function operationOf<K extends ResourceKind>(
  { kind, id, before, after }: ChangeOf<K>,
  sealer: Sealer | null,
  { nowSeconds, reused }: { readonly nowSeconds: number; readonly reused: ReadonlySet<string> },
): AnyBulkWriteOperation<Identified> {
  const filter = { _id: id, revision: before?.revision ?? 0 };
  if (after === null) return { deleteOne: { filter } };
  const isReused = reused.has(`${kind} ${id}`);
  const sinceOf = (former: Stored<unknown> | null, { labels }: { readonly labels: Labels }): LabelsSince =>
    labelsSinceAfter(former as Stored<{ readonly labels: Labels }> | null, { labels }, { nowSeconds, isReused });
  const version = writeVersion({
    revision: (before?.revision ?? 0) + 1,
    createdAt: before?.createdAt ?? nowSeconds,
    updatedAt: nowSeconds,
    ...('labels' in after ? { labelsSince: sinceOf(before, after) } : {}),
  });
  const document = { ...recordKinds[kind].write(after, version, sealer) };
  return before === null ? { insertOne: { document } } : { replaceOne: { filter, replacement: document } };
}

/** Of what is new, the ids that something else had before: `consumer acme`. To be called before events are written. */
async function findReusedIds(changes: readonly Change[], { db, session }: CommitContext): Promise<ReadonlySet<string>> {
  const reused = new Set<string>();
  for (const kind of ['endpoint', 'consumer', 'issuer'] as const) {
    const ids = changesOfKind(changes, kind).flatMap(({ id, before }) => (before === null ? [id] : []));
    for (const piece of chunksOf(ids, WRITES_AT_ONCE)) {
      const found = collectionOf(db, 'audit').aggregate<{ readonly _id: string }>(
        [{ $match: { kind, id: { $in: [...piece] } } }, { $group: { _id: '$id' } }],
        { session },
      );
      for await (const { _id: id } of found) reused.add(`${kind} ${id}`);
    }
  }
  return reused;
}

/**
 * Keeps the hashes of App Keys that no credential has after the changes. What a credential without one is known by is
 * no secret that somebody may still have: a later credential may be known by it.
 */
async function keepFormerAppKeys(changes: readonly Change[], context: CommitContext): Promise<void> {
  const { db, session, nowMs } = context;
  const deletedAt = new Date(nowMs);
  const operations = changesOfKind(changes, 'credential').flatMap(
    ({ id, before, after }): AnyBulkWriteOperation<FormerAppKeyDocument>[] => {
      if (before === null || before.resource.appKeyHash === after?.appKeyHash) return [];
      if (materialFacts[before.resource.material.kind].appKey === 'derived') return [];
      const replacement = { deletedAt, ...(after === null ? {} : { credentialId: id }) };
      return [{ replaceOne: { filter: { _id: before.resource.appKeyHash }, replacement, upsert: true } }];
    },
  );
  const collection = collectionOf(db, 'formerAppKeys');
  for (const piece of chunksOf(operations, WRITES_AT_ONCE)) await collection.bulkWrite(piece, { session });
}
