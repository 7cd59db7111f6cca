import { type Command, Option } from 'commander';
import { declareGrant, grantId } from '../resources/grant.ts';
import type { Declared } from '../resources/declared.ts';
import { type GrantWish, planGrant, planGrantRemoval } from '../manage/plan-grant.ts';
import type { Stored } from '../resources/resource.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import { addNoun, changeExits, type CommandContext, helpText, readExits } from './command.ts';
import { UsageError } from './failure.ts';
import { addChangeOptions, addStoreOptions, type ChangeFlags, type StoreFlags } from './flags/options.ts';
import { type Moment, momentAhead, parseMomentOrNever } from './flags/times.ts';
import { collectGrantLimit, collectId, parseCount, parseId } from './flags/values.ts';
import { type ListView, printList } from './render/list.ts';
import { declareVersion, formatDistance, formatGrantLimits } from './render/text.ts';
import { changesOf, changeStore } from './store/change-store.ts';
import { requireGrant, requireResource, selectFrom, readStore } from './store/read-store.ts';

/** Adds `postern grant` with its verbs. */
export function registerGrant(program: Command, context: CommandContext): void {
  const noun = addNoun(
    program,
    'grant',
    'Which consumers are authorised on which endpoints.',
    'grant add --endpoint orders --consumer acme',
  );
  registerGrantAdd(noun, context);
  registerGrantRemove(noun, context);
  registerGrantList(noun, context);
}

interface AddFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer: readonly string[];
  readonly limit?: readonly Declared[];
  /** False for `--no-limits`. */
  readonly limits: boolean;
  readonly expires?: Moment | 'never';
}

/** Adds `postern grant add`. */
function registerGrantAdd(noun: Command, context: CommandContext): void {
  const command = noun
    .command('add')
    .description('Authorise a consumer on an endpoint, or change the grant that it has.')
    .addOption(new Option('--endpoint <id>', 'the endpoint').argParser(parseId).makeOptionMandatory())
    .addOption(new Option('--consumer <id>', 'the consumer; repeatable').argParser(collectId).makeOptionMandatory())
    .option(
      '--limit <limit>',
      'instead of what the endpoint gives each consumer, such as 1000/minute; repeatable',
      collectGrantLimit,
    )
    .option('--no-limits', 'without the limits that the endpoint gives each consumer')
    .option('--expires <time>', 'when it ends: 2027-01-01T00:00:00Z, 90d from now, or never', parseMomentOrNever);
  addChangeOptions(command)
    .addHelpText(
      'after',
      helpText({
        examples: [
          'postern grant add --endpoint orders --consumer acme',
          'postern grant add --endpoint orders --consumer acme --limit 1000/minute --expires 90d',
        ],
        exits: { ...changeExits, notFound: 'no such endpoint or consumer', conflict: 'changed by others' },
      }),
    )
    .action(async (flags: AddFlags) => {
      await changeStore(context, 'grant add', flags, async ({ resources }) => {
        const { endpoint: endpointId } = flags;
        const wish = wishOf(flags, context.clock.nowSeconds());
        const { resource: endpoint } = await requireResource(resources, 'endpoint', endpointId);
        const consumers = [...new Set(flags.consumer)];
        const changes = [];
        for (const consumerId of consumers) {
          await requireResource(resources, 'consumer', consumerId);
          const pair = { endpointId, consumerId };
          changes.push(...changesOf(planGrant(pair, wish, await resources.find('grant', grantId(pair))), grantFlagOf));
        }
        return {
          changes,
          notes: notesOf(endpoint),
          done: `${consumers.join(', ')} authorised on ${endpointId}.`,
          already: `${consumers.join(', ')} authorised on ${endpointId} already.`,
        };
      });
    });
}

function wishOf({ limit, limits, expires }: AddFlags, nowSeconds: number): GrantWish {
  if (limit !== undefined && !limits) throw new UsageError('--limit and --no-limits stand side by side; keep one');
  const wished = limits ? limit : [];
  return {
    ...(wished === undefined ? {} : { limits: wished }),
    ...(expires === undefined ? {} : { expiresAt: expires === 'never' ? null : momentAhead(expires, nowSeconds) }),
  };
}

/** What makes a grant worth less than it seems. */
function notesOf(endpoint: Endpoint): readonly string[] {
  if (endpoint.scenario === 'open') return [`${endpoint.id} is open: it lets every caller in and ignores grants`];
  if (endpoint.accessCondition === 'authenticated-and-authorized') return [];
  return [
    `${endpoint.id} lets in every authenticated consumer; the grant sets limits only, unless its access condition becomes authenticated-and-authorized`,
  ];
}

interface RemoveFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer: readonly string[];
}

/** Adds `postern grant remove`. */
function registerGrantRemove(noun: Command, context: CommandContext): void {
  const command = noun
    .command('remove')
    .description('Remove the grants of consumers on an endpoint.')
    .addOption(new Option('--endpoint <id>', 'the endpoint').argParser(parseId).makeOptionMandatory())
    .addOption(new Option('--consumer <id>', 'the consumer; repeatable').argParser(collectId).makeOptionMandatory());
  addChangeOptions(command)
    .addHelpText(
      'after',
      helpText({
        examples: ['postern grant remove --endpoint orders --consumer acme'],
        exits: { ...changeExits, notFound: 'no such grant', conflict: 'changed by others' },
      }),
    )
    .action(async (flags: RemoveFlags) => {
      await changeStore(context, 'grant remove', flags, async ({ resources }) => {
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
    });
}

interface ListFlags extends StoreFlags {
  readonly endpoint?: string;
  readonly consumer?: string;
  readonly limit?: number;
}

/** Adds `postern grant list`. */
function registerGrantList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List which consumers are authorised on which endpoints.')
    .option('--endpoint <id>', 'on this endpoint', parseId)
    .option('--consumer <id>', 'of this consumer', parseId)
    .option('--limit <number>', 'the first so many', parseCount);
  addStoreOptions(command)
    .addHelpText(
      'after',
      helpText({
        examples: ['postern grant list --endpoint orders', 'postern grant list --consumer acme -o json'],
        exits: { ...readExits, notFound: 'no such endpoint or consumer' },
      }),
    )
    .action(async (flags: ListFlags) => {
      await readStore(context, 'grant list', flags, async ({ resources }) => {
        const { endpoint, consumer, limit, output } = flags;
        if (endpoint !== undefined) await requireResource(resources, 'endpoint', endpoint);
        if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
        const selection = {
          ...(endpoint === undefined ? {} : { endpointId: endpoint }),
          ...(consumer === undefined ? {} : { consumerId: consumer }),
        };
        const grants = selectFrom(resources.list('grant', selection), () => true, limit);
        await printList(grants, grantView(context.clock.nowSeconds()), output, context.terminal);
      });
    });
}

/** The flag that sets what a path of a declared grant leads to. */
export function grantFlagOf(path: string): string | null {
  const [field = ''] = path.split(/[.[]/);
  const flags: Readonly<Record<string, string>> = {
    endpoint: '--endpoint',
    consumer: '--consumer',
    limits: '--limit',
    expiresAt: '--expires',
  };
  return flags[field] ?? null;
}

/** Grants in a table. */
export function grantView(nowSeconds: number): ListView<Stored<Grant>> {
  return {
    columns: [
      { heading: 'ENDPOINT', cell: ({ resource }) => resource.endpointId },
      { heading: 'CONSUMER', cell: ({ resource }) => resource.consumerId },
      { heading: 'LIMITS', cell: ({ resource }) => formatGrantLimits(resource.limits), canShrink: true },
      {
        heading: 'ENDS',
        cell: ({ resource }) => endOf(resource, nowSeconds),
        paint: (text, { resource }, paint) => (isOver(resource, nowSeconds) ? paint.red(text) : text),
      },
    ],
    declare: (stored) => ({ ...declareGrant(stored.resource), ...declareVersion(stored) }),
    none: 'There is no such grant. "postern grant add" creates one.',
  };
}

function endOf({ expiresAt }: Grant, nowSeconds: number): string {
  if (expiresAt === null) return 'never';
  return `${expiresAt <= nowSeconds ? 'ended ' : ''}${formatDistance(expiresAt, nowSeconds)}`;
}

function isOver({ expiresAt }: Grant, nowSeconds: number): boolean {
  return expiresAt !== null && expiresAt <= nowSeconds;
}
