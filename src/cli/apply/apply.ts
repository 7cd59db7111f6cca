import type { Command } from 'commander';
import { findNotAgreed } from '../../resources/changes/apply/keep-stopped.ts';
import type { StepsOutcome } from '../../resources/changes/apply/commit-in-steps.ts';
import type { ApplyPlan, GeneratedCredential } from '../../resources/changes/apply/apply-plan.ts';
import type { Change } from '../../resources/changes/change.ts';
import { Conflict, Outdated } from '../../resources/changes/resource-store.ts';
import { MAX_CHANGES_PER_COMMIT } from '../../model/bounds.ts';
import { describeLabels } from '../../model/labels.ts';
import { addAction, addHelp, changeExits, type CommandContext } from '../command.ts';
import { reportFailure, writeSafely } from '../failure.ts';
import {
  addChangeOptions,
  addNewRingOption,
  addYesOption,
  type ChangeFlags,
  type NewRingFlag,
  selectorOption,
} from '../flags/options.ts';
import { confirm, requireAsk, watchForStop } from '../interaction.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { noteOnLimits } from '../render/lasting-limits.ts';
import { MAX_PLANS, openForChange } from '../store/change-store.ts';
import { commitWithProgress } from '../store/commit-changes.ts';
import type { OpenedStore } from '../opened-store.ts';
import { waitWhereWished } from '../store/wait-for-replicas.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { type GeneratedFile, openGeneratedFile } from './generated-file.ts';
import {
  declareGenerated,
  listRevived,
  planDocument,
  type PlanFlags,
  printChanges,
  printGenerated,
  printPlanData,
  tally,
  tallyDeleted,
} from './plan.ts';

/** Adds `postern apply`. */
export function registerApply(program: Command, context: CommandContext): void {
  const command = program
    .command('apply')
    .description('Make the store match declarative files.')
    .requiredOption('-f, --file <file...>', 'files that together are one document')
    .option('--prune', 'delete what the files do not name; asks, or needs --yes')
    .addOption(selectorOption('change and delete only what carries this label'))
    .option('--out <file>', 'write what is generated into this new file, for its owner only, instead of printing it')
    .option('--revive', 'also bring back what was disabled, revoked or is retiring, where the files say so');
  addYesOption(addChangeOptions(addNewRingOption(command)));
  addHelp(command, {
    notes: `What the files do not name stays as it is, unless --prune is given. Secrets that the files leave out are kept as stored;
a new credential without appKey gets a generated pair, which is printed once, or written by --out. What a command disabled or revoked stays
so if the files leave out "enabled" and "state"; if they say the opposite, nothing is changed without --revive (--yes
is not enough). Applying twice changes nothing. Up to ${grouped(MAX_CHANGES_PER_COMMIT)} changes are one transaction. More are made in steps; after
an interruption, run the command again for the rest.

With --selector, or the key "selector" in the files, the files may only hold endpoints and consumers with these labels,
credentials of these consumers, grants on these endpoints, issuers with these labels, and plans both of whose selectors name them. Nothing
else is changed, and --prune deletes nothing else.`,
    examples: [
      'postern apply -f postern.yaml --dry-run',
      'postern apply -f endpoints.yaml -f consumers.yaml',
      'postern apply -f postern.yaml --prune',
      'postern apply -f payments.yaml --selector team=payments --prune',
      'postern apply -f postern.yaml --out generated.yaml',
      'postern apply -f postern.yaml --revive',
    ],
    exits: {
      ...changeExits,
      failed: 'problems of the files, or stopped',
      conflict: 'others changed the store, an App Key is taken, or --revive is needed',
    },
  });
  addAction(command, context, async (flags: ApplyFlags) => {
    const generatedFile = flags.out === undefined ? null : await openGeneratedFile(flags.out);
    await using store = await openForChange(context, 'apply', flags, true);
    const plan = await planDocument(flags, store.resources, context);
    if (plan === null) return exitCodes.failed;
    const note = noteOnLimits(plan.changes, context.terminal.environment);
    if (note !== null) context.terminal.err.write(`note: ${note}\n`);
    return await carryOut(plan, { flags, context, store, generatedFile });
  });
}

type ApplyFlags = PlanFlags & ChangeFlags & NewRingFlag & { readonly revive?: true; readonly out?: string };

/** Changes that are printed one by one before they are made. */
const MAX_SHOWN_CHANGES = 100;

interface Running {
  readonly flags: ApplyFlags;
  readonly context: CommandContext;
  readonly store: OpenedStore;
  /** Null where what is generated is printed. */
  readonly generatedFile: GeneratedFile | null;
}

async function carryOut(plan: ApplyPlan, running: Running): Promise<ExitCode> {
  const { flags, context } = running;
  const { terminal } = context;
  const revived = flags.revive === true ? '' : listRevived(plan.changes);
  const deleted = tallyDeleted(plan.changes);
  const mustAsk = deleted !== '' && revived === '' && flags.yes !== true && flags.dryRun !== true;
  if (mustAsk) requireAsk(terminal);
  const isOnlyShown = flags.dryRun === true || revived !== '';
  const shown = { maxShown: MAX_SHOWN_CHANGES, generated: isOnlyShown ? plan.generated : null };
  if (flags.output === 'table') printChanges(plan.changes, shown, terminal);
  if (revived !== '') {
    // A dry run ends the same way: it shows what the command would do.
    if (flags.output !== 'table') await report(plan, [], false, running);
    terminal.err.write(
      `postern apply: this would bring back what was stopped: ${revived}. Nothing was changed.
To keep it stopped, leave "enabled" or "state" out of the file, or write there what holds. To bring it back, add --revive.
`,
    );
    return exitCodes.conflict;
  }
  if (plan.changes.length === 0 || flags.dryRun === true) {
    await report(plan, [], true, running);
    return flags.dryRun === true ? exitCodes.done : await waitWhereWished(null, running.store, flags, context);
  }
  if (mustAsk && !(await confirm(`Delete what the files do not name${ownedBy(plan)} (${deleted})?`, terminal))) {
    terminal.err.write('Nothing was changed.\n');
    return exitCodes.failed;
  }
  const { end, done, committed, revision } = await commitAgreed(plan, running);
  await report(done, committed, end === 'done', running, revision);
  if (end !== 'done') return reportEnd(end, committed.length, done.changes.length, terminal);
  return await waitWhereWished(revision, running.store, flags, context);
}

/** Whose resources are deleted, in a question. */
function ownedBy({ selector }: ApplyPlan): string {
  return selector === undefined ? '' : ` of ${describeLabels(selector)}`;
}

interface Agreed {
  readonly end: StepsOutcome['end'];
  readonly done: ApplyPlan;
  readonly committed: readonly Change[];
  /** Of the last commit; null when there was none. */
  readonly revision: number | null;
}

/**
 * Makes the changes of a plan. When others change one of the same resources, such as by an emergency stop, the rest is
 * planned again on what they left, as long as that is no more than was agreed to.
 */
async function commitAgreed(plan: ApplyPlan, running: Running): Promise<Agreed> {
  const { flags, store, context, generatedFile } = running;
  // Ctrl-C while a transaction is under way would leave its outcome unknown: the first one waits for its end.
  let isOver = false;
  const isStopped = watchForStop(context.terminal, {
    isOver: () => isOver,
    first: 'Stopping after the step under way, in a few seconds; Ctrl-C again leaves it unknown.\n',
    second: 'Stopped: "postern diff" with the same files shows what is not done yet.\n',
    exitCode: exitCodes.unknown,
  });
  const operation = { actor: store.actor, action: 'apply', reason: flags.reason, selector: plan.selector };
  const committed: Change[] = [];
  let revision: number | null = null;
  let done = plan;
  const onCommitted = async (step: readonly Change[], latest: number): Promise<void> => {
    revision = latest;
    for (const change of step) committed.push(change);
    await generatedFile?.keep(generatedOf(committed, done));
  };
  let rest = plan.changes;
  for (let plans = 1; ; plans += 1) {
    const work = { store: store.resources, operation, label: 'applying', doneBefore: committed.length };
    const { end } = await commitWithProgress(rest, { ...work, isStopped, onCommitted }, context);
    if (typeof end === 'string' || !(end.error instanceof Outdated) || plans === MAX_PLANS || isStopped()) {
      isOver = true;
      return { end, done, committed, revision };
    }
    const next = await planDocument(flags, store.resources, context, { again: true });
    if (next === null || findNotAgreed(rest, next.changes) !== null) {
      return { end, done, committed, revision };
    }
    rest = next.changes;
    const generated = new Map([...done.generated, ...next.generated]);
    done = { ...plan, changes: [...committed, ...rest], generated };
  }
}

async function report(
  plan: ApplyPlan,
  committed: readonly Change[],
  isDone: boolean,
  { flags, store, context, generatedFile }: Running,
  revision: number | null = null,
): Promise<void> {
  const { out } = context.terminal;
  const dryRun = flags.dryRun === true;
  const made = generatedOf(committed, plan);
  const isWritten = await writeGenerated(made, generatedFile, context.terminal);
  const generated = isWritten ? [] : made;
  if (flags.output !== 'table') {
    const rest = { dryRun, committed: committed.length, revision, generated: declareGenerated(generated) };
    printPlanData(plan, dryRun || (!isDone && committed.length === 0), rest, flags.output, out);
    return;
  }
  const unchanged = `${grouped(plan.unchangedCount)} unchanged`;
  if (plan.changes.length === 0) out.write(`Nothing to change: the store matches the files (${unchanged}).\n`);
  else if (isDone)
    out.write(`${tally(plan.changes)}, ${unchanged}\n${dryRun ? 'Nothing was changed (--dry-run).\n' : ''}`);
  printGenerated(generated, store, context.terminal);
}

/** What was generated for changes that are made. */
function generatedOf(committed: readonly Change[], { generated }: ApplyPlan): readonly GeneratedCredential[] {
  return committed.flatMap(({ kind, id }) => (kind === 'credential' ? (generated.get(id) ?? []) : []));
}

/** Whether generated pairs are in the file. What cannot be written is printed: it is nowhere else. */
async function writeGenerated(
  generated: readonly GeneratedCredential[],
  file: GeneratedFile | null,
  { err }: Terminal,
): Promise<boolean> {
  if (file === null || generated.length === 0) return false;
  try {
    await file.write(generated);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    writeSafely(err, `postern apply: ${error.message}; what was generated is printed instead\n`);
    return false;
  }
  writeSafely(err, `Generated, and written to ${file.path} only: ${count(generated.length, 'credential')}.\n`);
  return true;
}

function reportEnd(
  end: Exclude<StepsOutcome['end'], 'done'>,
  committed: number,
  total: number,
  terminal: Terminal,
): ExitCode {
  const made = `${grouped(committed)} of ${grouped(total)} changes are made`;
  const account = committed === 0 ? '' : `${made}. Run the same command again: it does what is left.\n`;
  if (end === 'stopped') {
    terminal.err.write(`Stopped. ${account}`);
    return exitCodes.failed;
  }
  const code = reportFailure('postern apply', end.error, terminal);
  terminal.err.write(account);
  if (end.error instanceof Conflict && committed === 0) {
    terminal.err.write('If others changed the store, run the same command again: it compares with what they left.\n');
  }
  return code;
}
