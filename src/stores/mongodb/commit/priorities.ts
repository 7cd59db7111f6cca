import { Conflict } from '../../../resources/changes/resource-store.ts';
import type { Change, ChangeOf } from '../../../resources/changes/change.ts';
import { type Grant, type GroupGrant, isGroupGrant, MAX_PRIORITY, rankOf } from '../../../model/grant.ts';
import { describeGrant } from '../../../resources/grant.ts';
import { collectionOf, forGroups } from '../documents.ts';
import { readGrantDocument } from '../mapping/records.ts';
import { changesOfKind, type CommitContext } from './changes.ts';

/**
 * Rejects with {@link Conflict} when two grants for groups on one endpoint would have the same priority (spec §1). To
 * be called before the changes are written. The unique index holds against what others write at the same time.
 */
export async function checkPriorities(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const grants = changesOfKind(changes, 'grant');
  const wanted = new Map<string, GroupGrant>();
  for (const after of grants.map((change) => change.after).filter(isForGroup)) {
    const other = wanted.get(rankOf(after));
    if (other !== undefined) throw samePriority(other, after);
    wanted.set(rankOf(after), after);
  }
  if (wanted.size === 0) return;
  const changed = new Set(grants.map(({ id }) => id));
  const endpointIds = [...new Set([...wanted.values()].map(({ endpointId }) => endpointId))];
  const stored = collectionOf(db, 'grants').find({ ...forGroups, endpointId: { $in: endpointIds } }, { session });
  for await (const document of stored) {
    const read = readGrantDocument(document);
    if (changed.has(document._id) || !('value' in read) || !isForGroup(read.value)) continue;
    const after = wanted.get(rankOf(read.value));
    if (after !== undefined) throw samePriority(read.value, after);
  }
}

function isForGroup(grant: Grant | null): grant is GroupGrant {
  return grant !== null && isGroupGrant(grant);
}

function samePriority(holder: GroupGrant, after: GroupGrant): Conflict {
  return new Conflict(
    `the ${describeGrant(holder)} has priority ${String(holder.priority)}, and so would the ${describeGrant(after)}; give each another one. Nothing was changed`,
  );
}

/**
 * Makes room where grants for groups take over priorities from each other: the unique index looks at every single
 * write, not at what a transaction comes to. Those that give theirs up get one beyond all others until they are
 * written.
 */
export async function freePriorities(
  changes: readonly ChangeOf<'grant'>[],
  { db, session }: CommitContext,
): Promise<void> {
  const taken = new Map(changes.flatMap(({ id, after }) => (isForGroup(after) ? [[rankOf(after), id] as const] : [])));
  const givenUp = changes.filter(({ id, before, after }) => {
    const former = before?.resource ?? null;
    if (after === null || !isForGroup(former)) return false;
    const taker = taken.get(rankOf(former));
    return taker !== undefined && taker !== id;
  });
  for (const [index, { id }] of givenUp.entries()) {
    const priority = MAX_PRIORITY + 1 + index;
    await collectionOf(db, 'grants').updateOne({ _id: id }, { $set: { priority } }, { session });
  }
}
