import { type Command, Option } from 'commander';
import { callersOf } from '../../resources/changes/usage/callers.ts';
import { declareUsage, usualSince } from '../../resources/changes/usage/declare-usage.ts';
import {
  firstHourOf,
  type Grouping,
  groupings,
  type Sorting,
  sortings,
  sortRows,
  sumTraffic,
  type UsageSummary,
} from '../../resources/changes/usage/sum-traffic.ts';
import { declarePlanUse, type PlanUse, readPlanUse } from '../../resources/changes/usage/plan-usage.ts';
import type { LabelSelector } from '../../model/labels.ts';
import type { CommandContext } from '../command.ts';
import type { RowsFormat, StoreFlags } from '../flags/options.ts';
import { type Moment, momentBack } from '../../model/document/moments.ts';
import { parseMoment } from '../flags/times.ts';
import { collectLabel, parseId } from '../flags/values.ts';
import { formatCsv } from '../render/csv.ts';
import { planUseView } from '../plan-use-view.ts';
import { formatData } from '../render/data.ts';
import { printSection } from '../render/list.ts';
import type { OpenedStore } from '../opened-store.ts';
import { addReadAction, requireResource } from '../store/read-store.ts';
import type { Terminal } from '../terminal.ts';
import { printUsage } from './render-usage.ts';

/** Adds `postern usage`. */
export function registerUsage(program: Command, context: CommandContext): void {
  const command = program
    .command('usage')
    .description('Show how many requests were allowed, refused and limited: by time, consumer or endpoint.')
    .option('--consumer <id>', 'requests of this consumer', parseId)
    .option('--endpoint <id>', 'requests to this endpoint', parseId)
    .option('--label <name=value>', 'requests of consumers with this label; repeatable', collectLabel)
    .addOption(new Option('--by <what>', 'a row for each').choices(groupings).default('day'))
    .addOption(new Option('--sort <what>', 'the rows with the most first').choices(sortings))
    .addOption(new Option('--since <time>', 'from then on: 7d, 12h, or 2026-11-01T00:00:00Z').argParser(parseMoment));
  addReadAction(command, context, {
    notes: NOTES,
    examples: [
      'postern usage',
      'postern usage --consumer acme --by hour --since 24h',
      'postern usage --label tier=gold --by consumer --since 30d',
      'postern usage --by consumer --sort refused --since 1d',
      'postern usage --by month -o csv',
    ],
    exits: { notFound: 'no such consumer or endpoint' },
    otherFormats: ['csv'],
    show: async (store, flags: UsageFlags) => {
      const { by, output, sort } = flags;
      const nowSeconds = context.clock.nowSeconds();
      const sinceHour = firstHourOf(by, momentBack(flags.since ?? usualSince[by], nowSeconds));
      const { rows, total } = await sumOf(flags, { sinceHour, nowSeconds }, store);
      const summary = { rows: sort === undefined ? rows : sortRows(rows, sort), total };
      // What was deleted still has its counts.
      if (summary.rows.length === 0) await requireNamed(store, flags);
      const uses = await planUsesOf(flags, store, nowSeconds);
      show(summary, { by, sinceHour, uses }, output, context.terminal);
      if (output === 'table' && uses.length > 0) {
        printSection('used of plans', uses, planUseView(nowSeconds), context.terminal);
      }
    },
  });
}

const NOTES = `Replicas write their counts once a minute; MongoDB keeps them for 13 months. Times are UTC. --since begins with a
whole hour, day or month; the default is 24h by hour, 13 months by month, else 7d. LIMITED is RATE_LIMITED, REFUSED
every other code: "postern refusals" shows what was refused and why. With --consumer, also what it has used of its
plans in the hour, day or month of now. Without --consumer and --label, requests of
unknown callers count too. For a declarative file the process at POSTERN_ADMIN_ADDRESS is asked, which counts since
its start.`;

interface UsageFlags extends StoreFlags {
  readonly consumer?: string;
  readonly endpoint?: string;
  readonly label?: LabelSelector;
  readonly by: Grouping;
  readonly sort?: Sorting;
  readonly since?: Moment;
}

async function sumOf(
  flags: UsageFlags,
  { sinceHour, nowSeconds }: { readonly sinceHour: number; readonly nowSeconds: number },
  { resources, traffic, answers }: OpenedStore,
): Promise<UsageSummary> {
  const { by, consumer, endpoint, label } = flags;
  if (answers !== undefined) return await answers.sumUsage({ by, sinceHour, consumer, endpoint, label });
  const consumers = await callersOf(flags, resources);
  return await sumTraffic(traffic.counts({ sinceHour, endpointId: endpoint, consumers }), by, nowSeconds);
}

/** What a consumer has used of its plans; nothing for others, and where only requests to one endpoint are asked for. */
async function planUsesOf(
  { consumer, endpoint }: UsageFlags,
  { resources, traffic, answers }: OpenedStore,
  nowSeconds: number,
): Promise<readonly PlanUse[]> {
  if (consumer === undefined || endpoint !== undefined) return [];
  if (answers !== undefined) return await answers.planUse({ consumer });
  return await readPlanUse({ resources, traffic, nowSeconds }, { consumers: [consumer] });
}

async function requireNamed({ resources }: OpenedStore, { consumer, endpoint }: UsageFlags): Promise<void> {
  if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
  if (endpoint !== undefined) await requireResource(resources, 'endpoint', endpoint);
}

interface Shown {
  readonly by: Grouping;
  readonly sinceHour: number;
  readonly uses: readonly PlanUse[];
}

function show(summary: UsageSummary, { by, sinceHour, uses }: Shown, format: RowsFormat, terminal: Terminal): void {
  const { out, err } = terminal;
  const { rows } = summary;
  if (format === 'csv') {
    const cells = rows.map(({ name, allowed, refused, limited }) => [name, allowed, refused, limited]);
    out.write(formatCsv([by, 'allowed', 'refused', 'limited'], cells));
  } else if (format !== 'table') {
    const plans = uses.length === 0 ? {} : { plans: uses.map(declarePlanUse) };
    out.write(formatData({ ...declareUsage(summary, by, sinceHour), ...plans }, format));
  } else if (rows.length === 0) err.write('No requests were counted.\n');
  else printUsage(summary, by, terminal);
}
