import { type Command, Option } from 'commander';
import { planGrant, planGrantRemoval } from '../manage/plan-grant.ts';
import type { Wish } from '../manage/wish.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import { type Declared, declareTime } from '../resources/declared.ts';
import { declareGrant, grantId } from '../resources/grant.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import { changesOf, type FieldFlags } from './flags/fields.ts';
import type { StoreFlags } from './flags/options.ts';
import { type Moment, momentAhead, parseMomentOrNever } from './flags/times.ts';
import { collectGrantLimit, collectId, parseCount, parseId } from './flags/values.ts';
import { type ListView, printList } from './render/list.ts';
import { declareVersion, formatDistance, formatGrantLimits } from './render/text.ts';
import { addChangeAction } from './store/change-store.ts';
import { addReadAction, requireGrant, requireResource, selectFrom } from './store/read-store.ts';

/** Adds `postern grant` with its verbs. */
export function registerGrant(program: Command, context: CommandContext): void {
  const about = 'Which consumers are authorised on which endpoints.';
  const noun = addNoun(program, 'grant', about, 'grant add --endpoint orders --consumer acme');
  registerAdd(noun, context);
  registerRemove(noun, context);
  registerList(noun, context);
}

/** The flags that set the fields of a grant. */
export const grantFields: FieldFlags = {
  endpoint: '--endpoint',
  consumer: '--consumer',
  limits: '--limit',
  expiresAt: '--expires',
};

/** An endpoint, and consumers on it. */
interface PairFlags {
  readonly endpoint: string;
  readonly consumer: readonly string[];
}

function addPairFlags(command: Command): Command {
  return command
    .requiredOption('--endpoint <id>', 'the endpoint', parseId)
    .requiredOption('--consumer <id>', 'the consumer; repeatable', collectId);
}

interface AddFlags extends PairFlags {
  readonly limit?: readonly Declared[];
  /** False for `--no-limits`. */
  readonly limits: boolean;
  readonly expires?: Moment | 'never';
}

function registerAdd(noun: Command, context: CommandContext): void {
  const command = addPairFlags(
    noun.command('add').description('Authorise a consumer on an endpoint, or change the grant that it has.'),
  )
    .addOption(
      new Option('--limit <limit>', 'instead of what the endpoint gives each consumer, such as 1000/minute; repeatable')
        .argParser(collectGrantLimit)
        .conflicts('limits'),
    )
    .option('--no-limits', 'without the limits that the endpoint gives each consumer')
    .option('--expires <time>', 'when it ends: 2027-01-01T00:00:00Z, 90d from now, or never', parseMomentOrNever);
  addChangeAction(command, context, {
    examples: [
      'postern grant add --endpoint orders --consumer acme',
      'postern grant add --endpoint orders --consumer acme --limit 1000/minute --expires 90d',
    ],
    exits: { notFound: 'no such endpoint or consumer', conflict: 'changed by others' },
    plan: async ({ resources }, flags: AddFlags) => {
      const { endpoint: endpointId } = flags;
      const wish = wishOf(flags, context.clock.nowSeconds());
      const { resource: endpoint } = await requireResource(resources, 'endpoint', endpointId);
      const consumers = [...new Set(flags.consumer)];
      const changes = [];
      for (const consumerId of consumers) {
        await requireResource(resources, 'consumer', consumerId);
        const pair = { endpointId, consumerId };
        changes.push(...changesOf(planGrant(pair, wish, await resources.find('grant', grantId(pair))), grantFields));
      }
      return {
        changes,
        notes: notesOf(endpoint),
        done: `${consumers.join(', ')} authorised on ${endpointId}.`,
        already: `${consumers.join(', ')} authorised on ${endpointId} already.`,
      };
    },
  });
}

function wishOf({ limit, limits, expires }: AddFlags, nowSeconds: number): Wish {
  const ownLimits = limits ? limit : [];
  const expiresAt = typeof expires === 'object' ? declareTime(momentAhead(expires, nowSeconds)) : undefined;
  return { ...(ownLimits === undefined ? {} : { limits: ownLimits }), ...(expires === undefined ? {} : { expiresAt }) };
}

/** What makes a grant worth less than it seems. */
function notesOf(endpoint: Endpoint): readonly string[] {
  if (endpoint.scenario === 'open') return [`${endpoint.id} is open: it lets every caller in and ignores grants`];
  if (endpoint.accessCondition === 'authenticated-and-authorized') return [];
  return [
    `${endpoint.id} lets in every authenticated consumer; the grant sets limits only, unless its access condition becomes authenticated-and-authorized`,
  ];
}

function registerRemove(noun: Command, context: CommandContext): void {
  const command = noun.command('remove').description('Remove the grants of consumers on an endpoint.');
  addChangeAction(addPairFlags(command), context, {
    examples: ['postern grant remove --endpoint orders --consumer acme'],
    exits: { notFound: 'no such grant', conflict: 'changed by others' },
    plan: async ({ resources }, { endpoint: endpointId, consumer }: PairFlags) => {
      const consumers = [...new Set(consumer)];
      const changes = [];
      for (const consumerId of consumers) {
        changes.push(planGrantRemoval(await requireGrant(resources, { endpointId, consumerId })));
      }
      return { changes, done: `${consumers.join(', ')} no longer authorised on ${endpointId}.` };
    },
  });
}

interface ListFlags extends StoreFlags {
  readonly endpoint?: string;
  readonly consumer?: string;
  readonly limit?: number;
}

function registerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List which consumers are authorised on which endpoints.')
    .option('--endpoint <id>', 'on this endpoint', parseId)
    .option('--consumer <id>', 'of this consumer', parseId)
    .option('--limit <number>', 'the first so many', parseCount);
  addReadAction(command, context, {
    examples: ['postern grant list --endpoint orders', 'postern grant list --consumer acme -o json'],
    exits: { notFound: 'no such endpoint or consumer' },
    show: async ({ resources }, { endpoint, consumer, limit, output }: ListFlags) => {
      if (endpoint !== undefined) await requireResource(resources, 'endpoint', endpoint);
      if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
      const listed = resources.list('grant', { endpointId: endpoint, consumerId: consumer });
      const grants = selectFrom(listed, () => true, limit);
      await printList(grants, grantView(context.clock.nowSeconds()), output, context.terminal);
    },
  });
}

/** Grants in a table. */
export function grantView(nowSeconds: number): ListView<Stored<Grant>> {
  const isOver = ({ expiresAt }: Grant): boolean => expiresAt !== null && expiresAt <= nowSeconds;
  const endOf = (grant: Grant): string =>
    grant.expiresAt === null
      ? 'never'
      : `${isOver(grant) ? 'ended ' : ''}${formatDistance(grant.expiresAt, nowSeconds)}`;
  return {
    columns: [
      { heading: 'ENDPOINT', cell: ({ resource }) => resource.endpointId },
      { heading: 'CONSUMER', cell: ({ resource }) => resource.consumerId },
      { heading: 'LIMITS', cell: ({ resource }) => formatGrantLimits(resource.limits), canShrink: true },
      {
        heading: 'ENDS',
        cell: ({ resource }) => endOf(resource),
        paint: (text, { resource }, paint) => (isOver(resource) ? paint.red(text) : text),
      },
    ],
    declare: (stored) => ({ ...declareGrant(stored.resource), ...declareVersion(stored) }),
    none: 'There is no such grant. "postern grant add" creates one.',
  };
}
