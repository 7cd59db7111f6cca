import type { Change } from '../change.ts';
import { stoppedBefore } from './keep-stopped.ts';

/**
 * The first change of a new plan that goes beyond a former one, which was shown and agreed to: it makes or deletes what
 * that did not, or brings back what was stopped since. Null when there is none, so that the new plan can take the place
 * of the former one.
 */
export function findNotAgreed(agreed: readonly Change[], changes: readonly Change[]): Change | null {
  const known = new Map(agreed.map((change) => [keyOf(change), change]));
  const notAgreed = changes.find((change) => {
    const former = known.get(keyOf(change));
    return former === undefined || (stoppedBefore(change) !== null && stoppedBefore(former) === null);
  });
  return notAgreed ?? null;
}

function keyOf({ kind, id, before, after }: Change): string {
  const action = before === null ? 'create' : after === null ? 'delete' : 'change';
  return `${action} ${kind} ${id}`;
}
