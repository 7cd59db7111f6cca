import type { Change, Operation } from '../change.ts';
import type { ResourceStore } from '../resource-store.ts';

/** How much one transaction is given. */
export interface StepSizes {
  /** So many changes are made in one transaction, all or nothing. */
  readonly maxAtOnce: number;
  /** More are made in steps of this many. */
  readonly perStep: number;
}

/** What happens between steps. */
export interface StepPorts {
  /** Called with the changes of each transaction once it is committed, and the store's revision after it. */
  readonly onCommitted: (changes: readonly Change[], revision: number) => void | Promise<void>;
  /** Asked before each step but the first: true ends the work between steps. */
  readonly isStopped: () => boolean;
  /** Whether the store rejected changes because they are too many, or too large, for one transaction of it. */
  readonly isTooLarge: (error: unknown) => boolean;
  /** Called with the size of steps from now on, because the store takes no larger ones. */
  readonly onDivided: (perStep: number) => void;
}

/** How the work ended. `error` is whatever the store rejected with; the steps before it stand. */
export interface StepsOutcome {
  readonly committed: number;
  readonly end: 'done' | 'stopped' | { readonly error: unknown };
}

/** How many transactions a set of changes takes. */
export function countSteps(changes: readonly Change[], { maxAtOnce, perStep }: StepSizes): number {
  return changes.length <= maxAtOnce ? Math.min(1, changes.length) : Math.ceil(changes.length / perStep);
}

/** A step that is too large is made in so many. */
const PARTS = 4;

/**
 * Makes changes in one transaction as far as one carries, otherwise step by step in their order, which has to let every
 * reference lead somewhere at each step. What was made before an error or a stop stays: planning again gives the rest.
 */
export async function commitInSteps(
  changes: readonly Change[],
  store: ResourceStore,
  operation: Operation,
  sizes: StepSizes,
  { onCommitted, isStopped, isTooLarge, onDivided }: StepPorts,
): Promise<StepsOutcome> {
  let perStep = changes.length <= sizes.maxAtOnce ? sizes.maxAtOnce : sizes.perStep;
  let committed = 0;
  while (committed < changes.length) {
    if (committed > 0 && isStopped()) return { committed, end: 'stopped' };
    const step = changes.slice(committed, committed + perStep);
    let revision: number;
    try {
      revision = await store.commit(step, operation);
    } catch (error) {
      if (!isTooLarge(error) || step.length === 1) return { committed, end: { error } };
      perStep = Math.ceil(step.length / PARTS);
      onDivided(perStep);
      continue;
    }
    committed += step.length;
    await onCommitted(step, revision);
  }
  return { committed, end: 'done' };
}
