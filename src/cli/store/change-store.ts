import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PlainProblem } from '../../document/read-plain.ts';
import { describeChange, type DescribedChange } from '../../manage/describe-change.ts';
import type { Change, Planned } from '../../manage/change.ts';
import { renderChange } from '../../manage/render-change.ts';
import { Conflict, Outdated } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command.ts';
import { FileStoreRefusal, isOutcomeUnknown, reportFailure, UsageError } from '../failure.ts';
import type { ChangeFlags } from '../flags/options.ts';
import { confirm } from '../interaction.ts';
import { formatData } from '../render/data.ts';
import { count } from '../../printable.ts';
import { paintFor } from '../render/text.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { commitChanges, waysToFindOut } from './commit-changes.ts';
import type { OpenedStore, SecretsNeeded } from './open-store.ts';
import { useStore } from './read-store.ts';

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
  /** Whether it is planned only once, because planned again it would undo what others did meanwhile. */
  readonly isOnce?: boolean;
  /**
   * What is printed once it was done: secrets, for example. Also when it may have been done, with what to do then, after
   * the sentences that say how to find out.
   */
  readonly outcome?: {
    readonly text: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly whenUnknown: string;
  };
}

/** More changes than these are only counted, in tables. */
const MAX_SHOWN_CHANGES = 20;

/** So often a change is planned again after others changed the same record. */
const MAX_PLANS = 20;
const MAX_PAUSE_MS = 30;

/**
 * Runs a command that changes the store: plans, prints what changes, asks where that is due, and makes all changes in one
 * transaction. When others change the same meanwhile, it plans again on what they left. `--dry-run` ends after the
 * printing. Finishes the command with its exit code. `command` names it in messages and in the audit trail. Without
 * `needsSecrets` no key ring is read: stored secrets stay as they are.
 */
export async function changeStore(
  context: CommandContext,
  command: string,
  flags: ChangeFlags,
  makePlan: (store: OpenedStore) => Promise<Plan>,
  needsSecrets: SecretsNeeded = false,
): Promise<void> {
  const code = await useStore(context, command, flags, needsSecrets, async (store) => {
    if (store.file !== null) throw new FileStoreRefusal(store.file);
    const running = { context, command, flags, store, report: reporterFor(flags, context.terminal) };
    let proposal = await propose(await makePlan(store), null, running);
    for (let plans = 1; ; plans += 1) {
      try {
        return typeof proposal === 'number' ? proposal : await carryOut(proposal, running);
      } catch (error) {
        if (!(error instanceof Outdated) || typeof proposal === 'number') throw error;
        if (proposal.plan.isOnce === true || plans === MAX_PLANS) throw error;
      }
      await delay(randomInt(MAX_PAUSE_MS * plans));
      proposal = await propose(await makePlan(store), proposal, running);
    }
  });
  context.finish(code);
}

interface Running {
  readonly context: CommandContext;
  readonly command: string;
  readonly flags: ChangeFlags;
  readonly store: OpenedStore;
  readonly report: Reporter;
}

/** A plan that was shown, and agreed to where that was due. */
interface Proposal {
  readonly plan: Plan;
  readonly described: readonly DescribedChange[];
  /** Those that change something. */
  readonly changes: readonly Change[];
}

/** Shows a plan and asks where that is due, unless a former one said the same. Gives an exit code where that is all. */
async function propose(plan: Plan, former: Proposal | null, running: Running): Promise<Proposal | ExitCode> {
  const { flags, report, context } = running;
  const { terminal } = context;
  const all = plan.changes.map(describeChange);
  const changes = plan.changes.filter((_, index) => isChange(all[index]));
  const described = all.filter(isChange);
  const isSame = former !== null && isDeepStrictEqual(described, former.described);
  const isAsked = changes.length > 0 && flags.dryRun !== true && flags.yes !== true;
  const question = isAsked && plan.question !== former?.plan.question ? plan.question : undefined;
  // Where nobody can be asked, this says so, before a change is printed that will not be made.
  if (question !== undefined && !canAsk(terminal)) await confirm(question, terminal);
  if (former === null) for (const note of plan.notes ?? []) terminal.err.write(`note: ${note}\n`);
  if (!isSame) {
    if (former !== null) terminal.err.write('note: others changed the same records; planned again on what they left\n');
    report.planned(described);
  }
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
  return { plan, described, changes };
}

async function carryOut({ plan, changes }: Proposal, running: Running): Promise<ExitCode> {
  const { context, command, store, report } = running;
  const { err } = context.terminal;
  const operation = { actor: store.actor, action: command };
  const work = { store: store.resources, operation, inSteps: plan.inSteps === true };
  const tellUnknown = (): void => {
    err.write(`${['Whether it was made:', ...waysToFindOut(changes)].join('\n')}\n`);
    if (plan.outcome !== undefined) err.write(`${plan.outcome.whenUnknown}\n`);
    report.unknown(plan.outcome);
  };
  try {
    const revision = await commitChanges(changes, { ...work, onGivenUp: tellUnknown }, context);
    report.finished(revision, plan.done, plan.outcome);
    return exitCodes.done;
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    const code = reportFailure(`postern ${command}`, error, context.terminal);
    tellUnknown();
    return code;
  }
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
  /** For what may have been made. */
  unknown(outcome: Plan['outcome']): void;
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
      unknown: (outcome) => {
        const data = { dryRun: false, outcome: 'unknown', revision: null, changes: told, ...outcome?.data };
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
    unknown: (outcome) => {
      out.write(`Not confirmed: it may be in force.\n${outcome === undefined ? '' : `\n${outcome.text}`}`);
    },
  };
}

/** The flag that sets what a path of the declared resource leads to, such as `--host` for `match.hosts[0]`; null for none. */
export type FlagOf = (path: string) => string | null;

/** The changes of a plan. Throws `UsageError`, which names every problem by its flag, or `Conflict`. */
export function changesOf(planned: Planned, flagOf: FlagOf): readonly Change[] {
  if ('changes' in planned) return planned.changes;
  if ('conflict' in planned) throw new Conflict(planned.conflict);
  const told = planned.problems.map((problem) => tell(problem, flagOf));
  throw new UsageError(
    told.length === 1 ? told.join() : `these flags are wrong:\n${told.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** A missing field is reported at the place that lacks it; the flag is found by the name in the message. */
function tell({ path, message }: PlainProblem, flagOf: FlagOf): string {
  const missing = /^"(\w+)" is missing/.exec(message)?.[1];
  const flag = flagOf(missing === undefined ? path : `${path === '' ? '' : `${path}.`}${missing}`);
  if (flag === null) return message;
  return missing === undefined ? `${flag}: ${message}` : `${flag} is missing`;
}
