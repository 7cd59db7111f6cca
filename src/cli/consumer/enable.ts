import type { Command } from 'commander';
import { planConsumerEdit } from '../../manage/consumers/plan-consumer.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, type ChangeFlags } from '../flags/store-options.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { consumerFlagOf } from './consumer-flags.ts';

/** Adds `postern consumer enable` and `disable`. */
export function registerConsumerEnable(noun: Command, context: CommandContext): void {
  add(noun, context, true, 'Let a consumer call again, with the credentials that it has.');
  add(noun, context, false, 'Refuse all credentials and tokens of a consumer, until it is enabled.');
}

function add(noun: Command, context: CommandContext, enabled: boolean, description: string): void {
  const verb = enabled ? 'enable' : 'disable';
  const command = noun.command(verb).description(description).argument('<id>', 'its id', parseId);
  addChangeOptions(addRevisionOption(command))
    .addHelpText(
      'after',
      `
Example:
  $ postern consumer ${verb} acme

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 4 changed meanwhile, 5 the store is unreachable.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      const code = await changeStore(context, `consumer ${verb}`, flags, async ({ resources }) => {
        const current = await requireResource(resources, 'consumer', id);
        guardRevision('consumer', id, current, flags.revision);
        return {
          changes: changesOf(planConsumerEdit(current, { enabled }), consumerFlagOf),
          done: `Consumer ${id} ${verb}d.`,
          already: `Consumer ${id} is ${verb}d already.`,
        };
      });
      context.finish(code);
    });
}
