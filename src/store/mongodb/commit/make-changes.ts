import type { ClientSession, Db } from 'mongodb';
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
 * Raises the revision of the store inside a transaction, and gives the new one. Every commit begins with it, so that
 * there is one commit at a time and all that is checked afterwards is exact.
 */
export async function raiseRevision(db: Db, session: ClientSession): Promise<number> {
  const state = await db
    .collection<{ _id: string; revision: number }>(collectionNames.meta)
    .findOneAndUpdate({ _id: 'state' }, { $inc: { revision: 1 } }, { session, upsert: true, returnDocument: 'after' });
  if (state === null) throw new Error('the revision of the store was not raised');
  return state.revision;
}

/** Makes changes with their audit events in the transaction of the context, or rejects with `Conflict`. */
export async function makeChanges(
  changes: readonly Change[],
  operation: Operation,
  sealer: Sealer,
  context: CommitContext,
): Promise<void> {
  await checkRevisions(changes, context);
  await checkAppKeys(changes, context);
  await writeChanges(changes, sealer, context);
  await checkReferences(changes, context);
  await checkCollisions(changes, context);
  await keepFormerAppKeys(changes, context);
  await forgetUsage(changes, context);
  const audit = context.db.collection<AuditDocument>(collectionNames.audit);
  for (const piece of inPieces(changes, WRITES_AT_ONCE)) {
    const events = piece.map((change) => auditDocumentOf(change, operation, context));
    await audit.insertMany(events, { session: context.session });
  }
}

async function forgetUsage(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const usage = db.collection<UsageDocument>(collectionNames.usage);
  for (const ids of inPieces(deletedIds(changes, 'credential'), 10 * WRITES_AT_ONCE)) {
    await usage.deleteMany({ _id: { $in: [...ids] } }, { session });
  }
}
