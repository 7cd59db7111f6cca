import { type Command, InvalidArgumentError } from 'commander';
import type { Planned } from '../manage/change.ts';
import { planEndpointEdit } from '../manage/plan-endpoint.ts';
import { planGrant } from '../manage/plan-grant.ts';
import type { Wish } from '../manage/wish.ts';
import type { Declared } from '../resources/declared.ts';
import { addNoun, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { changesOf } from './flags/fields.ts';
import { parseGrantLimit, parseId, parseLimit } from './flags/values.ts';
import { addChangeAction } from './store/change-store.ts';
import type { OpenedStore } from './store/open-store.ts';
import { requireGrant, requireResource } from './store/read-store.ts';

/** Adds `postern limit` with its verbs. */
export function registerLimit(program: Command, context: CommandContext): void {
  const about = 'Rate limits of endpoints, and of single consumers on them.';
  const noun = addNoun(program, 'limit', about, 'limit set 100/minute/consumer --endpoint orders');
  registerSet(noun, context);
  registerClear(noun, context);
}

interface OwnerFlags {
  readonly endpoint: string;
  readonly consumer?: string;
}

const exits = { notFound: 'no such endpoint or grant', conflict: 'changed by others' };

function registerSet(noun: Command, context: CommandContext): void {
  const command = noun
    .command('set')
    .description('Set the limits of an endpoint, or of one consumer on it. They replace all former ones.')
    .argument('<limit...>', '100/minute/consumer, 5000/hour/endpoint; with --consumer 1000/minute')
    .requiredOption('--endpoint <id>', 'the endpoint', parseId)
    .option(
      '--consumer <id>',
      'for this consumer: its grant then replaces what the endpoint gives each consumer',
      parseId,
    );
  addChangeAction(command, context, {
    notes: `UNIT is second, minute, hour, day or month (UTC). PER consumer: each consumer separately; PER endpoint: all together.`,
    examples: [
      'postern limit set 100/minute/consumer 5000/minute/endpoint --endpoint orders',
      'postern limit set 1000/minute --endpoint orders --consumer acme',
    ],
    exits,
    plan: async (store, flags: OwnerFlags, texts: readonly string[]) => {
      const { endpoint, consumer } = flags;
      const limits = readLimits(texts, consumer === undefined ? parseLimit : parseGrantLimit);
      return {
        changes: changesOf(await planLimits(limits, flags, store), {
          'trafficControl.limits': 'LIMIT',
          limits: 'LIMIT',
        }),
        done: `Limits of ${consumer === undefined ? '' : `${consumer} on `}${endpoint} set.`,
      };
    },
  });
}

function readLimits(texts: readonly string[], parse: (text: string) => Declared): readonly Declared[] {
  return texts.map((text) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new UsageError(`${text}: ${error.message}`, { cause: error });
    }
  });
}

function registerClear(noun: Command, context: CommandContext): void {
  const command = noun
    .command('clear')
    .description(
      'Remove the limits of an endpoint; with --consumer, those of its grant, so that the limits of the endpoint apply.',
    )
    .requiredOption('--endpoint <id>', 'the endpoint', parseId)
    .option('--consumer <id>', 'the limits of this consumer only', parseId);
  addChangeAction(command, context, {
    notes: `To free one consumer from the limits of the endpoint: "grant add --no-limits".`,
    examples: ['postern limit clear --endpoint orders', 'postern limit clear --endpoint orders --consumer acme'],
    exits,
    plan: async (store, flags: OwnerFlags) => {
      const { endpoint, consumer } = flags;
      const changes = changesOf(await planLimits(undefined, flags, store), {});
      return consumer === undefined
        ? { changes, done: `${endpoint} has no limits any more.`, already: `${endpoint} has no limits.` }
        : {
            changes,
            done: `The limits of ${endpoint} hold for ${consumer} again.`,
            already: `The limits of ${endpoint} hold for ${consumer} already.`,
          };
    },
  });
}

/** Undefined limits are removed. */
async function planLimits(
  limits: Wish[string],
  { endpoint: endpointId, consumer: consumerId }: OwnerFlags,
  { resources }: OpenedStore,
): Promise<Planned> {
  if (consumerId === undefined) {
    // Without the other endpoints: limits change no match, so it cannot collide.
    const current = await requireResource(resources, 'endpoint', endpointId);
    return planEndpointEdit(current, { 'trafficControl.limits': limits }, []);
  }
  const pair = { endpointId, consumerId };
  return planGrant(pair, { limits }, await requireGrant(resources, pair));
}
