import type { Change } from '../../manage/change.ts';
import { describeChange, type DescribedChange } from '../../manage/describe-change.ts';
import { renderChange } from '../../manage/render-change.ts';
import type { CommandContext } from '../command-context.ts';
import { confirm } from '../confirm.ts';
import type { ChangeFlags } from '../flags/store-options.ts';
import { formatData } from '../output-format.ts';
import { count } from '../render/format-time.ts';
import { paintFor } from '../render/paint-for.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { commitChanges } from './commit-changes.ts';
import type { OpenedStore } from './open-store.ts';
import { FileStoreRefusal } from './file-store-refusal.ts';
import { useStore } from './use-store.ts';

/** What a command is about to do. */
export interface Plan {
  readonly changes: readonly Change[];
  /** What is asked before; for what cannot be undone. */
  readonly question?: string;
  /** What was done, in a sentence. */
  readonly done: string;
  /** What holds already, in a sentence, when nothing has to change. */
  readonly already?: string;
  /** What to know beside it, each a sentence. Goes to the error stream. */
  readonly notes?: readonly string[];
  /** Where one transaction does not carry all changes, they may be made one after the other, in their order. */
  readonly inSteps?: boolean;
  /** What is printed once it was done, and only then: secrets, for example. */
  readonly outcome?: { readonly text: string; readonly data: Readonly<Record<string, unknown>> };
}

/** More changes than these are told by their number, in tables. */
const MAX_SHOWN_CHANGES = 20;

/**
 * Runs a command that changes the store: plans, prints what changes, asks where that is due, and makes all changes in one
 * transaction. `--dry-run` ends after the printing. `command` names it in messages and in the audit trail.
 */
export async function changeStore(
  context: CommandContext,
  command: string,
  flags: ChangeFlags,
  makePlan: (store: OpenedStore) => Promise<Plan>,
): Promise<ExitCode> {
  return await useStore(context, { command, store: flags.store, needsSecrets: true }, async (store) => {
    if (store.file !== null) throw new FileStoreRefusal(store.file);
    const plan = await makePlan(store);
    return await carryOut(plan, { context, command, flags, store });
  });
}

interface Running {
  readonly context: CommandContext;
  readonly command: string;
  readonly flags: ChangeFlags;
  readonly store: OpenedStore;
}

async function carryOut(plan: Plan, { context, command, flags, store }: Running): Promise<ExitCode> {
  const { terminal } = context;
  const described = plan.changes.map(describeChange);
  const changes = plan.changes.filter((_, index) => isChange(described[index]));
  const report = reporterFor(flags, terminal);
  const question = changes.length === 0 || flags.dryRun === true || flags.yes === true ? undefined : plan.question;
  // Where nobody can be asked, this says so, before a change is printed that will not be made.
  if (question !== undefined && !canAsk(terminal)) await confirm(question, terminal);
  for (const note of plan.notes ?? []) terminal.err.write(`note: ${note}\n`);
  report.planned(described.filter(isChange));
  if (changes.length === 0) {
    report.finished(null, plan.already ?? 'Nothing to change: all is as wished.');
    return exitCodes.done;
  }
  if (flags.dryRun === true) {
    report.finished(null, 'Nothing was changed (--dry-run).');
    return exitCodes.done;
  }
  if (question !== undefined && !(await confirm(question, terminal))) {
    terminal.err.write('Nothing was changed.\n');
    return exitCodes.failed;
  }
  const operation = { actor: store.actor, action: command };
  const work = { store: store.resources, operation, inSteps: plan.inSteps === true };
  const revision = await commitChanges(changes, work, context);
  report.finished(revision, plan.done, plan.outcome);
  return exitCodes.done;
}

function canAsk({ ask }: CommandContext['terminal']): boolean {
  return ask !== undefined && ask !== null;
}

function isChange(change: DescribedChange | undefined): boolean {
  return change !== undefined && (change.action !== 'change' || change.fields.length > 0);
}

interface Reporter {
  planned(changes: readonly DescribedChange[]): void;
  finished(revision: number | null, sentence: string, outcome?: Plan['outcome']): void;
}

function reporterFor(flags: ChangeFlags, { out, environment }: CommandContext['terminal']): Reporter {
  const { output } = flags;
  if (output !== 'table') {
    let told: readonly DescribedChange[] = [];
    return {
      planned: (changes) => {
        told = changes;
      },
      finished: (revision, _sentence, outcome) => {
        const data = { dryRun: flags.dryRun === true, revision, changes: told, ...outcome?.data };
        out.write(formatData(data, output));
      },
    };
  }
  const paint = paintFor(out, environment);
  return {
    planned: (changes) => {
      for (const change of changes.slice(0, MAX_SHOWN_CHANGES)) {
        out.write(`${renderChange(change, paint).join('\n')}\n`);
      }
      const more = changes.length - MAX_SHOWN_CHANGES;
      if (more > 0) out.write(`… and ${count(more, 'more change')}\n`);
    },
    finished: (_revision, sentence, outcome) => {
      out.write(`${sentence}\n${outcome === undefined ? '' : `\n${outcome.text}`}`);
    },
  };
}
