import type { CommandContext } from '../command-context.ts';
import type { StoreFlags } from '../flags/store-options.ts';
import { grouped } from '../progress-bar.ts';
import { paintFor } from '../render/paint-for.ts';
import { useStore } from '../store/use-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { planDocument, type PlanFlags } from './plan-document.ts';
import { listRevived, printChanges, printPlanData, tally } from './print-plan.ts';

/** The flags of `postern diff`. */
export type DiffFlags = PlanFlags & StoreFlags;

/** Prints what `apply` would change. Gives 0 when that is nothing, 1 for differences and for problems of the files. */
export async function diffDocument(flags: DiffFlags, context: CommandContext): Promise<ExitCode> {
  const use = { command: 'diff', store: flags.store, timeout: flags.timeout, needsSecrets: 'new' } as const;
  return await useStore(context, use, async (store) => {
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
