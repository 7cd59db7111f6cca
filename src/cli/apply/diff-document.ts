import type { CommandContext } from '../command-context.ts';
import type { StoreFlags } from '../flags/store-options.ts';
import { grouped } from '../progress-bar.ts';
import { paintFor } from '../render/paint-for.ts';
import { useStore } from '../store/use-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { planDocument, type PlanFlags } from './plan-document.ts';
import { printChanges, printPlanData, tally } from './print-plan.ts';

/** The flags of `postern diff`. */
export type DiffFlags = PlanFlags & StoreFlags;

/** Prints what `apply` would change. Gives 0 when that is nothing, 1 for differences and for problems of the files. */
export async function diffDocument(flags: DiffFlags, context: CommandContext): Promise<ExitCode> {
  return await useStore(context, { command: 'diff', store: flags.store, needsSecrets: true }, async (store) => {
    const plan = await planDocument(flags, store.resources, context);
    if (plan === null) return exitCodes.failed;
    const { out, environment } = context.terminal;
    if (flags.output === 'table') {
      printChanges(plan.changes, Infinity, out, paintFor(out, environment));
      const unchanged = `${grouped(plan.unchangedCount)} unchanged`;
      out.write(
        plan.changes.length === 0 ? `No differences (${unchanged}).\n` : `${tally(plan.changes)}, ${unchanged}\n`,
      );
    } else {
      printPlanData(plan, {}, flags.output, out);
    }
    return plan.changes.length === 0 ? exitCodes.done : exitCodes.failed;
  });
}
