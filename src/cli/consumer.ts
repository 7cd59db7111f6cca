import type { Command } from 'commander';
import { collectAll, listGroupGrants } from '../resources/changes/resource-store.ts';
import { declareUse, readShownCredentials } from '../resources/changes/shown-credential.ts';
import { planConsumerDeletion, planConsumerEdit, planNewConsumer } from '../resources/changes/plan-consumer.ts';
import { declareAddressList } from '../model/address-list.ts';
import type { Consumer } from '../model/consumer.ts';
import { carries, describeLabels, type LabelSelector } from '../model/labels.ts';
import { count } from '../base/text/printable.ts';
import { declareWholeConsumer } from '../resources/consumer.ts';
import { allowFromWords } from '../resources/allow-from.ts';
import { consumerTexts } from '../resources/consumer-fields.ts';
import { declareWholeOwned } from '../resources/credential.ts';
import { declareVersion } from '../resources/declare-resource.ts';
import { declareGrant } from '../resources/grant.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import { registerConsumerImport } from './consumer-import/consumer-import.ts';
import { credentialView } from './credential/credential-view.ts';
import { labelBounds, networkBounds, textBounds } from './flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, flagsOfRows, unsetCollector, wishOf } from './flags/fields.ts';
import type { StoreFlags } from './flags/options.ts';
import { collect, collectLabel, parseCount, parseId } from './flags/values.ts';
import { shownGrantView, weighAll } from './shown-grants.ts';
import { formatData } from './render/data.ts';
import { type ListView, printList, printSection } from './render/list.ts';
import { printFields, versionFields } from './render/text.ts';
import { addChangeAction } from './store/change-store.ts';
import { addReadAction, requireResource, selectFrom } from './store/read-store.ts';
import { addEnableVerbs, addResourceAction } from './store/resource-verbs.ts';

/** Adds `postern consumer` with its verbs. */
export function registerConsumer(program: Command, context: CommandContext): void {
  const noun = addNoun(program, 'consumer', 'Partners who call.', 'consumer create acme --name "Acme Ltd"');
  registerCreate(noun, context);
  registerEdit(noun, context);
  registerList(noun, context);
  registerShow(noun, context);
  const enabling = {
    enable: 'Let a consumer call again, with the credentials that it has.',
    disable: 'Refuse all credentials and tokens of a consumer, until it is enabled.',
    exampleId: 'acme',
  };
  addEnableVerbs(noun, context, 'consumer', enabling, planConsumerEdit);
  registerDelete(noun, context);
  registerConsumerImport(noun, context);
}

const fields: FieldFlags = {
  ...flagsOfRows([...consumerTexts, { name: 'allowFrom', flag: allowFromWords.flag }]),
  'labels.*': '--label',
};
/** What `--unset` takes. */
const clearable = Object.values(fields).map((flag) => flag.slice('--'.length));

/** Adds the flags that `create` and `edit` share. */
function addConsumerFlags(command: Command): Command {
  for (const { flag, help } of consumerTexts) command.option(flag, help);
  return command
    .option('--label <name=value>', 'a label, such as tier=gold; repeatable', collectLabel)
    .option(allowFromWords.flag, allowFromWords.help, collect);
}

function registerCreate(noun: Command, context: CommandContext): void {
  const command = noun
    .command('create')
    .description('Create a consumer: a partner who calls.')
    .argument('<id>', 'its id: a-z, 0-9 and "-"', parseId);
  addConsumerFlags(command).option('--disabled', 'refuse its requests until "consumer enable"');
  addChangeAction(command, context, {
    notes: `It can call once it has a credential: "credential issue".\n${labelBounds} ${textBounds} ${networkBounds}`,
    examples: [
      'postern consumer create acme',
      'postern consumer create globex --name "Globex Ltd" --label tier=gold --label region=eu',
    ],
    exits: { conflict: 'taken' },
    plan: async ({ resources }, flags: { readonly disabled?: true }, id: string) => {
      const wish = { ...wishOf(flags, fields), ...(flags.disabled === true ? { enabled: false } : {}) };
      return {
        changes: changesOf(planNewConsumer(id, wish, await resources.find('consumer', id)), fields),
        done: `Consumer ${id} created${flags.disabled === true ? ', disabled' : ''}.`,
      };
    },
  });
}

function registerEdit(noun: Command, context: CommandContext): void {
  const command = noun.command('edit').description('Change a consumer: only what is given changes.');
  addConsumerFlags(command).option(
    '--unset <flag>',
    `remove the value of ${clearable.join(', ')} or label.NAME; repeatable`,
    unsetCollector(fields, clearable),
  );
  addResourceAction(command, context, 'consumer', {
    notes: `--label changes one label and keeps the others. --allow-from replaces the whole list.\n${labelBounds} ${textBounds} ${networkBounds}`,
    examples: [
      'postern consumer edit acme --name "Acme Ltd" --label tier=gold',
      'postern consumer edit acme --allow-from 203.0.113.0/24 --allow-from 2001:db8::/48',
      'postern consumer edit acme --unset label.tier --revision 2',
    ],
    plan: (current, flags) => ({
      changes: changesOf(planConsumerEdit(current, changeWishOf(flags, fields)), fields),
      done: `Consumer ${current.resource.id} changed.`,
    }),
  });
}

function registerDelete(noun: Command, context: CommandContext): void {
  const command = noun
    .command('delete')
    .description('Delete a consumer, revoke its credentials for good and remove its grants, all at once.');
  addResourceAction(command, context, 'consumer', {
    isAsking: true,
    notes: 'Its App Keys are never given again. To refuse it for a while, use "consumer disable".',
    examples: ['postern consumer delete acme', 'postern consumer delete acme --yes --dry-run'],
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

const view: ListView<Stored<Consumer>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'NAME', cell: ({ resource }) => resource.name ?? '-', canShrink: true },
    { heading: 'LABELS', cell: ({ resource }) => describeLabels(resource.labels) || '-', canShrink: true },
    {
      heading: 'STATE',
      cell: ({ resource }) => (resource.enabled ? 'enabled' : 'disabled'),
      paint: (text, { resource }, paint) => (resource.enabled ? text : paint.yellow(text)),
    },
  ],
  declare: (stored) => ({ ...declareWholeConsumer(stored.resource), ...declareVersion(stored) }),
  none: 'There is no such consumer. "postern consumer create" creates one.',
};

interface ListFlags {
  readonly label?: LabelSelector;
  readonly disabled?: true;
  readonly limit?: number;
}

function registerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List the consumers, in the order of their ids.')
    .option('--label <name=value>', 'those with this label; repeatable', collectLabel)
    .option('--disabled', 'those that are disabled')
    .option('--limit <number>', 'list this many at most', parseCount);
  addReadAction(command, context, {
    examples: ['postern consumer list --label tier=gold', 'postern consumer list --disabled -o json'],
    show: async ({ resources }, { label = {}, disabled, limit, output }: ListFlags & StoreFlags) => {
      const isWanted = ({ resource: { labels, enabled } }: Stored<Consumer>): boolean =>
        (disabled === undefined || !enabled) && carries(labels, label);
      await printList(selectFrom(resources.list('consumer'), isWanted, limit), view, output, context.terminal);
    },
  });
}

function registerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show a consumer with its credentials, without secrets, and the grants that fit it.')
    .argument('<id>', 'its id', parseId);
  addReadAction(command, context, {
    examples: ['postern consumer show acme', 'postern consumer show acme -o yaml'],
    exits: { notFound: 'no such consumer' },
    needsSecrets: () => 'where-possible',
    show: async ({ resources, usage }, { output }: StoreFlags, id: string) => {
      const { terminal, clock } = context;
      const stored = await requireResource(resources, 'consumer', id);
      const credentials = await collectAll(
        readShownCredentials(resources.list('credential', { consumerId: id }), usage),
      );
      const own = await collectAll(resources.list('grant', { consumerId: id }));
      const grants = weighAll(own, await listGroupGrants(resources), stored.resource, clock.nowSeconds());
      if (output !== 'table') {
        const declared = {
          ...declareWholeConsumer(
            stored.resource,
            credentials.map((shown) => ({
              ...declareWholeOwned(shown.stored.resource, 'leave-out'),
              ...declareUse(shown),
            })),
          ),
          grants: grants.map(({ grant, isInEffect }) => ({ ...declareGrant(grant), inEffect: isInEffect })),
          ...declareVersion(stored),
        };
        terminal.out.write(formatData(declared, output));
        return;
      }
      const { labels, enabled, allowFrom } = stored.resource;
      const now = clock.nowSeconds();
      const shown = [
        ...consumerTexts.map(({ name }) => [name, stored.resource[name] || null] as const),
        ['labels', describeLabels(labels) || null] as const,
        [
          allowFromWords.name,
          allowFrom === null ? allowFromWords.otherwise : declareAddressList(allowFrom).join(', '),
        ] as const,
        ...versionFields(stored, now),
      ];
      printFields(`consumer ${id}${enabled ? '' : ' (disabled)'}`, shown, terminal);
      const view = credentialView(now);
      const columns = view.columns.filter(({ heading }) => heading !== 'CONSUMER');
      printSection('credentials', credentials, { ...view, columns }, terminal);
      printSection('grants', grants, shownGrantView(now), terminal);
    },
  });
}
