import { carryOutRun, type RunEnd } from '../../../resources/changes/rotation/carry-out-run.ts';
import { planRun, type RunPlan } from '../../../resources/changes/rotation/plan-run.ts';
import { isSettled, type RotationRecord } from '../../../resources/changes/rotation/rotation-record.ts';
import { isOutcomeUnknown } from '../../../resources/changes/store-fault.ts';
import { count, grouped } from '../../../base/text/printable.ts';
import type { CommandContext } from '../../command.ts';
import { reportFailure, UsageError } from '../../failure.ts';
import type { ChangeFlags } from '../../flags/options.ts';
import { confirm, requireAsk, startProgress, watchForStop } from '../../interaction.ts';
import type { OpenedStore } from '../../opened-store.ts';
import { waitWhereWished } from '../../store/wait-for-replicas.ts';
import { type ExitCode, exitCodes } from '../../terminal.ts';
import { readCandidates } from './read-candidates.ts';
import { printNotes, printPlan, printReport, type Report } from './render-run.ts';
import { readRun, RotationFile, withRunLock } from './rotation-file.ts';
import type { Run, RunWish } from './rotation-lines.ts';

/** What rotating many takes besides the flags of every change. */
export interface ManyFlags extends ChangeFlags {
  /** Where the new secrets are written. */
  readonly out?: string;
}

interface Running {
  readonly store: OpenedStore;
  readonly flags: ManyFlags;
  readonly context: CommandContext;
}

/**
 * Rotates the credentials of many consumers one after the other, after a plan that is agreed to. The file of `--out`
 * has every new secret before it can be in force, and what became of each credential: with the same flags, a run that
 * was interrupted goes on. Gives the exit code; rejects as the store does, with `NotFound`, `Conflict`,
 * `FileFault` and {@link UsageError}.
 */
export async function rotateMany(wish: RunWish, running: Running): Promise<ExitCode> {
  const { flags } = running;
  const { out, dryRun } = flags;
  if (out === undefined && dryRun !== true) {
    throw new UsageError('--out is missing: the file that the new secrets are written to');
  }
  if (out === undefined || dryRun === true) return await propose(wish, out ?? null, running);
  return await withRunLock(out, async () => await propose(wish, out, running));
}

/** Plans, or reads the plan that is carried on, shows it, asks, and carries it out. */
async function propose(wish: RunWish, out: string | null, running: Running): Promise<ExitCode> {
  const { store, flags, context } = running;
  const former = out === null ? null : await readRun(out, wish);
  const startedAt = context.clock.nowSeconds();
  const plan = former === null ? await makePlan(wish, running) : planOf(former);
  const run: Run = former ?? { wish, startedAt, records: plan.records };
  const due = run.records.filter((record) => !isSettled(record));
  const report = { file: out, startedAt: former?.startedAt ?? null, plan, isDryRun: flags.dryRun === true };
  const isAsked = due.length > 0 && flags.dryRun !== true && flags.yes !== true;
  if (isAsked) requireAsk(context.terminal);
  printNotes(plan, context);
  await printPlan({ ...report, due, wish }, store.usage, flags.output, context);
  if (out === null || due.length === 0 || flags.dryRun === true) {
    printReport({ ...report, records: run.records }, flags.output, context);
    return flags.dryRun === true ? codeOf(run.records) : await waitFor(run.records, running);
  }
  const consumers = new Set(due.map(({ consumerId }) => consumerId)).size;
  const question = `Rotate ${count(due.length, 'credential', grouped(due.length))} of ${count(consumers, 'consumer')}?`;
  if (isAsked && !(await confirm(question, context.terminal))) {
    context.terminal.err.write('Nothing was changed.\n');
    return exitCodes.failed;
  }
  return await carryOut(run, { out, isNew: former === null, report }, running);
}

async function makePlan(wish: RunWish, { store, context }: Running): Promise<RunPlan> {
  const nowSeconds = context.clock.nowSeconds();
  return planRun(await readCandidates(store.resources, wish, nowSeconds), wish, nowSeconds);
}

/** A run that is carried on does what was agreed to when it began. */
function planOf({ records }: Run): RunPlan {
  return { records, leftOut: [], unopened: [], endingSoon: [] };
}

interface Agreed {
  readonly out: string;
  readonly isNew: boolean;
  readonly report: Omit<Report, 'records'>;
}

async function carryOut(run: Run, { out, isNew, report }: Agreed, running: Running): Promise<ExitCode> {
  const { store, flags, context } = running;
  const { terminal, clock } = context;
  const isStopped = watchForStop(terminal, {
    first: 'Stopping after the credential under way, in a few seconds; Ctrl-C again leaves its outcome unknown.\n',
    second: `Stopped. Run the same command again: it finds out, and goes on with ${out}.\n`,
    exitCode: exitCodes.unknown,
  });
  await using file = await RotationFile.open(out, run, isNew);
  const end = await withProgress(run, file, context, async (keep) => {
    const operation = { actor: store.actor, action: 'credential rotate', reason: flags.reason };
    const ports = { store: store.resources, operation, clock, keep, isStopped, isOutcomeUnknown };
    return await carryOutRun(run.records, run.wish, ports);
  });
  await file.tidy();
  printReport({ ...report, records: file.records }, flags.output, context);
  if (end === 'done') return await waitFor(file.records, running);
  const done = file.records.filter(isSettled).length;
  const account = `${grouped(done)} of ${grouped(run.records.length)} credentials are done. Run the same command again: it goes on with ${out}.\n`;
  if (end === 'stopped') {
    terminal.err.write(`Stopped. ${account}`);
    return exitCodes.failed;
  }
  const code = reportFailure('postern credential rotate', end.error, terminal);
  terminal.err.write(account);
  return code;
}

/** Waits where that is wished; gives the code of the run, or of a wait in vain. */
async function waitFor(records: readonly RotationRecord[], { store, flags, context }: Running): Promise<ExitCode> {
  const waited = await waitWhereWished(null, store, flags, context);
  return waited === exitCodes.done ? codeOf(records) : waited;
}

/** Shows how far a run is while `work` keeps its records. */
async function withProgress(
  { records }: Run,
  file: RotationFile,
  { terminal, clock }: CommandContext,
  work: (keep: (record: RotationRecord) => Promise<void>) => Promise<RunEnd>,
): Promise<RunEnd> {
  using progress = startProgress('rotating', terminal.err, clock);
  let done = records.filter(isSettled).length;
  return await work(async (record) => {
    await file.keep(record);
    if (isSettled(record)) done += 1;
    progress.update(done, records.length);
  });
}

/** A credential that others changed so that it was not rotated is a conflict, also for the next look at the run. */
function codeOf(records: readonly RotationRecord[]): ExitCode {
  return records.some(({ outcome }) => outcome === 'left-out') ? exitCodes.conflict : exitCodes.done;
}
