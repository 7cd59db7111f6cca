import { type Command, Option } from 'commander';
import { planEndpointEdit } from '../../manage/endpoints/plan-endpoint.ts';
import { planGrant } from '../../manage/grants/plan-grant.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/store-options.ts';
import { requireGrant } from '../grant/require-grant.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';

interface ClearFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer?: string;
}

/** Adds `postern limit clear`. */
export function registerLimitClear(noun: Command, context: CommandContext): void {
  const command = noun
    .command('clear')
    .description(
      'Take the limits of an endpoint away; with --consumer, its own ones, so that those of the endpoint hold.',
    )
    .addOption(new Option('--endpoint <id>', 'where').argParser(parseId).makeOptionMandatory())
    .option('--consumer <id>', 'the own limits of this consumer', parseId);
  addChangeOptions(command)
    .addHelpText(
      'after',
      `
To let one consumer go without the limits of the endpoint: "grant add --no-limits".

Examples:
  $ postern limit clear --endpoint orders
  $ postern limit clear --endpoint orders --consumer acme

Exit codes: 0 done, 1 failed, 2 usage, 3 no such endpoint or grant, 4 changed meanwhile, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (flags: ClearFlags) => {
      const code = await changeStore(context, 'limit clear', flags, async ({ resources }) => {
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
      context.finish(code);
    });
}
