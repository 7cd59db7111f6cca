import type { Command } from 'commander';
import { planConsumerEdit } from '../../manage/consumers/plan-consumer.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, type ChangeFlags } from '../flags/store-options.ts';
import { unsetCollector } from '../flags/unset.ts';
import { UsageError } from '../partner/usage-error.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { addConsumerFlags, consumerFlagOf, type ConsumerFlags, wishOf } from './consumer-flags.ts';

const clearable = {
  fields: { name: 'name', description: 'description', label: 'labels' },
  keyed: ['label'],
};

/** Adds `postern consumer edit`. */
export function registerConsumerEdit(noun: Command, context: CommandContext): void {
  const command = noun
    .command('edit')
    .description('Change a consumer: what is given changes, all else stays.')
    .argument('<id>', 'its id', parseId);
  addConsumerFlags(command).option(
    '--unset <flag>',
    'nothing again for name, description, label or label.NAME; repeatable',
    unsetCollector(clearable),
  );
  addChangeOptions(addRevisionOption(command))
    .addHelpText(
      'after',
      `
--label changes one label and keeps the others.

Examples:
  $ postern consumer edit acme --name "Acme Ltd" --label tier=gold
  $ postern consumer edit acme --unset label.tier --revision 2

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 4 changed meanwhile, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ConsumerFlags & ChangeFlags & { readonly revision?: number }) => {
      const code = await changeStore(context, 'consumer edit', flags, async ({ resources }) => {
        const wish = wishOf(flags);
        if (Object.keys(wish).length === 0) throw new UsageError('nothing to change is given; see --help');
        const current = await requireResource(resources, 'consumer', id);
        guardRevision('consumer', id, current, flags.revision);
        return { changes: changesOf(planConsumerEdit(current, wish), consumerFlagOf), done: `Consumer ${id} changed.` };
      });
      context.finish(code);
    });
}
