import { type Command, InvalidArgumentError, Option } from 'commander';
import { unseenTexts } from '../model/document/unseen-texts.ts';
import { planGrant, planGrantRemoval } from '../resources/changes/plan-grant.ts';
import {
  findGrant,
  listGroupGrants,
  NotFound,
  type ResourceStore,
  takeFirst,
} from '../resources/changes/resource-store.ts';
import type { Wish } from '../resources/changes/wish.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { type Grant, type GrantTarget, isGroupGrant } from '../model/grant.ts';
import { isGrantLive } from '../model/grant-in-effect.ts';
import { describeLabels, type LabelSelector } from '../model/labels.ts';
import { declareVersion } from '../resources/declare-resource.ts';
import { type Declared, declareTime } from '../resources/declared.ts';
import { declareGrant, endpointOfShortId, grantId, SHORT_ID_CHARACTERS } from '../resources/grant.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { groupBounds, labelBounds } from './flags/bounds.ts';
import { changesOf, type FieldFlags } from './flags/fields.ts';
import { addTargetOptions, groupOption, type TargetFlags, targetsOf } from './flags/grant-targets.ts';
import type { StoreFlags } from './flags/options.ts';
import { type Moment, momentAhead } from '../model/document/moments.ts';
import { parseMomentOrNever, parseSpan } from './flags/times.ts';
import { collectGrantLimit, parseCount, parseId, parseInteger } from './flags/values.ts';
import { formatHolder, formatHolders } from './render/grants.ts';
import { type ListView, printList } from './render/list.ts';
import { formatDistance, formatGrantLimits } from './render/text.ts';
import { addChangeAction } from './store/change-store.ts';
import { addReadAction, requireGrant, requireResource, selectFrom } from './store/read-store.ts';

/** Adds `postern grant` with its verbs. */
export function registerGrant(program: Command, context: CommandContext): void {
  const about = 'Which consumers are authorised on which endpoints, one by one or by their labels.';
  const noun = addNoun(program, 'grant', about, 'grant add --endpoint orders --consumer acme');
  registerAdd(noun, context);
  registerRemove(noun, context);
  registerList(noun, context);
}

/** The flags that set the fields of a grant. */
export const grantFields: FieldFlags = {
  endpoint: '--endpoint',
  consumer: '--consumer',
  consumerSelector: '--label',
  priority: '--priority',
  limits: '--limit',
  expiresAt: '--expires',
};

interface AddFlags extends TargetFlags {
  readonly priority?: number;
  readonly limit?: readonly Declared[];
  /** False for `--no-limits`. */
  readonly limits: boolean;
  readonly expires?: Moment | 'never';
}

function registerAdd(noun: Command, context: CommandContext): void {
  const about = 'Authorise consumers on an endpoint, or change the grant that they have.';
  const command = addTargetOptions(noun.command('add').description(about))
    .option('--priority <number>', 'with --label: of several that fit a consumer, the highest counts; 0', parseInteger)
    .addOption(
      new Option('--limit <limit>', 'instead of what the endpoint gives each consumer, such as 1000/minute; repeatable')
        .argParser(collectGrantLimit)
        .conflicts('limits'),
    )
    .option('--no-limits', 'without the limits that the endpoint gives each consumer')
    .option('--expires <time>', 'when it ends: 2027-01-01T00:00:00Z, 90d from now, or never', parseMomentOrNever);
  addChangeAction(command, context, {
    notes: `A grant for labels is one for every consumer that carries all of them, now or later. Only one grant counts for a
consumer, also for limits: its own, else the one for its labels with the highest priority.
${groupBounds} ${labelBounds}`,
    examples: [
      'postern grant add --endpoint orders --consumer acme',
      'postern grant add --endpoint orders --consumer acme --limit 1000/minute --expires 90d',
      'postern grant add --endpoint orders --label tier=gold --priority 10 --limit 1000/minute',
    ],
    exits: { notFound: 'no such endpoint or consumer', conflict: 'changed by others, or the priority is taken' },
    plan: async ({ resources }, flags: AddFlags) => {
      const { endpoint: endpointId } = flags;
      const targets = targetsOf(flags);
      const wish = wishOf(flags, context.clock.nowSeconds());
      const { resource: endpoint } = await requireResource(resources, 'endpoint', endpointId);
      const groups = flags.label === undefined ? [] : await listGroupGrants(resources, endpointId);
      const changes = [];
      for (const target of targets) {
        if (!isGroupGrant(target)) await requireResource(resources, 'consumer', target.consumerId);
        const current = await resources.find('grant', grantId(target));
        if (current === null) refuseUnseen(target);
        changes.push(...changesOf(planGrant(target, wish, current, groups), grantFields));
      }
      return {
        changes,
        notes: [...notesOf(endpoint), ...(await notesOnGroup(resources, flags.label))],
        done: `${formatHolders(targets)} authorised on ${endpointId}.`,
        already: `${formatHolders(targets)} authorised on ${endpointId} already.`,
      };
    },
  });
}

function wishOf({ label, priority, limit, limits, expires }: AddFlags, nowSeconds: number): Wish {
  if (priority !== undefined && label === undefined) {
    throw new UsageError('--priority is for --label: the own grant of a consumer counts before those for labels');
  }
  const ownLimits = limits ? limit : [];
  const expiresAt = typeof expires === 'object' ? declareTime(momentAhead(expires, nowSeconds)) : undefined;
  return {
    ...(priority === undefined ? {} : { priority }),
    ...(ownLimits === undefined ? {} : { limits: ownLimits }),
    ...(expires === undefined ? {} : { expiresAt }),
  };
}

/** A grant that is there is found by its labels, whatever they are; a new one is held to the rule of texts. */
function refuseUnseen(target: GrantTarget): void {
  const [unseen] = unseenTexts(target);
  if (unseen !== undefined) throw new UsageError(`--label: ${unseen.message}`);
}

/** What makes a grant worth less than it seems. */
function notesOf(endpoint: Endpoint): readonly string[] {
  if (endpoint.scenario === 'open') return [`${endpoint.id} is open: it lets every caller in and ignores grants`];
  if (endpoint.accessCondition === 'authenticated-and-authorized') return [];
  return [
    `${endpoint.id} lets in every authenticated consumer; the grant sets limits only, unless its access condition becomes authenticated-and-authorized`,
  ];
}

/** A group that nobody belongs to: a slip, or one for consumers to come. */
async function notesOnGroup(store: ResourceStore, label: LabelSelector | undefined): Promise<readonly string[]> {
  if (label === undefined) return [];
  const [carrier] = await takeFirst(store.list('consumer', { labels: label, most: 1 }), 1);
  if (carrier !== undefined) return [];
  return [
    `no consumer carries ${describeLabels(label)} now: the grant is for nobody until one does ("consumer edit ID --label")`,
  ];
}

function registerRemove(noun: Command, context: CommandContext): void {
  const command = addTargetOptions(
    noun.command('remove').description('Remove the grants of consumers on an endpoint.'),
  );
  command.addOption(
    new Option('--hash <hash>', 'the group with this hash, as "postern doctor" names one with too many labels to write')
      .argParser(parseHash)
      .conflicts(['consumer', 'label']),
  );
  addChangeAction(command, context, {
    examples: [
      'postern grant remove --endpoint orders --consumer acme',
      'postern grant remove --endpoint orders --label tier=gold',
    ],
    exits: { notFound: 'no such grant', conflict: 'changed by others' },
    plan: async ({ resources }, flags: TargetFlags & { readonly hash?: string }) => {
      const { endpoint, hash } = flags;
      if (hash !== undefined) {
        const id = `${endpoint}/${hash}`;
        const stored = await findGrant(resources, id);
        if (stored === null) throw new NotFound(`there is no grant ${id}; "postern doctor" names those with a hash`);
        return { changes: [planGrantRemoval(stored)], done: `The grant ${id} is removed.` };
      }
      const targets = targetsOf(flags);
      const changes = [];
      for (const target of targets) changes.push(planGrantRemoval(await requireGrant(resources, target)));
      return { changes, done: `${formatHolders(targets)} no longer authorised on ${flags.endpoint}.` };
    },
  });
}

function parseHash(text: string): string {
  if (endpointOfShortId(`x/${text}`) !== null) return text;
  throw new InvalidArgumentError(`It has the form ~ and ${String(SHORT_ID_CHARACTERS)} letters, digits, "-" and "_".`);
}

interface ListFlags extends StoreFlags {
  readonly endpoint?: string;
  readonly consumer?: string;
  readonly label?: LabelSelector;
  readonly expiring?: number;
  readonly limit?: number;
}

function registerList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List which consumers are authorised on which endpoints.')
    .option('--endpoint <id>', 'on this endpoint', parseId)
    .option('--consumer <id>', 'of this consumer', parseId)
    .addOption(groupOption('for exactly these labels; repeatable'))
    .option('--expiring <span>', 'those that are live, and end within this time, such as 30d', parseSpan)
    .option('--limit <number>', 'list this many at most', parseCount);
  addReadAction(command, context, {
    notes: `Which of them counts for a consumer: "postern consumer show ID", "postern may ID ENDPOINT".`,
    examples: [
      'postern grant list --endpoint orders',
      'postern grant list --consumer acme -o json',
      'postern grant list --label tier=gold',
      'postern grant list --expiring 30d',
    ],
    exits: { notFound: 'no such endpoint or consumer' },
    show: async ({ resources }, { endpoint, consumer, label, expiring, limit, output }: ListFlags) => {
      if (endpoint !== undefined) await requireResource(resources, 'endpoint', endpoint);
      if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
      const isForGroup = label === undefined ? undefined : true;
      const listed = resources.list('grant', { endpointId: endpoint, consumerId: consumer, isForGroup });
      const now = context.clock.nowSeconds();
      const isWanted = ({ resource }: Stored<Grant>): boolean =>
        (label === undefined || grantId(resource) === grantId({ ...resource, consumerSelector: label })) &&
        (expiring === undefined || endsWithin(resource, expiring, now));
      const grants = selectFrom(listed, isWanted, limit);
      const view = grantView(now);
      // Where a flag leaves none, that is often the good answer.
      const none = expiring === undefined ? view.none : 'No grant ends within this time.';
      await printList(grants, { ...view, none }, output, context.terminal);
    },
  });
}

function endsWithin(grant: Grant, seconds: number, nowSeconds: number): boolean {
  return isGrantLive(grant, nowSeconds) && !isGrantLive(grant, nowSeconds + seconds);
}

/** Grants in a table. */
export function grantView(nowSeconds: number): ListView<Stored<Grant>> {
  const isOver = (grant: Grant): boolean => !isGrantLive(grant, nowSeconds);
  const endOf = (grant: Grant): string =>
    grant.expiresAt === null
      ? 'never'
      : `${isOver(grant) ? 'ended ' : ''}${formatDistance(grant.expiresAt, nowSeconds)}`;
  return {
    columns: [
      { heading: 'ENDPOINT', cell: ({ resource }) => resource.endpointId },
      { heading: 'CONSUMER', cell: ({ resource }) => formatHolder(resource), canShrink: true },
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
