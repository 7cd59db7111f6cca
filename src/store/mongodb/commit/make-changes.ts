import { type Db, ObjectId } from 'mongodb';
import type { Sealer } from '../../../keyring/sealed.ts';
import type { Change, Operation } from '../../../manage/change.ts';
import { type AuditDocument, collectionNames, type UsageDocument } from '../documents.ts';
import { auditDocumentOf } from './audit-documents.ts';
import { deletedIds, inPieces } from './changes.ts';
import { checkAppKeys, keepFormerAppKeys } from './check-app-keys.ts';
import { checkCollisions } from './check-collisions.ts';
import { checkReferences } from './check-references.ts';
import { checkRevisions } from './check-revisions.ts';
import type { CommitContext } from './commit-context.ts';
import { WRITES_AT_ONCE, writeChanges } from './write-changes.ts';

/**
 * Takes the next revision of the store: a number that no other commit has. Outside of any transaction, so that no commit
 * waits for another one; the number of a commit that fails is never used. `w` says how many members have to confirm it;
 * one that only the primary confirmed can be given again when that is lost.
 */
export async function takeRevision(db: Db, w: 'majority' | 1): Promise<number> {
  const state = await db
    .collection<{ _id: string; revision: number }>(collectionNames.meta)
    .findOneAndUpdate(
      { _id: 'state' },
      { $inc: { revision: 1 } },
      { upsert: true, returnDocument: 'after', writeConcern: { w, wtimeoutMS: 5000 } },
    );
  if (state === null) throw new Error('the revision of the store was not raised');
  return state.revision;
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
  await checkAppKeys(changes, context);
  await recordEvents(changes, operation, context);
  await keepFormerAppKeys(changes, context);
  await forgetUsage(changes, context);
  await writeChanges(changes, sealer, context);
  await checkReferences(changes, context);
  await checkCollisions(changes, context);
}

/** The first event has the id of the commit, by which the commit is found again. */
async function recordEvents(changes: readonly Change[], operation: Operation, context: CommitContext): Promise<void> {
  const audit = context.db.collection<AuditDocument & { _id: ObjectId }>(collectionNames.audit);
  let id: ObjectId | null = context.commitId;
  for (const piece of inPieces(changes, WRITES_AT_ONCE)) {
    const events = piece.map((change) => {
      const event = { _id: id ?? new ObjectId(), ...auditDocumentOf(change, operation, context) };
      id = null;
      return event;
    });
    await audit.insertMany(events, { session: context.session });
  }
}

/** Whether a commit was made, as a majority of the members has it. */
export async function isCommitted(db: Db, commitId: ObjectId, signal: AbortSignal): Promise<boolean> {
  const audit = db.collection<{ _id: ObjectId }>(collectionNames.audit);
  const options = { projection: { _id: 1 }, readConcern: 'majority', signal } as const;
  return (await audit.findOne({ _id: commitId }, options)) !== null;
}

async function forgetUsage(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const usage = db.collection<UsageDocument>(collectionNames.usage);
  for (const ids of inPieces(deletedIds(changes, 'credential'), 10 * WRITES_AT_ONCE)) {
    await usage.deleteMany({ _id: { $in: [...ids] } }, { session });
  }
}
