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

/** What is committed. */
export interface Commit {
  readonly changes: readonly Change[];
  readonly operation: Operation;
  readonly sealer: Sealer;
  readonly nowMs: number;
}

/**
 * Makes changes and their audit events inside a transaction, and gives the store's new revision. Every commit begins
 * with raising that revision, so that there is one commit at a time and all that is checked here is exact.
 */
export async function commitChanges(db: Db, session: ClientSession, commit: Commit): Promise<number> {
  const { changes, operation, sealer, nowMs } = commit;
  const storeRevision = await raiseRevision(db, session);
  const context: CommitContext = { db, session, storeRevision, nowMs };
  await checkRevisions(changes, context);
  await checkAppKeys(changes, context);
  await writeChanges(changes, sealer, context);
  await checkReferences(changes, context);
  await checkCollisions(changes, context);
  await keepFormerAppKeys(changes, context);
  await forgetUsage(changes, context);
  const audit = db.collection<AuditDocument>(collectionNames.audit);
  for (const piece of inPieces(changes, WRITES_AT_ONCE)) {
    await audit.insertMany(
      piece.map((change) => auditDocumentOf(change, operation, context)),
      { session },
    );
  }
  return storeRevision;
}

async function raiseRevision(db: Db, session: ClientSession): Promise<number> {
  const state = await db
    .collection<{ _id: string; revision: number }>(collectionNames.meta)
    .findOneAndUpdate({ _id: 'state' }, { $inc: { revision: 1 } }, { session, upsert: true, returnDocument: 'after' });
  if (state === null) throw new Error('the revision of the store was not raised');
  return state.revision;
}

async function forgetUsage(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const usage = db.collection<UsageDocument>(collectionNames.usage);
  for (const ids of inPieces(deletedIds(changes, 'credential'), 10 * WRITES_AT_ONCE)) {
    await usage.deleteMany({ _id: { $in: [...ids] } }, { session });
  }
}
