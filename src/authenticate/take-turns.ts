import { setImmediate as turn } from 'node:timers/promises';
import type { Pending } from '../pending.ts';
import type { Work } from '../signature/work.ts';

/**
 * Drives work on a large body in turns with all other checks, so that these do not wait for its end
 * (docs/performance.md). Small work is done at once and costs no turn.
 */
export function takeTurns<T>(work: Work<T>): Pending<T> {
  const step = work.next();
  return step.done === true ? step.value : goOn(work);
}

async function goOn<T>(work: Work<T>): Promise<T> {
  for (;;) {
    await turn();
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
