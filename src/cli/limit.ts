import { type Command, InvalidArgumentError } from 'commander';
import type { Planned } from '../resources/changes/change.ts';
import { planEndpointEdit } from '../resources/changes/plan-endpoint.ts';
import { planGrant } from '../resources/changes/plan-grant.ts';
import type { Wish } from '../resources/changes/wish.ts';
import type { GrantTarget } from '../model/grant.ts';
import type { LabelSelector } from '../model/labels.ts';
import type { Declared } from '../resources/declared.ts';
import { addNoun, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { changesOf } from './flags/fields.ts';
import { groupOption } from './flags/grant-targets.ts';
import { parseGrantLimit, parseId, parseLimit } from './flags/values.ts';
import { formatHolders } from './render/grants.ts';
import { addChangeAction } from './store/change-store.ts';
import type { OpenedStore } from './opened-store.ts';
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
  readonly label?: LabelSelector;
}

/** Whose grant has the limits; null for those of the endpoint itself. */
function targetOf({ endpoint: endpointId, consumer: consumerId, label }: OwnerFlags): GrantTarget | null {
  if (label !== undefined) return { endpointId, consumerSelector: label };
  return consumerId === undefined ? null : { endpointId, consumerId };
}

const exits = { notFound: 'no such endpoint or grant', conflict: 'changed by others' };

function registerSet(noun: Command, context: CommandContext): void {
  const command = noun
    .command('set')
    .description('Set the limits of an endpoint, or of the grant of consumers on it. They replace all former ones.')
    .argument('<limit...>', '100/minute/consumer, 5000/hour/endpoint; with --consumer or --label 1000/minute')
    .requiredOption('--endpoint <id>', 'the endpoint', parseId)
    .option(
      '--consumer <id>',
      'for this consumer: its grant then replaces what the endpoint gives each consumer',
      parseId,
    )
    .addOption(groupOption('for each consumer of the grant for this label; repeatable'));
  addChangeAction(command, context, {
    notes: `UNIT is second, minute, hour, day or month (UTC). PER consumer: each consumer separately; PER endpoint: all together.`,
    examples: [
      'postern limit set 100/minute/consumer 5000/minute/endpoint --endpoint orders',
      'postern limit set 1000/minute --endpoint orders --consumer acme',
      'postern limit set 1000/minute --endpoint orders --label tier=gold',
    ],
    exits,
    plan: async (store, flags: OwnerFlags, texts: readonly string[]) => {
      const target = targetOf(flags);
      const limits = readLimits(texts, target === null ? parseLimit : parseGrantLimit);
      return {
        changes: changesOf(await planLimits(limits, flags, store, adviseGrant(flags, texts)), {
          'trafficControl.limits': 'LIMIT',
          limits: 'LIMIT',
        }),
        done: `Limits of ${target === null ? '' : `${formatHolders([target])} on `}${flags.endpoint} set.`,
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
      'Remove the limits of an endpoint; with --consumer or --label, those of the grant, so that those of the endpoint apply.',
    )
    .requiredOption('--endpoint <id>', 'the endpoint', parseId)
    .option('--consumer <id>', 'the limits of this consumer only', parseId)
    .addOption(groupOption('the limits of the grant for this label only; repeatable'));
  addChangeAction(command, context, {
    notes: `To free one consumer from the limits of the endpoint: "grant add --no-limits".`,
    examples: ['postern limit clear --endpoint orders', 'postern limit clear --endpoint orders --consumer acme'],
    exits,
    plan: async (store, flags: OwnerFlags) => {
      const { endpoint } = flags;
      const target = targetOf(flags);
      const holder = target === null ? '' : formatHolders([target]);
      const changes = changesOf(await planLimits(undefined, flags, store), {});
      return target === null
        ? { changes, done: `${endpoint} has no limits any more.`, already: `${endpoint} has no limits.` }
        : {
            changes,
            done: `The limits of ${endpoint} hold for ${holder} again.`,
            already: `The limits of ${endpoint} hold for ${holder} already.`,
          };
    },
  });
}

/** Where there is no grant that could have the limits. */
function adviseGrant({ endpoint, consumer = '', label }: OwnerFlags, texts: readonly string[]): string {
  const holder =
    label === undefined
      ? [`--consumer ${consumer}`]
      : Object.entries(label).map(([name, value]) => `--label ${name}=${value}`);
  const words = [`--endpoint ${endpoint}`, ...holder, ...texts.map((text) => `--limit ${text}`)];
  return `this creates it with these limits: postern grant add ${words.join(' ')}`;
}

/** Undefined limits are removed. `advice` is for a grant that is not there. */
async function planLimits(
  limits: Wish[string],
  flags: OwnerFlags,
  { resources }: OpenedStore,
  advice?: string,
): Promise<Planned> {
  const target = targetOf(flags);
  if (target === null) {
    // Without the other endpoints: limits change no match, so it cannot collide.
    const current = await requireResource(resources, 'endpoint', flags.endpoint);
    return planEndpointEdit(current, { 'trafficControl.limits': limits }, []);
  }
  return planGrant(target, { limits }, await requireGrant(resources, target, advice));
}
