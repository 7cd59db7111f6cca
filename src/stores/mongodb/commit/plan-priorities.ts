import { Conflict } from '../../../resources/changes/resource-store.ts';
import type { ChangeOf } from '../../../resources/changes/change.ts';
import { MAX_PRIORITY } from '../../../model/grant.ts';
import { collectionOf } from '../documents.ts';
import type { CommitContext } from './changes.ts';

/**
 * Rejects with {@link Conflict} when two plans would have the same priority (spec §1). To be called before the changes
 * are written. The unique index holds against what others write at the same time.
 */
export async function checkPlanPriorities(
  changes: readonly ChangeOf<'plan'>[],
  { db, session }: CommitContext,
): Promise<void> {
  const wanted = new Map<number, string>();
  for (const { id, after } of changes) {
    if (after === null) continue;
    const other = wanted.get(after.priority);
    if (other !== undefined) throw samePriority(other, id, after.priority);
    wanted.set(after.priority, id);
  }
  if (wanted.size === 0) return;
  const changed = new Set(changes.map(({ id }) => id));
  const stored = collectionOf(db, 'plans').find({ priority: { $in: [...wanted.keys()] } }, { session });
  for await (const { _id, priority } of stored) {
    const taker = wanted.get(Number(priority));
    if (taker !== undefined && !changed.has(_id)) throw samePriority(_id, taker, Number(priority));
  }
}

function samePriority(holder: string, taker: string, priority: number): Conflict {
  const rule = 'give each another one. Nothing was changed';
  return new Conflict(
    `the plan "${holder}" has priority ${String(priority)}, and so would the plan "${taker}"; ${rule}`,
    {
      unnamed: `another plan has priority ${String(priority)}, and so would the plan "${taker}"; ${rule}`,
    },
  );
}

/**
 * Makes room where plans take over priorities from each other: the unique index looks at every single write. Those that
 * give theirs up get one beyond all others until they are written.
 */
export async function freePlanPriorities(
  changes: readonly ChangeOf<'plan'>[],
  { db, session }: CommitContext,
): Promise<void> {
  const taken = new Map(changes.flatMap(({ id, after }) => (after === null ? [] : [[after.priority, id] as const])));
  const givenUp = changes.filter(({ id, before, after }) => {
    const taker = before === null || after === null ? undefined : taken.get(before.resource.priority);
    return taker !== undefined && taker !== id;
  });
  for (const [index, { id }] of givenUp.entries()) {
    const priority = MAX_PRIORITY + 1 + index;
    await collectionOf(db, 'plans').updateOne({ _id: id }, { $set: { priority } }, { session });
  }
}
