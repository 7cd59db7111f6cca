import { chunksOf } from '../../manage/apply/list-by-ids.ts';
import type { Change, Operation } from '../../manage/change.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command-context.ts';
import { startProgress } from '../progress-bar.ts';
import { count } from '../render/format-time.ts';
import { exitCodes } from '../terminal.ts';

/** The work was interrupted between steps; those before it stand. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** So many changes are made in each step, where one transaction does not carry all. */
const CHANGES_PER_STEP = 2000;

/**
 * Makes changes, and gives the store's revision after them: in one transaction, or with `inSteps`, where one does not
 * carry all, in several, each of which leaves a store that is whole. Ctrl-C while one is under way would leave its
 * outcome unknown: the first one waits for its end.
 */
export async function commitChanges(
  changes: readonly Change[],
  {
    store,
    operation,
    inSteps,
    onGivenUp,
  }: {
    readonly store: ResourceStore;
    readonly operation: Operation;
    readonly inSteps: boolean;
    /** Told when somebody does not wait for the end, so that the outcome stays unknown. */
    readonly onGivenUp: () => void;
  },
  { terminal, clock }: CommandContext,
): Promise<number> {
  let signals = 0;
  terminal.onStopSignal(() => {
    signals += 1;
    if (signals === 1) {
      terminal.err.write('The change is under way and takes a few seconds at most; Ctrl-C again leaves it unknown.\n');
    } else {
      terminal.err.write('Stopped before the end was known: the change may be in force.\n');
      onGivenUp();
      terminal.exit(exitCodes.unknown);
    }
  });
  const steps = inSteps && (await isTooMuch(changes)) ? [...chunksOf(changes, CHANGES_PER_STEP)] : [changes];
  if (steps.length > 1) {
    const all = `${count(changes.length, 'change')} are more than one transaction takes`;
    terminal.err.write(
      `${all}: they are made in ${count(steps.length, 'step')}. If this ends in between, run it again.\n`,
    );
  }
  using progress = startProgress('changed', terminal.err, clock);
  let revision = 0;
  let committed = 0;
  for (const step of steps) {
    if (committed > 0 && signals > 0) {
      throw new Interrupted(
        `stopped after ${String(committed)} of ${count(changes.length, 'change')}; run it again for the rest`,
      );
    }
    revision = await store.commit(step, operation);
    committed += step.length;
    if (steps.length > 1) progress.update(committed, changes.length);
  }
  return revision;
}

async function isTooMuch(changes: readonly Change[]): Promise<boolean> {
  if (changes.length <= CHANGES_PER_STEP) return false;
  const { MAX_CHANGES_PER_COMMIT } = await import('../../store/mongodb/resource-store.ts');
  return changes.length > MAX_CHANGES_PER_COMMIT;
}
