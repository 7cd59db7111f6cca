import type { Abortable, Db, FindOptions, ObjectId } from 'mongodb';
import type { StoreRevision } from '../../../model/store-revision.ts';
import { collectionOf } from '../documents.ts';

/**
 * Beyond the deadline of a commit, how long its number counts as under way when nobody ended it: the server ends the
 * transaction of a process that died after 60 s, and one that was begun shortly before {@link LATEST_BEGIN_MS} too.
 */
const LEASE_MS = 180_000;
/** Beyond its deadline a commit begins no transaction after this, by the wall clock: the machine may have slept. */
export const LATEST_BEGIN_MS = 60_000;

/** Which commit takes a number, and how long it may try to be made. */
export interface NumberedCommit {
  readonly commitId: ObjectId;
  readonly timeoutMs: number;
  /** The write concern: a majority, or for an emergency stop the primary alone. */
  readonly w: 'majority' | 1;
}

/**
 * Takes the next number of the store for a commit, and notes in the same write that this commit is under way. Outside
 * of any transaction, so that no commit waits for another one. A commit that takes one again gives its former one back.
 * Rejects as the driver does.
 */
export async function takeRevision(db: Db, { commitId, timeoutMs, w }: NumberedCommit): Promise<number> {
  const revision = { $add: [{ $ifNull: ['$revision', 0] }, 1] };
  const own = { commit: commitId, revision, until: { $add: ['$$NOW', timeoutMs + LEASE_MS] } };
  const others = running({ $ne: ['$$this.commit', commitId] });
  const state = await collectionOf(db, 'meta').findOneAndUpdate(
    { _id: 'state' },
    [{ $set: { revision, underWay: { $concatArrays: [others, [own]] } } }],
    { upsert: true, returnDocument: 'after', writeConcern: { w, wtimeoutMS: 5000 } },
  );
  if (state?.revision === undefined) throw new Error('the revision of the store was not raised');
  return state.revision;
}

/** Notes that a commit has ended: it was made, or nothing of it ever will be. Rejects as the driver does. */
export async function endRevision(db: Db, commitId: ObjectId): Promise<void> {
  const update = { $pull: { underWay: { commit: commitId } } };
  await collectionOf(db, 'meta').updateOne({ _id: 'state' }, update, { writeConcern: { w: 1 } });
}

/**
 * How far the commits of a store are; null when it has none, or a hand made it unreadable. Rejects as the driver does.
 */
export async function readRevision(db: Db, options: FindOptions & Abortable): Promise<StoreRevision | null> {
  const projection = { revision: 1, underWay: running() };
  const state = await collectionOf(db, 'meta').findOne({ _id: 'state' }, { ...options, projection });
  const latest: unknown = state?.revision;
  const underWay: readonly { readonly revision?: unknown }[] | undefined = state?.underWay;
  if (typeof latest !== 'number' || underWay === undefined) return null;
  const numbers = underWay.flatMap(({ revision }) => (typeof revision === 'number' ? [revision] : []));
  return { latest, underWay: numbers.sort((one, other) => one - other) };
}

/** Those commits under way that were not given up, by the clock of the server. */
function running(alsoIf: object | true = true): object {
  const all = { $cond: [{ $isArray: '$underWay' }, '$underWay', []] };
  return { $filter: { input: all, cond: { $and: [{ $gt: ['$$this.until', '$$NOW'] }, alsoIf] } } };
}
