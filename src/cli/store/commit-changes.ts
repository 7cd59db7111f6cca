import { chunksOf, type ResourceStore } from '../../manage/resource-store.ts';
import type { Change, Operation } from '../../manage/change.ts';
import type { CommandContext } from '../command.ts';
import { startProgress, watchForStop } from '../interaction.ts';
import { count } from '../render/text.ts';
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
  const isStopped = watchForStop(terminal, {
    first: 'The change is under way and takes a few seconds at most; Ctrl-C again leaves it unknown.\n',
    second: 'Stopped before the end was known: the change may be in force.\n',
    exitCode: exitCodes.unknown,
    onSecond: onGivenUp,
  });
  const steps =
    inSteps && changes.length > store.maxChangesPerCommit ? [...chunksOf(changes, CHANGES_PER_STEP)] : [changes];
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
    if (committed > 0 && isStopped()) {
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

/** More records than these are not named one by one. */
const MAX_NAMED = 10;

/**
 * How to find out whether changes were made whose outcome no server told: for each record the command that shows it, and
 * what that shows when they were. A line each.
 */
export function waysToFindOut(changes: readonly Change[]): readonly string[] {
  const lines = changes.slice(0, MAX_NAMED).map((change) => {
    const seen = change.after === null ? 'finds it no more' : change.before === null ? 'finds it' : revisionOf(change);
    return `  ${nameOf(change)}: it was, when "${showCommand(change)}" ${seen}`;
  });
  const more = changes.length - MAX_NAMED;
  const rest = more > 0 ? [`  … and ${count(more, 'more record')}, which changed with these or not at all`] : [];
  return [...lines, ...rest];
}

function revisionOf({ before }: Change): string {
  return `shows revision ${String((before?.revision ?? 0) + 1)}`;
}

function nameOf({ kind, id }: Change): string {
  return kind === 'grant' ? `grant of ${id.replace(/^(.*)\/(.*)$/, '$2 on $1')}` : `${kind} ${id}`;
}

/** The command that shows the resource of a change. */
function showCommand({ kind, id }: Pick<Change, 'kind' | 'id'>): string {
  if (kind !== 'grant') return `postern ${kind} show ${id}`;
  const [endpoint = '', consumer = ''] = id.split('/');
  return `postern grant list --endpoint ${endpoint} --consumer ${consumer} -o json`;
}
