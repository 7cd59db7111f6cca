import { findMatchCollisions } from '../../../check/route/collisions.ts';
import type { ResourceKind } from '../../resource.ts';
import { stoppedBefore } from '../apply/keep-stopped.ts';
import type { Change } from '../change.ts';
import type { AuditEvent } from '../resource-store.ts';
import { childOf, nameOf, type RevertGround } from './ground.ts';
import { subjectOf } from './merge-back.ts';
import { revertEvent } from './revert-event.ts';
import type { RevertWords } from './revert-words.ts';

/** What comes of a wish to undo events of one operation. */
export type PlannedRevert =
  | {
      /** None when all is as it was before. */
      readonly changes: readonly Change[];
      /** What does not come back, or stays although it changed: a sentence each. */
      readonly notes: readonly string[];
    }
  /** Why nothing can be undone on what the store has now: lines for people, without secrets. */
  | { readonly conflict: string };

/** More reasons than these are only counted. */
const MAX_REASONS = 10;

/**
 * Plans events of one operation back, from what they left to what was before, on what the store has now; all of them or
 * none. What others changed since in the same fields is a conflict. What no event holds (secrets, and so deleted and
 * rotated credentials) is left as it is; that alone cannot be reverted.
 *
 * @param revives whether what was stopped may come back: disabled, revoked or retiring
 * @param words what helps, as the one who asks says it
 */
export function planRevert(
  events: readonly AuditEvent[],
  ground: RevertGround,
  { revives, words }: { readonly revives: boolean; readonly words: RevertWords },
): PlannedRevert {
  const changes: Change[] = [];
  const notes: string[] = [];
  const left: string[] = [];
  const conflicts: string[] = [];
  for (const event of events) {
    const current = event.kind === 'replica' ? null : ground.find(event.kind, event.id);
    const revert = revertEvent(event, current, words);
    if ('change' in revert) {
      changes.push(revert.change);
      if (revert.note !== null) notes.push(revert.note);
    } else if ('left' in revert) left.push(revert.left);
    else if ('conflict' in revert) conflicts.push(revert.conflict);
  }
  if (conflicts.length === 0) conflicts.push(...findObstacles(changes, ground, words));
  if (conflicts.length > 0) return { conflict: joined(conflicts) };
  if (left.length > 0 && left.length === events.length) return { conflict: joined(left) };
  if (!revives) {
    const revived = changes.flatMap((change) => {
      const stopped = stoppedBefore(change);
      return stopped === null ? [] : [`${subjectOf(change)} (${stopped})`];
    });
    if (revived.length > 0) return { conflict: revivedWithoutWish(revived, words) };
  }
  return { changes, notes: [...left, ...notes] };
}

/** What stands in the way of all changes together. */
function findObstacles(changes: readonly Change[], ground: RevertGround, words: RevertWords): readonly string[] {
  const made = new Set(changes.filter(({ after }) => after !== null).map(({ kind, id }) => nameOf(kind, id)));
  const deleted = new Set(changes.filter(({ after }) => after === null).map(({ kind, id }) => nameOf(kind, id)));
  return [
    ...findMissing(changes, made, ground),
    ...findOrphans(deleted, ground, words),
    ...findCollisions(changes, ground),
  ];
}

/** What a grant needs that comes back, and that is not there. */
function findMissing(changes: readonly Change[], made: ReadonlySet<string>, ground: RevertGround): readonly string[] {
  const endpoints = new Set(ground.endpoints.map(({ id }) => id));
  return changes.flatMap((change) => {
    if (change.kind !== 'grant' || change.before !== null || change.after === null) return [];
    const missing = childOf('grant', change.after).parents.filter((parent) => {
      const [kind, id = ''] = parent.split('/');
      const isThere = kind === 'endpoint' ? endpoints.has(id) : ground.find('consumer', id) !== null;
      return !isThere && !made.has(parent);
    });
    return missing.map((parent) => {
      const [kind = '', id = ''] = parent.split('/');
      return `the ${subjectOf(change)} needs the ${kind} "${id}", which no longer exists; revert its deletion first`;
    });
  });
}

/** What was added since to a consumer or endpoint that would be deleted. */
function findOrphans(
  deleted: ReadonlySet<string>,
  { children }: RevertGround,
  { deleteWhole }: RevertWords,
): readonly string[] {
  const orphans = new Map<string, string>();
  for (const { kind, id, parents } of children) {
    if (deleted.has(nameOf(kind, id))) continue;
    for (const parent of parents.filter((each) => deleted.has(each))) orphans.set(parent, `${kind} "${id}"`);
  }
  return [...orphans].map(([parent, child]) => {
    const [kind = '', id = ''] = parent.split('/');
    if (kind === 'issuer') return `the ${child} names the issuer "${id}" since; delete such credentials first`;
    const instead = deleteWhole(kind as ResourceKind, id);
    return `the ${kind} "${id}" has the ${child} since; ${instead} deletes it with all that it has`;
  });
}

/** Endpoints that would claim the same requests. */
function findCollisions(changes: readonly Change[], ground: RevertGround): readonly string[] {
  const changed = changes.flatMap((change) => (change.kind === 'endpoint' ? [change] : []));
  if (changed.length === 0) return [];
  const ids = new Set(changed.map(({ id }) => id));
  const others = ground.endpoints.filter(({ id }) => !ids.has(id));
  const collisions = findMatchCollisions([...others, ...changed.flatMap(({ after }) => after ?? [])]);
  return collisions
    .filter(({ first, second }) => ids.has(first.id) || ids.has(second.id))
    .map(
      ({ first, second, rule }) =>
        `the endpoints "${first.id}" and "${second.id}" would take the same requests (${rule}); change the match of one first`,
    );
}

function revivedWithoutWish(revived: readonly string[], { revive }: RevertWords): string {
  return `this would bring back what was stopped: ${joined(revived, ', ')}. It may have been stopped for a reason, such as a leaked secret; to bring it back, ${revive}`;
}

function joined(reasons: readonly string[], separator = '\n  '): string {
  const more = reasons.length - MAX_REASONS;
  const shown = reasons.slice(0, MAX_REASONS);
  return [...shown, ...(more > 0 ? [`and ${String(more)} more`] : [])].join(separator);
}
