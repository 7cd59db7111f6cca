import type { Command } from 'commander';
import { type CommandContext, helpText, readExits } from '../command.ts';
import { addStoreOptions, type StoreFlags } from '../flags/options.ts';
import { paintFor, grouped } from '../render/text.ts';
import { useStore } from '../store/read-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { listRevived, planDocument, type PlanFlags, printChanges, printPlanData, tally } from './plan.ts';

/** Adds `postern diff`. */
export function registerDiff(program: Command, context: CommandContext): void {
  const command = program
    .command('diff')
    .description('Print what apply would change, and change nothing.')
    .requiredOption('-f, --file <file...>', 'files that together are one document')
    .option('--prune', 'also what apply --prune would delete');
  addStoreOptions(command)
    .addHelpText(
      'after',
      helpText({
        notes: `Secrets are compared and never printed: "appSecret: (changed)". A change that brings back what was disabled or revoked is
marked "revives": apply makes it only with --revive.`,
        examples: ['postern diff -f postern.yaml', 'postern diff -f postern.yaml --prune -o json'],
        exits: { ...readExits, done: 'no differences', failed: 'differences, or problems of the files' },
      }),
    )
    .action(async (flags: DiffFlags) => {
      context.finish(await diffDocument(flags, context));
    });
}

/** The flags of `postern diff`. */
type DiffFlags = PlanFlags & StoreFlags;

/** Prints what `apply` would change. Gives 0 when that is nothing, 1 for differences and for problems of the files. */
async function diffDocument(flags: DiffFlags, context: CommandContext): Promise<ExitCode> {
  return await useStore(context, 'diff', flags, 'new', async (store) => {
    const plan = await planDocument(flags, store.resources, context);
    if (plan === null) return exitCodes.failed;
    const { out, environment } = context.terminal;
    if (flags.output === 'table') {
      printChanges(plan.changes, Infinity, out, paintFor(out, environment));
      const unchanged = `${grouped(plan.unchangedCount)} unchanged`;
      const revived = listRevived(plan.changes);
      out.write(
        plan.changes.length === 0 ? `No differences (${unchanged}).\n` : `${tally(plan.changes)}, ${unchanged}\n`,
      );
      if (revived !== '') out.write(`This brings back what was stopped, for which apply needs --revive: ${revived}.\n`);
    } else {
      printPlanData(plan, {}, flags.output, out);
    }
    return plan.changes.length === 0 ? exitCodes.done : exitCodes.failed;
  });
}
