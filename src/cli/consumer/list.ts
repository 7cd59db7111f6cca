import type { Command } from 'commander';
import type { Stored } from '../../manage/resource.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { CommandContext } from '../command-context.ts';
import { parseCount } from '../flags/parse-count.ts';
import { collectLabel } from '../flags/parse-option.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { declareWholeConsumer } from '../../document/declare/declare-whole.ts';
import { type ListView, printList } from '../render/render-list.ts';
import { declareVersion } from '../render/render-resource.ts';
import { selectFrom } from '../store/select-from.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';

interface ListFlags extends StoreFlags {
  readonly label?: Readonly<Record<string, string>>;
  readonly disabled?: true;
  readonly limit?: number;
}

const view: ListView<Stored<Consumer>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'NAME', cell: ({ resource }) => resource.name ?? '-', canShrink: true },
    { heading: 'LABELS', cell: ({ resource }) => formatLabels(resource.labels) || '-', canShrink: true },
    {
      heading: 'STATE',
      cell: ({ resource }) => (resource.enabled ? 'enabled' : 'disabled'),
      paint: (text, { resource }, paint) => (resource.enabled ? text : paint.yellow(text)),
    },
  ],
  declare: (stored) => ({ ...declareWholeConsumer(stored.resource), ...declareVersion(stored) }),
  none: 'There is no such consumer. "postern consumer create" makes one.',
};

/** Labels on one line: `region=eu tier=gold`. */
export function formatLabels(labels: Consumer['labels']): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** Adds `postern consumer list`. */
export function registerConsumerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List the consumers, in the order of their ids.')
    .option('--label <name=value>', 'those with this label; repeatable', collectLabel)
    .option('--disabled', 'those that are disabled')
    .option('--limit <number>', 'the first so many', parseCount);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern consumer list --label tier=gold
  $ postern consumer list --disabled -o json

Exit codes: 0 done, 1 failed, 2 usage, 5 the store is unreachable.`,
    )
    .action(async (flags: ListFlags) => {
      const use = { command: 'consumer list', store: flags.store, timeout: flags.timeout, needsSecrets: false };
      const code = await useStore(context, use, async ({ resources }) => {
        const wanted = Object.entries(flags.label ?? {});
        const isWanted = ({ resource: { labels, enabled } }: Stored<Consumer>): boolean =>
          (flags.disabled === undefined || !enabled) && wanted.every(([name, value]) => labels[name] === value);
        const consumers = selectFrom(resources.list('consumer'), isWanted, flags.limit);
        await printList(consumers, view, flags.output, context.terminal);
        return exitCodes.done;
      });
      context.finish(code);
    });
}
