import type { Command } from 'commander';
import { planNewConsumer } from '../../manage/consumers/plan-consumer.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/store-options.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { addConsumerFlags, consumerFlagOf, type ConsumerFlags, wishOf } from './consumer-flags.ts';

/** Adds `postern consumer create`. */
export function registerConsumerCreate(noun: Command, context: CommandContext): void {
  const command = noun
    .command('create')
    .description('Make a consumer: a partner who calls.')
    .argument('<id>', 'its id: a-z, 0-9 and "-"', parseId);
  addConsumerFlags(command).option('--disabled', 'refuse its requests until "consumer enable"');
  addChangeOptions(command)
    .addHelpText(
      'after',
      `
It can call once it has a credential: "credential issue".

Examples:
  $ postern consumer create acme
  $ postern consumer create globex --name "Globex Ltd" --label tier=gold --label region=eu

Exit codes: 0 done, 1 failed, 2 usage, 4 taken, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ConsumerFlags & ChangeFlags & { readonly disabled?: true }) => {
      const code = await changeStore(context, 'consumer create', flags, async ({ resources }) => {
        const wish = { ...wishOf(flags), ...(flags.disabled === true ? { enabled: false } : {}) };
        return {
          changes: changesOf(planNewConsumer(id, wish, await resources.find('consumer', id)), consumerFlagOf),
          done: `Consumer ${id} created${flags.disabled === true ? ', disabled' : ''}.`,
        };
      });
      context.finish(code);
    });
}
