import type { Filter } from 'mongodb';
import type { Change, Operation } from '../../../resources/changes/change.ts';
import { chunksOf, Outdated } from '../../../resources/changes/resource-store.ts';
import { type ChangeGround, type LabelledKind, readGround } from '../../../resources/changes/rights/change-ground.ts';
import { judgeChanges } from '../../../resources/changes/rights/judge-changes.ts';
import type { ResourceOf } from '../../../resources/resource.ts';
import { readStored, recordKinds } from '../record-kinds.ts';
import type { CommitContext, Identified } from './changes.ts';

/** So many ids fit well into one request. */
const IDS_AT_ONCE = 10_000;
const NO_SECRETS = { sealer: null, keepsUnopened: false };

/** What the transaction sees of all that changes belong to. */
export async function readStoredGround(
  changes: readonly Change[],
  { rights }: Operation,
  context: CommitContext,
): Promise<ChangeGround> {
  return await readGround(changes, (kind, ids) => readLabelled(kind, ids, context), {
    needsEndpoints: rights !== undefined,
  });
}

/**
 * Rejects with {@link Outdated} when the operator of an operation may not make its changes on what is there now, by the
 * rights that the operator has now: one that was removed, or disabled, since may make none. To be called before the
 * changes are written.
 */
export async function checkRights(
  changes: readonly Change[],
  { rights }: Operation,
  ground: ChangeGround,
  { db, session }: CommitContext,
): Promise<void> {
  if (rights === undefined) return;
  const { id } = rights.operator;
  const document = await db.collection<Identified>(recordKinds.operator.collection).findOne({ _id: id }, { session });
  const read = document === null ? null : readStored('operator', document, NO_SECRETS);
  const operator = read !== null && 'value' in read ? read.value.resource : null;
  if (operator?.enabled !== true) throw rightsChanged(`the operator "${id}" is not enabled any more`);
  const overreach = judgeChanges({ ...rights, operator }, changes, ground);
  if (overreach !== null) throw rightsChanged(overreach.message);
}

function rightsChanged(why: string): Outdated {
  const sentence = `labels or rights were changed meanwhile: ${why}. Nothing was changed`;
  return new Outdated(sentence, { unnamed: sentence });
}

async function* readLabelled<K extends LabelledKind>(
  kind: K,
  ids: readonly string[] | undefined,
  { db, session }: CommitContext,
): AsyncGenerator<ResourceOf[K]> {
  const collection = db.collection<Identified>(recordKinds[kind].collection);
  const filters: readonly Filter<Identified>[] =
    ids === undefined ? [{}] : [...chunksOf(ids, IDS_AT_ONCE)].map((piece) => ({ _id: { $in: [...piece] } }));
  for (const filter of filters) {
    for await (const document of collection.find(filter, { session })) {
      const read = readStored(kind, document, NO_SECRETS);
      if ('value' in read) yield read.value.resource;
    }
  }
}
