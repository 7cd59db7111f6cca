import type { Command } from 'commander';
import {
  type ConsumerField,
  type ConsumerWish,
  planConsumerDeletion,
  planConsumerEdit,
  planNewConsumer,
} from '../manage/plan-consumer.ts';
import type { Consumer } from '../model/consumer.ts';
import { declareWholeConsumer } from '../resources/consumer.ts';
import type { Declared } from '../resources/declared.ts';
import { declareGrant } from '../resources/grant.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, changeExits, type CommandContext, helpText, readExits } from './command.ts';
import {
  credentialView,
  declareShownCredential,
  readShownCredentials,
  type ShownCredential,
} from './credential/shown-credential.ts';
import { UsageError } from './failure.ts';
import {
  addChangeOptions,
  addStoreOptions,
  type ChangeFlags,
  type StoreFlags,
  unsetCollector,
} from './flags/options.ts';
import { collectLabel, parseCount, parseId } from './flags/values.ts';
import { grantView } from './grant.ts';
import { formatData } from './render/data.ts';
import { type ListView, printList, printSection } from './render/list.ts';
import { count } from '../printable.ts';
import { declareVersion, paintFor, renderFields, versionFields } from './render/text.ts';
import { changesOf, changeStore } from './store/change-store.ts';
import { collectAll, readStore, requireResource, selectFrom } from './store/read-store.ts';
import { addEnableVerbs, addResourceVerb } from './store/resource-verbs.ts';

/** Adds `postern consumer` with its verbs. */
export function registerConsumer(program: Command, context: CommandContext): void {
  const noun = addNoun(program, 'consumer', 'Partners who call.', 'consumer create acme --name "Acme Ltd"');
  registerCreate(noun, context);
  registerEdit(noun, context);
  registerList(noun, context);
  registerShow(noun, context);
  addEnableVerbs(noun, context, 'consumer', {
    enable: 'Let a consumer call again, with the credentials that it has.',
    disable: 'Refuse all credentials and tokens of a consumer, until it is enabled.',
    example: 'acme',
    plan: (current, enabled) => planConsumerEdit(current, { enabled }),
    flagOf: consumerFlagOf,
  });
  registerDelete(noun, context);
}

/** The flags that describe a consumer; they mirror the declarative file (interfaces §4). */
interface ConsumerFlags {
  readonly name?: string;
  readonly description?: string;
  readonly label?: Readonly<Record<string, string>>;
  /** Of `edit` only. */
  readonly unset?: readonly ConsumerField[];
}

/** Adds the flags that `create` and `edit` share. */
function addConsumerFlags(command: Command): Command {
  return command
    .option('--name <name>', 'what back ends see as X-Consumer-Username; its id when left out')
    .option('--description <text>', 'a description for operators')
    .option('--label <name=value>', 'a label, such as tier=gold; repeatable', collectLabel);
}

function wishOf({ name, description, label, unset }: ConsumerFlags): ConsumerWish {
  const wished = { name, description, labels: label, unset };
  return Object.fromEntries(Object.entries(wished).filter(([, value]) => value !== undefined));
}

/** The flag that sets what a path of a declared consumer leads to. */
function consumerFlagOf(path: string): string | null {
  const [field = ''] = path.split(/[.[]/);
  const flags: Readonly<Record<string, string>> = {
    id: 'ID',
    name: '--name',
    description: '--description',
    labels: '--label',
    enabled: '--disabled',
  };
  return flags[field] ?? null;
}

function registerCreate(noun: Command, context: CommandContext): void {
  const command = noun
    .command('create')
    .description('Create a consumer: a partner who calls.')
    .argument('<id>', 'its id: a-z, 0-9 and "-"', parseId);
  addConsumerFlags(command).option('--disabled', 'refuse its requests until "consumer enable"');
  addChangeOptions(command)
    .addHelpText(
      'after',
      helpText({
        notes: 'It can call once it has a credential: "credential issue".',
        examples: [
          'postern consumer create acme',
          'postern consumer create globex --name "Globex Ltd" --label tier=gold --label region=eu',
        ],
        exits: { ...changeExits, conflict: 'taken' },
      }),
    )
    .action(async (id: string, flags: ConsumerFlags & ChangeFlags & { readonly disabled?: true }) => {
      await changeStore(context, 'consumer create', flags, async ({ resources }) => {
        const wish = { ...wishOf(flags), ...(flags.disabled === true ? { enabled: false } : {}) };
        return {
          changes: changesOf(planNewConsumer(id, wish, await resources.find('consumer', id)), consumerFlagOf),
          done: `Consumer ${id} created${flags.disabled === true ? ', disabled' : ''}.`,
        };
      });
    });
}

const clearable = {
  fields: { name: 'name', description: 'description', label: 'labels' },
  keyed: ['label'],
};

function registerEdit(noun: Command, context: CommandContext): void {
  addResourceVerb<'consumer', ConsumerFlags>(noun, context, {
    kind: 'consumer',
    verb: 'edit',
    description: 'Change a consumer: only what is given changes.',
    addFlags: (command) =>
      addConsumerFlags(command).option(
        '--unset <flag>',
        'remove the value of name, description, label or label.NAME; repeatable',
        unsetCollector(clearable),
      ),
    notes: '--label changes one label and keeps the others.',
    examples: ['edit acme --name "Acme Ltd" --label tier=gold', 'edit acme --unset label.tier --revision 2'],
    plan: (current, flags) => {
      const wish = wishOf(flags);
      if (Object.keys(wish).length === 0) throw new UsageError('no change is given; see --help');
      return {
        changes: changesOf(planConsumerEdit(current, wish), consumerFlagOf),
        done: `Consumer ${current.resource.id} changed.`,
      };
    },
  });
}

function registerDelete(noun: Command, context: CommandContext): void {
  addResourceVerb(noun, context, {
    kind: 'consumer',
    verb: 'delete',
    description: 'Delete a consumer, revoke its credentials for good and remove its grants, all at once.',
    isAsking: true,
    notes: 'Its App Keys are never given again. To refuse it for a while, use "consumer disable".',
    examples: ['delete acme', 'delete acme --yes --dry-run'],
    plan: async (current, _flags, { resources }) => {
      const { id } = current.resource;
      const credentials = await collectAll(resources.list('credential', { consumerId: id }));
      const grants = await collectAll(resources.list('grant', { consumerId: id }));
      const revoked = count(credentials.length, 'credential');
      const removed = count(grants.length, 'grant');
      return {
        changes: planConsumerDeletion(current, credentials, grants),
        question: `Delete the consumer ${id}, revoke ${revoked} for good and remove ${removed}?`,
        done: `Consumer ${id} deleted, ${revoked} revoked, ${removed} removed.`,
      };
    },
  });
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
  none: 'There is no such consumer. "postern consumer create" creates one.',
};

/** Labels on one line: `region=eu tier=gold`. */
function formatLabels(labels: Consumer['labels']): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function registerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List the consumers, in the order of their ids.')
    .option('--label <name=value>', 'those with this label; repeatable', collectLabel)
    .option('--disabled', 'those that are disabled')
    .option('--limit <number>', 'the first so many', parseCount);
  addStoreOptions(command)
    .addHelpText(
      'after',
      helpText({
        examples: ['postern consumer list --label tier=gold', 'postern consumer list --disabled -o json'],
        exits: readExits,
      }),
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

function registerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show a consumer with its credentials and grants, without secrets.')
    .argument('<id>', 'its id', parseId);
  addStoreOptions(command)
    .addHelpText(
      'after',
      helpText({
        examples: ['postern consumer show acme', 'postern consumer show acme -o yaml'],
        exits: { ...readExits, notFound: 'no such consumer' },
      }),
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

/** Without its consumer, below whom it stands. */
function declareOwn(shown: ShownCredential): Declared {
  return Object.fromEntries(
    Object.entries(declareShownCredential(shown, 'leave-out')).filter(([name]) => name !== 'consumer'),
  );
}
