import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parseCount } from '../flags/parse-count.ts';
import { parseId } from '../flags/parse-id.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { printList } from '../render/render-list.ts';
import { requireResource } from '../store/require-resource.ts';
import { selectFrom } from '../store/select-from.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';
import { grantView } from './grant-view.ts';

interface ListFlags extends StoreFlags {
  readonly endpoint?: string;
  readonly consumer?: string;
  readonly limit?: number;
}

/** Adds `postern grant list`. */
export function registerGrantList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List who is authorised where.')
    .option('--endpoint <id>', 'on this endpoint', parseId)
    .option('--consumer <id>', 'of this consumer', parseId)
    .option('--limit <number>', 'the first so many', parseCount);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern grant list --endpoint orders
  $ postern grant list --consumer acme -o json

Exit codes: 0 done, 1 failed, 2 usage, 3 no such endpoint or consumer, 5 the store is unreachable.`,
    )
    .action(async ({ endpoint, consumer, limit, output, store, timeout }: ListFlags) => {
      const use = { command: 'grant list', store, timeout, needsSecrets: false };
      const code = await useStore(context, use, async ({ resources }) => {
        if (endpoint !== undefined) await requireResource(resources, 'endpoint', endpoint);
        if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
        const selection = {
          ...(endpoint === undefined ? {} : { endpointId: endpoint }),
          ...(consumer === undefined ? {} : { consumerId: consumer }),
        };
        const grants = selectFrom(resources.list('grant', selection), () => true, limit);
        await printList(grants, grantView(context.clock.nowSeconds()), output, context.terminal);
        return exitCodes.done;
      });
      context.finish(code);
    });
}
