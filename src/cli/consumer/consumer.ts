import type { Command } from 'commander';
import { declareGrant } from '../../resources/grant.ts';
import { declareWholeConsumer } from '../../resources/consumer.ts';
import type { Declared } from '../../resources/declared.ts';
import type { Stored } from '../../resources/resource.ts';
import type { Consumer } from '../../model/consumer.ts';
import { addNoun, type CommandContext } from '../command.ts';
import {
  credentialView,
  declareShownCredential,
  readShownCredentials,
  type ShownCredential,
} from '../credential/shown-credential.ts';
import { addStoreOptions, type StoreFlags } from '../flags/options.ts';
import { collectLabel, parseCount, parseId } from '../flags/values.ts';
import { grantView } from '../grant.ts';
import { formatData } from '../render/data.ts';
import { type ListView, printList, printSection } from '../render/list.ts';
import { declareVersion, renderFields, versionFields } from '../render/resource.ts';
import { paintFor } from '../render/text.ts';
import { collectAll, requireResource, selectFrom, readStore } from '../store/read-store.ts';
import {
  registerConsumerCreate,
  registerConsumerDelete,
  registerConsumerEdit,
  registerConsumerEnable,
} from './change.ts';

/** Adds `postern consumer` with its verbs. */
export function registerConsumer(program: Command, context: CommandContext): void {
  const noun = addNoun(program, 'consumer', 'Partners who call.', 'consumer create acme --name "Acme Ltd"');
  registerConsumerCreate(noun, context);
  registerConsumerEdit(noun, context);
  registerConsumerList(noun, context);
  registerConsumerShow(noun, context);
  registerConsumerEnable(noun, context);
  registerConsumerDelete(noun, context);
}

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
function formatLabels(labels: Consumer['labels']): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** Adds `postern consumer list`. */
function registerConsumerList(noun: Command, context: CommandContext): void {
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
      await readStore(context, 'consumer list', flags, async ({ resources }) => {
        const wanted = Object.entries(flags.label ?? {});
        const isWanted = ({ resource: { labels, enabled } }: Stored<Consumer>): boolean =>
          (flags.disabled === undefined || !enabled) && wanted.every(([name, value]) => labels[name] === value);
        const consumers = selectFrom(resources.list('consumer'), isWanted, flags.limit);
        await printList(consumers, view, flags.output, context.terminal);
      });
    });
}

/** Adds `postern consumer show`. */
function registerConsumerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show a consumer with its credentials and grants, without secrets.')
    .argument('<id>', 'its id', parseId);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern consumer show acme
  $ postern consumer show acme -o yaml

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 5 the store is unreachable.`,
    )
    .action(async (id: string, flags: StoreFlags) => {
      await readStore(context, 'consumer show', flags, async (store) => {
        const { terminal, clock } = context;
        const { resources } = store;
        const stored = await requireResource(resources, 'consumer', id);
        const credentials = await collectAll(
          readShownCredentials(resources.list('credential', { consumerId: id }), store.usage),
        );
        const grants = await collectAll(resources.list('grant', { consumerId: id }));
        if (flags.output !== 'table') {
          const declared = {
            ...declareWholeConsumer(stored.resource, credentials.map(declareOwn)),
            grants: grants.map(({ resource }) => declareGrant(resource)),
            ...declareVersion(stored),
          };
          terminal.out.write(formatData(declared, flags.output));
          return;
        }
        const { name, description, labels, enabled } = stored.resource;
        const now = clock.nowSeconds();
        const paint = paintFor(terminal.out, terminal.environment);
        const fields = renderFields(
          `consumer ${id}${enabled ? '' : ' (disabled)'}`,
          [
            ['name', name],
            ['description', description === '' ? null : description],
            ['labels', formatLabels(labels) || null],
            ...versionFields(stored, now),
          ],
          paint,
        );
        terminal.out.write(fields);
        printSection('credentials', credentials, credentialView(now), terminal);
        printSection('grants', grants, grantView(now), terminal);
      });
    });
}

/** Whose it is, is told by where it stands. */
function declareOwn(shown: ShownCredential): Declared {
  return Object.fromEntries(
    Object.entries(declareShownCredential(shown, 'leave-out')).filter(([name]) => name !== 'consumer'),
  );
}
