import type { AnyBulkWriteOperation } from 'mongodb';
import type { Sealer } from '../../../keyring/sealed.ts';
import type { Change, ChangeOf } from '../../../manage/change.ts';
import { type ResourceKind, resourceKinds } from '../../../resources/resource.ts';
import { writeVersion } from '../mapping/records.ts';
import { recordKinds } from '../record-kinds.ts';
import { changesOfKind, inPieces } from './changes.ts';
import type { CommitContext, Identified } from './commit-context.ts';

/** So many writes go to the server at once: each answer comes well within the deadline of a socket. */
export const WRITES_AT_ONCE = 1000;

/** Writes changes whose revisions were checked in the same transaction. */
export async function writeChanges(
  changes: readonly Change[],
  sealer: Sealer | null,
  context: CommitContext,
): Promise<void> {
  for (const kind of resourceKinds) await writeKind(kind, changesOfKind(changes, kind), sealer, context);
}

async function writeKind<K extends ResourceKind>(
  kind: K,
  changes: readonly ChangeOf<K>[],
  sealer: Sealer | null,
  { db, session, nowMs }: CommitContext,
): Promise<void> {
  const collection = db.collection<Identified>(recordKinds[kind].collection);
  for (const piece of inPieces(changes, WRITES_AT_ONCE)) {
    const operations = piece.map((change) => operationOf(change, sealer, Math.floor(nowMs / 1000)));
    const result = await collection.bulkWrite(operations, { session });
    const written = result.insertedCount + result.matchedCount + result.deletedCount;
    if (written !== piece.length) throw new Error(`only ${String(written)} of ${String(piece.length)} ${kind}s fitted`);
  }
}

function operationOf<K extends ResourceKind>(
  { kind, id, before, after }: ChangeOf<K>,
  sealer: Sealer | null,
  nowSeconds: number,
): AnyBulkWriteOperation<Identified> {
  const filter = { _id: id, revision: before?.revision ?? 0 };
  if (after === null) return { deleteOne: { filter } };
  const version = writeVersion({
    revision: (before?.revision ?? 0) + 1,
    createdAt: before?.createdAt ?? nowSeconds,
    updatedAt: nowSeconds,
  });
  const document = { ...recordKinds[kind].write(after, version, sealer) };
  return before === null ? { insertOne: { document } } : { replaceOne: { filter, replacement: document } };
}
