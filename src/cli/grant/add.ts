import { type Command, Option } from 'commander';
import type { Declared } from '../../document/declare/declared.ts';
import { type GrantWish, planGrant } from '../../manage/grants/plan-grant.ts';
import { grantId } from '../../manage/resource.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { CommandContext } from '../command-context.ts';
import { collectId, parseId } from '../flags/parse-id.ts';
import { collectGrantLimit } from '../flags/parse-limit.ts';
import { type Moment, momentAhead, parseMomentOrNever } from '../flags/parse-moment.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/store-options.ts';
import { UsageError } from '../partner/usage-error.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { grantFlagOf } from './grant-flags.ts';

interface AddFlags extends ChangeFlags {
  readonly endpoint: string;
  readonly consumer: readonly string[];
  readonly limit?: readonly Declared[];
  /** False for `--no-limits`. */
  readonly limits: boolean;
  readonly expires?: Moment | 'never';
}

/** Adds `postern grant add`. */
export function registerGrantAdd(noun: Command, context: CommandContext): void {
  const command = noun
    .command('add')
    .description('Authorise a consumer on an endpoint; a grant that is there already changes as given.')
    .addOption(new Option('--endpoint <id>', 'where').argParser(parseId).makeOptionMandatory())
    .addOption(new Option('--consumer <id>', 'who; repeatable').argParser(collectId).makeOptionMandatory())
    .option(
      '--limit <limit>',
      'instead of what the endpoint gives each consumer, such as 1000/minute; repeatable',
      collectGrantLimit,
    )
    .option('--no-limits', 'none of the limits that the endpoint gives each consumer')
    .option('--expires <time>', 'until then: 2027-01-01T00:00:00Z, 90d from now, or never', parseMomentOrNever);
  addChangeOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern grant add --endpoint orders --consumer acme
  $ postern grant add --endpoint orders --consumer acme --limit 1000/minute --expires 90d

Exit codes: 0 done, 1 failed, 2 usage, 3 no such endpoint or consumer, 4 changed meanwhile, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (flags: AddFlags) => {
      const code = await changeStore(context, 'grant add', flags, async ({ resources }) => {
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
      context.finish(code);
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
  if (endpoint.scenario === 'open') return [`${endpoint.id} is open: it lets everybody in, and looks at no grant`];
  if (endpoint.accessCondition === 'authenticated-and-authorized') return [];
  return [
    `${endpoint.id} lets in every authenticated consumer; the grant sets limits only, unless its access condition becomes authenticated-and-authorized`,
  ];
}
