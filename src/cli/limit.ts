import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Declared } from '../resources/declared.ts';
import { planEndpointEdit } from '../manage/plan-endpoint.ts';
import { planGrant } from '../manage/plan-grant.ts';
import { addNoun, changeExits, type CommandContext, helpText } from './command.ts';
import { UsageError } from './failure.ts';
import { addChangeOptions, type ChangeFlags } from './flags/options.ts';
import { parseGrantLimit, parseId, parseLimit } from './flags/values.ts';
import { changesOf, changeStore } from './store/change-store.ts';
import { requireGrant, requireResource } from './store/read-store.ts';

/** Adds `postern limit` with its verbs. */
export function registerLimit(program: Command, context: CommandContext): void {
  const noun = addNoun(
    program,
    'limit',
    'Rate limits of endpoints, and of single consumers on them.',
    'limit set 100/minute/consumer --endpoint orders',
  );
  registerLimitSet(noun, context);
  registerLimitClear(noun, context);
}

interface SetFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer?: string;
}

/** Adds `postern limit set`. */
function registerLimitSet(noun: Command, context: CommandContext): void {
  const command = noun
    .command('set')
    .description('Set the limits of an endpoint, or of one consumer on it. They replace all former ones.')
    .argument('<limit...>', '100/minute/consumer, 5000/hour/endpoint; with --consumer 1000/minute')
    .addOption(new Option('--endpoint <id>', 'the endpoint').argParser(parseId).makeOptionMandatory())
    .option(
      '--consumer <id>',
      'for this consumer: its grant then replaces what the endpoint gives each consumer',
      parseId,
    );
  addChangeOptions(command)
    .addHelpText(
      'after',
      helpText({
        notes: `UNIT is second, minute, hour or day. PER consumer: each consumer separately; PER endpoint: all together.`,
        examples: [
          'postern limit set 100/minute/consumer 5000/minute/endpoint --endpoint orders',
          'postern limit set 1000/minute --endpoint orders --consumer acme',
        ],
        exits: { ...changeExits, notFound: 'no such endpoint or grant', conflict: 'changed by others' },
      }),
    )
    .action(async (texts: readonly string[], flags: SetFlags) => {
      await changeStore(context, 'limit set', flags, async ({ resources }) => {
        const { endpoint: endpointId, consumer: consumerId } = flags;
        const limits = readLimits(texts, consumerId === undefined ? parseLimit : parseGrantLimit);
        if (consumerId === undefined) {
          const current = await requireResource(resources, 'endpoint', endpointId);
          return {
            changes: changesOf(planEndpointEdit(current, { limits }, []), () => 'LIMIT'),
            done: `Limits of ${endpointId} set.`,
          };
        }
        const pair = { endpointId, consumerId };
        const current = await requireGrant(resources, pair);
        return {
          changes: changesOf(planGrant(pair, { limits }, current), () => 'LIMIT'),
          done: `Limits of ${consumerId} on ${endpointId} set.`,
        };
      });
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

interface ClearFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer?: string;
}

/** Adds `postern limit clear`. */
function registerLimitClear(noun: Command, context: CommandContext): void {
  const command = noun
    .command('clear')
    .description(
      'Remove the limits of an endpoint; with --consumer, those of its grant, so that the limits of the endpoint apply.',
    )
    .addOption(new Option('--endpoint <id>', 'the endpoint').argParser(parseId).makeOptionMandatory())
    .option('--consumer <id>', 'the limits of this consumer only', parseId);
  addChangeOptions(command)
    .addHelpText(
      'after',
      helpText({
        notes: `To free one consumer from the limits of the endpoint: "grant add --no-limits".`,
        examples: ['postern limit clear --endpoint orders', 'postern limit clear --endpoint orders --consumer acme'],
        exits: { ...changeExits, notFound: 'no such endpoint or grant', conflict: 'changed by others' },
      }),
    )
    .action(async (flags: ClearFlags) => {
      await changeStore(context, 'limit clear', flags, async ({ resources }) => {
        const { endpoint: endpointId, consumer: consumerId } = flags;
        if (consumerId === undefined) {
          const current = await requireResource(resources, 'endpoint', endpointId);
          return {
            changes: changesOf(planEndpointEdit(current, { unset: ['limits'] }, []), () => null),
            done: `${endpointId} has no limits any more.`,
            already: `${endpointId} has no limits.`,
          };
        }
        const pair = { endpointId, consumerId };
        const current = await requireGrant(resources, pair);
        return {
          changes: changesOf(planGrant(pair, { limits: null }, current), () => null),
          done: `The limits of ${endpointId} hold for ${consumerId} again.`,
          already: `The limits of ${endpointId} hold for ${consumerId} already.`,
        };
      });
    });
}
