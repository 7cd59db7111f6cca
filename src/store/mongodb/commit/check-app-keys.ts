import type { AnyBulkWriteOperation } from 'mongodb';
import type { Change, ChangeOf } from '../../../manage/change.ts';
import { Conflict } from '../../../manage/resource-store.ts';
import { type CredentialDocument, collectionNames, type FormerAppKeyDocument } from '../documents.ts';
import { changesOfKind, inPieces } from './changes.ts';
import type { CommitContext } from './commit-context.ts';
import { WRITES_AT_ONCE } from './write-changes.ts';

const HASHES_AT_ONCE = 10_000;
const NEVER_TWICE = 'an App Key is never given twice: take another. Nothing was changed';

/**
 * Rejects with {@link Conflict} when a credential would get an App Key that another one has or had (spec §1), also when
 * the other one is deleted or gets another in the same commit. To be asked before the changes are written.
 */
export async function checkAppKeys(changes: readonly Change[], context: CommitContext): Promise<void> {
  const given = new Map<string, ChangeOf<'credential'>>();
  for (const change of changesOfKind(changes, 'credential')) {
    const { id, before, after } = change;
    if (after === null || after.appKeyHash === before?.resource.appKeyHash) continue;
    const other = given.get(after.appKeyHash);
    if (other !== undefined)
      throw new Conflict(`the credentials "${other.id}" and "${id}" have the same App Key; ${NEVER_TWICE}`);
    given.set(after.appKeyHash, change);
  }
  for (const hashes of inPieces([...given.keys()], HASHES_AT_ONCE)) await checkPiece(hashes, given, context);
}

async function checkPiece(
  hashes: readonly string[],
  given: ReadonlyMap<string, ChangeOf<'credential'>>,
  { db, session }: CommitContext,
): Promise<void> {
  const nameOf = (hash: string): string => given.get(hash)?.id ?? '';
  const holder = await db
    .collection<CredentialDocument>(collectionNames.credentials)
    .findOne({ appKeyHash: { $in: [...hashes] } }, { session, projection: { appKeyHash: 1 } });
  if (holder !== null) {
    const taken = `the App Key of the credential "${nameOf(holder.appKeyHash)}" is that of the credential "${holder._id}"`;
    throw new Conflict(`${taken}; ${NEVER_TWICE}`);
  }
  const former = db
    .collection<FormerAppKeyDocument>(collectionNames.formerAppKeys)
    .find({ _id: { $in: [...hashes] } }, { session });
  for await (const { _id: hash, credentialId } of former) {
    const change = given.get(hash);
    // A credential may go back to an App Key of its own.
    if (change !== undefined && change.before !== null && change.id === credentialId) continue;
    const who = credentialId === undefined ? 'a credential that was deleted' : `the credential "${credentialId}"`;
    throw new Conflict(`the App Key of the credential "${nameOf(hash)}" was given before, to ${who}; ${NEVER_TWICE}`);
  }
}

/** Notes the hashes of App Keys that nobody has after the changes. */
export async function keepFormerAppKeys(changes: readonly Change[], context: CommitContext): Promise<void> {
  const { db, session, nowMs } = context;
  const deletedAt = new Date(nowMs);
  const operations = changesOfKind(changes, 'credential').flatMap(
    ({ id, before, after }): AnyBulkWriteOperation<FormerAppKeyDocument>[] => {
      if (before === null || before.resource.appKeyHash === after?.appKeyHash) return [];
      const replacement = { deletedAt, ...(after === null ? {} : { credentialId: id }) };
      return [{ replaceOne: { filter: { _id: before.resource.appKeyHash }, replacement, upsert: true } }];
    },
  );
  const collection = db.collection<FormerAppKeyDocument>(collectionNames.formerAppKeys);
  for (const piece of inPieces(operations, WRITES_AT_ONCE)) await collection.bulkWrite(piece, { session });
}
