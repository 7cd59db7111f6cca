import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { type DescribedChange, takeReal } from '../../resources/changes/describe-change.ts';
import type { Change } from '../../resources/changes/change.ts';
import { findChangeWarnings } from '../../resources/changes/change-warnings.ts';
import { renderChange } from '../../resources/changes/render-change.ts';
import { Outdated } from '../../resources/changes/resource-store.ts';
import { isOutcomeUnknown } from '../../resources/changes/store-fault.ts';
import { addAction, addHelp, changeExits, type CommandContext, type Help, nameOf } from '../command.ts';
import { FileStoreRefusal, reportFailure, writeSafely } from '../failure.ts';
import {
  addChangeOptions,
  addNewRingOption,
  addYesOption,
  type ChangeFlags,
  type NewRingFlag,
  secretsForSealing,
} from '../flags/options.ts';
import { confirm, requireAsk } from '../interaction.ts';
import { renderResult } from '../render/data.ts';
import { withoutGenerated } from '../render/generated.ts';
import { count } from '../../base/text/printable.ts';
import { noteOnLimits } from '../render/lasting-limits.ts';
import { paintFor } from '../render/text.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { commitChanges, waysToFindOut } from './commit-changes.ts';
import type { OpenedStore } from '../opened-store.ts';
import { isStoreUnnamed } from './open-store.ts';
import { openFor } from './read-store.ts';
import { waitWhereWished } from './wait-for-replicas.ts';

/** What a command is about to do. */
export interface Plan {
  readonly changes: readonly Change[];
  /** What is asked before; for what cannot be undone. */
  readonly question?: string;
  /** What was done, in a sentence. */
  readonly done: string;
  /** What holds already, in a sentence, when nothing has to change. */
  readonly already?: string;
  /** What else to know, each a sentence. Goes to the error stream. */
  readonly notes?: readonly string[];
  /** Where one transaction does not carry all changes, they may be made one after the other, in their order. */
  readonly inSteps?: boolean;
  /** Whether it is planned only once, because planned again it would undo what others did. */
  readonly isOnce?: boolean;
  /** What is done once the changes are made, and gives the exit code. */
  readonly afterwards?: () => Promise<ExitCode>;
  /**
   * What is printed once it was done: secrets, for example. Also when it may have been done, with what to do then,
   * after the sentences that say how to find out.
   */
  readonly outcome?: {
    readonly text: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly whenUnknown: string;
  };
}

/** What differs between commands that change the store. `F` are the flags of its own, `A` its operands. */
export interface ChangeAction<F, A extends readonly unknown[]> extends Help {
  /** Whether it asks first, and so has `--yes`. */
  readonly isAsking?: boolean;
  /** Whether it seals new secrets, and so has `--new-key-ring`. Otherwise it reads no key ring: stored secrets stay. */
  readonly isSealing?: boolean;
  readonly plan: (store: OpenedStore, flags: F & ChangeFlags, ...operands: A) => Promise<Plan>;
  /** Does what no single transaction can, for the flags and operands that ask for it; null for all others. */
  readonly inManySteps?: (store: OpenedStore, flags: F & ChangeFlags, ...operands: A) => Promise<ExitCode> | null;
}

/** More changes than these are only counted, in tables. */
const MAX_SHOWN_CHANGES = 20;

/** So often a change is planned again after others changed the same record. */
export const MAX_PLANS = 20;
const MAX_PAUSE_MS = 30;

/**
 * Makes a command change the store: adds its flags, its help and its action. The action plans, prints what changes,
 * asks where that is due, and makes all changes in one transaction. When others change the same records, it plans again
 * on what they left. `--dry-run` ends after the printing.
 */
export function addChangeAction<F, A extends readonly unknown[]>(
  command: Command,
  context: CommandContext,
  { plan, inManySteps = () => null, isAsking = false, isSealing = false, ...help }: ChangeAction<F, A>,
): void {
  if (isAsking) addYesOption(command);
  addChangeOptions(command);
  if (isSealing) addNewRingOption(command);
  const asking = isAsking ? { failed: 'failed or not confirmed' } : {};
  addHelp(command, { ...help, exits: { ...changeExits, ...asking, ...help.exits } });
  addAction(command, context, async () => {
    const flags: F & ChangeFlags & NewRingFlag = command.opts();
    const name = nameOf(command);
    await using store = await openForChange(context, name, flags, isSealing);
    const operands = command.processedArgs as unknown as A;
    const work = inManySteps(store, flags, ...operands);
    if (work !== null) return await work;
    const makePlan = async (): Promise<Plan> => await plan(store, flags, ...operands);
    return await changeStore(makePlan, { context, command: name, flags, store });
  });
}

/**
 * Opens the store for a command that changes it, which `await using` closes. `isSealing`: it seals new secrets, and so
 * needs a key ring. Rejects as `openFor` does, and with `FileStoreRefusal` where the store is a file.
 */
export async function openForChange(
  context: CommandContext,
  command: string,
  flags: ChangeFlags & NewRingFlag,
  isSealing: boolean,
): Promise<OpenedStore> {
  const store = await openFor(context, command, flags, isSealing && secretsForSealing(flags));
  if (store.file === null) return store;
  await store[Symbol.asyncDispose]();
  throw new FileStoreRefusal(store.file, isStoreUnnamed(flags.store, context.terminal.environment));
}

interface Running {
  readonly context: CommandContext;
  readonly command: string;
  readonly flags: ChangeFlags;
  readonly store: OpenedStore;
}

async function changeStore(makePlan: () => Promise<Plan>, running: Running): Promise<ExitCode> {
  let former: Proposal | null = null;
  for (let plans = 1; ; plans += 1) {
    const proposal: Proposal | ExitCode = await propose(await makePlan(), former, running);
    if (typeof proposal === 'number') return proposal;
    try {
      return await carryOut(proposal, running);
    } catch (error) {
      if (!(error instanceof Outdated) || proposal.plan.isOnce === true || plans === MAX_PLANS) throw error;
    }
    former = proposal;
    await delay(randomInt(MAX_PAUSE_MS * plans));
  }
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
  const { flags, context, store } = running;
  const { err } = context.terminal;
  const real = takeReal(plan.changes);
  const changes = real.map(({ change }) => change);
  // What is generated for a change that is not made never exists.
  const isOnlyShown = flags.dryRun === true && plan.outcome !== undefined;
  const described = real.map((each) => (isOnlyShown ? withoutGenerated(each.described) : each.described));
  const isAsked = changes.length > 0 && flags.dryRun !== true && flags.yes !== true;
  const question = isAsked && plan.question !== former?.plan.question ? plan.question : undefined;
  if (question !== undefined) requireAsk(context.terminal);
  if (former === null) {
    const onLimits = noteOnLimits(changes, context.terminal.environment);
    const notes = [...(plan.notes ?? []), ...(onLimits === null ? [] : [onLimits])];
    for (const note of notes) err.write(`note: ${note}\n`);
    const ground = { endpoints: [], nowSeconds: context.clock.nowSeconds() };
    for (const warning of findChangeWarnings(changes, ground)) writeSafely(err, `warning: ${warning}\n`);
  }
  if (former !== null && !isDeepStrictEqual(described, former.described))
    err.write('note: others changed the same records; planned again on what they left\n');
  if (!isDeepStrictEqual(described, former?.described)) printChanges(described, running);
  if (changes.length === 0 || flags.dryRun === true) {
    const nothing = plan.already ?? 'Nothing to change.';
    const sentence = changes.length === 0 ? nothing : 'Nothing was changed (--dry-run).';
    printEnd({ sentence, revision: null }, described, running);
    return flags.dryRun === true ? exitCodes.done : await waitWhereWished(null, store, flags, context);
  }
  if (question !== undefined && !(await confirm(question, context.terminal))) {
    err.write('Nothing was changed.\n');
    return exitCodes.failed;
  }
  return { plan, described, changes };
}

async function carryOut({ plan, described, changes }: Proposal, running: Running): Promise<ExitCode> {
  const { context, command, flags, store } = running;
  const { outcome, inSteps = false } = plan;
  const operation = { actor: store.actor, action: command, reason: flags.reason };
  const onGivenUp = (): void => {
    const { err } = context.terminal;
    err.write(`${['Whether it was made:', ...waysToFindOut(changes)].join('\n')}\n`);
    if (outcome !== undefined) err.write(`${outcome.whenUnknown}\n`);
    const unknown = { sentence: 'Not confirmed: it may be in force.', isUnknown: true, revision: null, outcome };
    printEnd(unknown, described, running);
  };
  let revision: number;
  try {
    revision = await commitChanges(changes, { store: store.resources, operation, inSteps, onGivenUp }, context);
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    const code = reportFailure(`postern ${command}`, error, context.terminal);
    onGivenUp();
    return code;
  }
  // Before the wait: what is printed once must not be lost with it.
  printEnd({ sentence: plan.done, revision, outcome }, described, running);
  const code = (await plan.afterwards?.()) ?? exitCodes.done;
  const waited = await waitWhereWished(revision, store, flags, context);
  return code === exitCodes.done ? waited : code;
}

/** For people, before they are made; programs get them at the end. */
function printChanges(changes: readonly DescribedChange[], { flags, context: { terminal } }: Running): void {
  if (flags.output !== 'table') return;
  const paint = paintFor(terminal);
  for (const change of changes.slice(0, MAX_SHOWN_CHANGES)) {
    terminal.out.write(`${renderChange(change, paint).join('\n')}\n`);
  }
  const more = changes.length - MAX_SHOWN_CHANGES;
  if (more > 0) terminal.out.write(`… and ${count(more, 'more change')}\n`);
}

interface End {
  readonly sentence: string;
  readonly revision: number | null;
  /** Whether the changes may be in force, or not. */
  readonly isUnknown?: boolean;
  readonly outcome?: Plan['outcome'] | undefined;
}

function printEnd(
  { sentence, revision, isUnknown = false, outcome }: End,
  changes: readonly DescribedChange[],
  { flags: { output, dryRun }, context: { terminal } }: Running,
): void {
  const unknown = isUnknown ? { outcome: 'unknown' } : {};
  const data = { dryRun: dryRun === true, ...unknown, revision, changes, ...outcome?.data };
  const text = `${sentence}\n${outcome === undefined ? '' : `\n${outcome.text}`}`;
  terminal.out.write(renderResult(output, data, text));
}
