import type { Command } from 'commander';
import {
  type ConsumerField,
  type ConsumerWish,
  planConsumerDeletion,
  planConsumerEdit,
  planNewConsumer,
} from '../../manage/plan-consumer.ts';
import { guardRevision } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import {
  addChangeOptions,
  addRevisionOption,
  addYesOption,
  type ChangeFlags,
  unsetCollector,
} from '../flags/options.ts';
import { collectLabel, parseId } from '../flags/values.ts';
import { count } from '../render/text.ts';
import { changesOf, changeStore } from '../store/change-store.ts';
import { registerEnable } from '../store/enable.ts';
import { collectAll, requireResource } from '../store/read-store.ts';

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
    .option('--name <name>', 'what back ends see as X-Consumer-Username; the id without it')
    .option('--description <text>', 'who it is, for people')
    .option('--label <name=value>', 'a label, such as tier=gold; repeatable', collectLabel);
}

/** What the flags wish. */
export function wishOf({ name, description, label, unset }: ConsumerFlags): ConsumerWish {
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
      await changeStore(context, 'consumer edit', flags, async ({ resources }) => {
        const wish = wishOf(flags);
        if (Object.keys(wish).length === 0) throw new UsageError('nothing to change is given; see --help');
        const current = await requireResource(resources, 'consumer', id);
        guardRevision('consumer', id, current, flags.revision);
        return { changes: changesOf(planConsumerEdit(current, wish), consumerFlagOf), done: `Consumer ${id} changed.` };
      });
    });
}

/** Adds `postern consumer enable` and `disable`. */
export function registerConsumerEnable(noun: Command, context: CommandContext): void {
  registerEnable(noun, context, {
    kind: 'consumer',
    enable: 'Let a consumer call again, with the credentials that it has.',
    disable: 'Refuse all credentials and tokens of a consumer, until it is enabled.',
    example: 'acme',
    plan: (current, enabled) => planConsumerEdit(current, { enabled }),
    flagOf: consumerFlagOf,
  });
}

/** Adds `postern consumer delete`. */
export function registerConsumerDelete(noun: Command, context: CommandContext): void {
  const command = noun
    .command('delete')
    .description('Delete a consumer, revoke its credentials for good and remove its grants, all at once.')
    .argument('<id>', 'its id', parseId);
  addChangeOptions(addYesOption(addRevisionOption(command)))
    .addHelpText(
      'after',
      `
Its App Keys are never given again. To refuse it for a while, use "consumer disable".

Examples:
  $ postern consumer delete acme
  $ postern consumer delete acme --yes --dry-run

Exit codes: 0 done, 1 failed or not confirmed, 2 usage, 3 no such consumer, 4 changed meanwhile,
5 the store is unreachable, 6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      await changeStore(context, 'consumer delete', flags, async ({ resources }) => {
        const current = await requireResource(resources, 'consumer', id);
        guardRevision('consumer', id, current, flags.revision);
        const credentials = await collectAll(resources.list('credential', { consumerId: id }));
        const grants = await collectAll(resources.list('grant', { consumerId: id }));
        const revoked = count(credentials.length, 'credential');
        const removed = count(grants.length, 'grant');
        return {
          changes: planConsumerDeletion(current, credentials, grants),
          question: `Delete the consumer ${id}, revoke ${revoked} for good and remove ${removed}?`,
          done: `Consumer ${id} deleted, ${revoked} revoked, ${removed} removed.`,
        };
      });
    });
}
