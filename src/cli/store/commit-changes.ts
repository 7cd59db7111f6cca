import { commitInSteps, countSteps, type StepsOutcome } from '../../resources/changes/apply/commit-in-steps.ts';
import type { Change, Operation } from '../../resources/changes/change.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { isTooLarge } from '../../resources/changes/store-fault.ts';
import { replaceInvisible } from '../../model/document/source-text.ts';
import { isGroupGrant } from '../../model/grant.ts';
import { describeGrant, parseGrantId } from '../../resources/grant.ts';
import { quote } from '../../check/signing/curl-command.ts';
import type { CommandContext } from '../command.ts';
import { startProgress, watchForStop } from '../interaction.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { exitCodes } from '../terminal.ts';

/** The work was interrupted between steps; those before it stand. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Each step takes about a second, so that progress shows and a stop does not wait long. */
const CHANGES_PER_STEP = 5000;

interface CommitWork {
  readonly store: ResourceStore;
  readonly operation: Operation;
  /** Is shown with the progress. */
  readonly label: string;
  /** How many changes of the same work were made before these. */
  readonly doneBefore?: number;
  readonly isStopped: () => boolean;
  readonly onCommitted: (changes: readonly Change[], revision: number) => void | Promise<void>;
}

/** Makes changes in one transaction, or in several where one does not carry all, and shows how far it is. */
export async function commitWithProgress(
  changes: readonly Change[],
  { store, operation, label, doneBefore = 0, isStopped, onCommitted }: CommitWork,
  { terminal: { err }, clock }: Pick<CommandContext, 'terminal' | 'clock'>,
): Promise<StepsOutcome> {
  const { maxChangesPerCommit: maxAtOnce } = store;
  const sizes = { maxAtOnce, perStep: Math.min(CHANGES_PER_STEP, maxAtOnce) };
  const steps = countSteps(changes, sizes);
  if (steps > 1) {
    const all = `${grouped(changes.length)} changes are more than one transaction takes (${grouped(sizes.maxAtOnce)})`;
    err.write(`${all}: they are made in ${grouped(steps)} steps. ${RUN_AGAIN}`);
  }
  using progress = startProgress(label, err, clock);
  const total = doneBefore + changes.length;
  let done = doneBefore;
  progress.update(done, total);
  return await commitInSteps(changes, store, operation, sizes, {
    isStopped,
    isTooLarge,
    onDivided: (perStep) => {
      const each = `they are made in steps of ${grouped(perStep)}`;
      err.write(`They are too large for one transaction of this server: ${each}. ${RUN_AGAIN}`);
    },
    onCommitted: async (step, revision) => {
      await onCommitted(step, revision);
      done += step.length;
      progress.update(done, total);
    },
  });
}

const RUN_AGAIN = 'If this ends in between, run the same command again: it does what is left.\n';

/**
 * Makes changes, and gives the store's revision after them: in one transaction, or with `inSteps` in several where one
 * does not carry all, each of which leaves a store that is whole. Ctrl-C while one is under way would leave its outcome
 * unknown: the first one waits for its end.
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
    /** Called when an operator does not wait for the end, so that the outcome stays unknown. */
    readonly onGivenUp: () => void;
  },
  context: CommandContext,
): Promise<number> {
  let isOver = false;
  const isStopped = watchForStop(context.terminal, {
    isOver: () => isOver,
    first: 'The change is under way and takes a few seconds at most; Ctrl-C again leaves it unknown.\n',
    second: 'Stopped before the end was known: the change may be in force.\n',
    exitCode: exitCodes.unknown,
    onSecond: onGivenUp,
  });
  try {
    if (!inSteps) return await store.commit(changes, operation);
    let revision = 0;
    const onCommitted = (_changes: readonly Change[], latest: number): void => {
      revision = latest;
    };
    const work = { store, operation, label: 'changed', isStopped, onCommitted };
    const { end, committed } = await commitWithProgress(changes, work, context);
    if (end === 'done') return revision;
    if (end !== 'stopped') throw end.error;
    const made = `${grouped(committed)} of ${grouped(changes.length)} changes`;
    throw new Interrupted(`stopped after ${made}; run it again for the rest`);
  } finally {
    isOver = true;
  }
}

/** More records than these are not named one by one. */
const MAX_NAMED = 10;

/**
 * How to find out whether changes were made whose outcome is unknown: for each record the command that shows it, and
 * what that shows when they were. A line each.
 */
export function waysToFindOut(changes: readonly Change[]): readonly string[] {
  const lines = changes.slice(0, MAX_NAMED).map((change) => {
    const seen =
      change.after === null ? 'no longer finds it' : change.before === null ? 'finds it' : revisionOf(change);
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
  const target = kind === 'grant' ? parseGrantId(id) : null;
  return target === null ? `${kind} ${id}` : replaceInvisible(describeGrant(target));
}

/** The command that shows the resource of a change. */
function showCommand({ kind, id }: Pick<Change, 'kind' | 'id'>): string {
  if (kind !== 'grant') return `postern ${kind} show ${id}`;
  const target = parseGrantId(id);
  const holder =
    target === null || !isGroupGrant(target)
      ? [`--consumer ${target?.consumerId ?? ''}`]
      : Object.entries(target.consumerSelector).map(([name, value]) => `--label ${quote(`${name}=${value}`)}`);
  return replaceInvisible(`postern grant list --endpoint ${target?.endpointId ?? ''} ${holder.join(' ')} -o json`);
}
