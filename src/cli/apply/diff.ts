import type { Command } from 'commander';
import type { ApplyPlan } from '../../resources/changes/apply/apply-plan.ts';
import { addAction, addHelp, type CommandContext, readExits } from '../command.ts';
import { reportFailure } from '../failure.ts';
import { addStoreOptions, selectorOption, type OutputFormat, type StoreFlags } from '../flags/options.ts';
import { grouped } from '../../base/text/printable.ts';
import { openFor } from '../store/read-store.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { listRevived, planDocument, type PlanFlags, printChanges, printPlanData, tally } from './plan.ts';

/** Where there may be differences or none: as with `diff(1)`, 1 says only that there are some. */
const TROUBLE = exitCodes.usage;

/** Adds `postern diff`. */
export function registerDiff(program: Command, context: CommandContext): void {
  const command = program
    .command('diff')
    .description('Print what apply would change, and change nothing.')
    .requiredOption('-f, --file <file...>', 'files that together are one document')
    .option('--prune', 'also what apply --prune would delete')
    .addOption(selectorOption('as apply --selector: only what carries this label'));
  addStoreOptions(command);
  addHelp(command, {
    notes: `Secrets are compared and never printed: "appSecret: (changed)". A change that brings back what was disabled or revoked
is marked "revives": apply makes it only with --revive.`,
    examples: [
      'postern diff -f postern.yaml',
      'postern diff -f postern.yaml --prune -o json',
      'postern diff -f payments.yaml --selector team=payments --prune',
    ],
    exits: {
      ...readExits,
      done: 'no differences',
      failed: 'differences',
      usage: 'usage, problems of the files, or failed',
    },
  });
  addAction(command, context, async (flags: PlanFlags & StoreFlags) => {
    try {
      return await printDiff(flags, context);
    } catch (error) {
      const code = reportFailure('postern diff', error, context.terminal);
      return code === exitCodes.failed ? TROUBLE : code;
    }
  });
}

async function printDiff(flags: PlanFlags & StoreFlags, context: CommandContext): Promise<ExitCode> {
  await using store = await openFor(context, 'diff', flags, 'new');
  const plan = await planDocument(flags, store.resources, context);
  if (plan === null) return TROUBLE;
  printDifferences(plan, flags.output, context.terminal);
  return plan.changes.length === 0 ? exitCodes.done : exitCodes.failed;
}

function printDifferences(plan: ApplyPlan, format: OutputFormat, terminal: Terminal): void {
  const { out } = terminal;
  if (format !== 'table') {
    printPlanData(plan, true, {}, format, out);
    return;
  }
  printChanges(plan.changes, { maxShown: Infinity, generated: plan.generated }, terminal);
  const unchanged = `${grouped(plan.unchangedCount)} unchanged`;
  out.write(plan.changes.length === 0 ? `No differences (${unchanged}).\n` : `${tally(plan.changes)}, ${unchanged}\n`);
  const revived = listRevived(plan.changes);
  if (revived !== '') out.write(`This brings back what was stopped, for which apply needs --revive: ${revived}.\n`);
}
