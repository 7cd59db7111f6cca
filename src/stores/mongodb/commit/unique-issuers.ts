import { Conflict } from '../../../resources/changes/resource-store.ts';
import type { ChangeOf } from '../../../resources/changes/change.ts';
import { collectionOf } from '../documents.ts';
import type { CommitContext } from './changes.ts';

/**
 * Rejects with {@link Conflict} when two issuers would have the same `iss` (spec §1). To be called before the changes
 * are written. The unique index holds against what others write at the same time.
 */
export async function checkIssuers(
  changes: readonly ChangeOf<'issuer'>[],
  { db, session }: CommitContext,
): Promise<void> {
  const wanted = new Map<string, string>();
  for (const { id, after } of changes) {
    if (after === null) continue;
    const other = wanted.get(after.issuer);
    if (other !== undefined) throw sameIssuer(other, id);
    wanted.set(after.issuer, id);
  }
  if (wanted.size === 0) return;
  const changed = new Set(changes.map(({ id }) => id));
  const stored = collectionOf(db, 'issuers').find({ issuer: { $in: [...wanted.keys()] } }, { session });
  for await (const { _id, issuer } of stored) {
    const taker = wanted.get(String(issuer));
    if (taker !== undefined && !changed.has(_id)) throw sameIssuer(_id, taker);
  }
}

function sameIssuer(holder: string, taker: string): Conflict {
  const rule = 'one is enough for all its consumers. Nothing was changed';
  return new Conflict(`the issuer "${holder}" has the "issuer" that "${taker}" would have; ${rule}`, {
    unnamed: `another issuer has the "issuer" that "${taker}" would have; ${rule}`,
  });
}

/**
 * Makes room where issuers take over an `iss` from each other: the unique index looks at every single write. Those that
 * give theirs up get one that no token has until they are written.
 */
export async function freeIssuers(
  changes: readonly ChangeOf<'issuer'>[],
  { db, session }: CommitContext,
): Promise<void> {
  const taken = new Map(changes.flatMap(({ id, after }) => (after === null ? [] : [[after.issuer, id] as const])));
  for (const { id, before, after } of changes) {
    const taker = before === null || after === null ? undefined : taken.get(before.resource.issuer);
    if (taker === undefined || taker === id) continue;
    await collectionOf(db, 'issuers').updateOne({ _id: id }, { $set: { issuer: `${id} gives it up` } }, { session });
  }
}
