import { type Command, Option } from 'commander';
import { planGrantRemoval } from '../../manage/grants/plan-grant-removal.ts';
import type { CommandContext } from '../command-context.ts';
import { collectId, parseId } from '../flags/parse-id.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/store-options.ts';
import { changeStore } from '../store/change-store.ts';
import { requireGrant } from './require-grant.ts';

interface RemoveFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer: readonly string[];
}

/** Adds `postern grant remove`. */
export function registerGrantRemove(noun: Command, context: CommandContext): void {
  const command = noun
    .command('remove')
    .description('Authorise a consumer on an endpoint no longer.')
    .addOption(new Option('--endpoint <id>', 'where').argParser(parseId).makeOptionMandatory())
    .addOption(new Option('--consumer <id>', 'who; repeatable').argParser(collectId).makeOptionMandatory());
  addChangeOptions(command)
    .addHelpText(
      'after',
      `
Example:
  $ postern grant remove --endpoint orders --consumer acme

Exit codes: 0 done, 1 failed, 2 usage, 3 no such grant, 4 changed meanwhile, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (flags: RemoveFlags) => {
      const code = await changeStore(context, 'grant remove', flags, async ({ resources }) => {
        const { endpoint: endpointId } = flags;
        const consumers = [...new Set(flags.consumer)];
        const changes = [];
        for (const consumerId of consumers) {
          changes.push(planGrantRemoval(await requireGrant(resources, { endpointId, consumerId })));
        }
        return {
          changes,
          done: `${consumers.join(', ')} no longer authorised on ${endpointId}.`,
        };
      });
      context.finish(code);
    });
}
