import { type Command, Option } from 'commander';
import { describeLabels, type LabelSelector } from '../model/labels.ts';
import type { Plan } from '../model/plan.ts';
import { planNewPlan, planPlanDeletion, planPlanEdit } from '../resources/changes/plan-plan.ts';
import { collectAll, Conflict, guardRevision, listPlans } from '../resources/changes/resource-store.ts';
import { declarePlanUse, readPlanUse } from '../resources/changes/usage/plan-usage.ts';
import { declareVersion } from '../resources/declare-resource.ts';
import type { Declared } from '../resources/declared.ts';
import { declarePlan, formatPlanLimit } from '../resources/plan.ts';
import type { Stored } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import { labelBounds, planBounds } from './flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, unsetCollector } from './flags/fields.ts';
import { addRevisionOption, type StoreFlags } from './flags/options.ts';
import { collectId, collectLabel, collectPlanLimit, parseCount, parseId, parseInteger } from './flags/values.ts';
import { planUseView } from './plan-use-view.ts';
import { formatData } from './render/data.ts';
import { type ListView, printList, printSection } from './render/list.ts';
import { printFields, versionFields } from './render/text.ts';
import { addChangeAction, type Plan as ChangePlan } from './store/change-store.ts';
import type { OpenedStore } from './opened-store.ts';
import { addReadAction, requireResource } from './store/read-store.ts';
import { addResourceAction } from './store/resource-verbs.ts';

/** Adds `postern plan` with its verbs. */
export function registerPlan(program: Command, context: CommandContext): void {
  const about = 'Limits of each consumer over several endpoints together, by the labels of consumers.';
  const noun = addNoun(
    program,
    'plan',
    about,
    'plan set gold --label tier=gold --limit 5000000/month --limit 50/second',
  );
  registerCreate(noun, context);
  registerSet(noun, context);
  registerList(noun, context);
  registerShow(noun, context);
  registerDelete(noun, context);
}

/** The flags that set the fields of a plan. */
const fields: FieldFlags = {
  consumerSelector: '--label',
  endpoints: '--endpoint',
  endpointSelector: '--endpoint-label',
  priority: '--priority',
  limits: '--limit',
};
const clearable = ['label', 'endpoint', 'endpoint-label', 'priority'];

interface PlanFlags {
  readonly label?: LabelSelector;
  readonly endpoint?: readonly string[];
  readonly endpointLabel?: LabelSelector;
  readonly priority?: number;
  readonly limit?: readonly Declared[];
}

function addPlanFlags(command: Command): Command {
  return command
    .argument('<id>', 'its id: a-z, 0-9 and "-"', parseId)
    .option('--label <name=value>', 'for consumers with this label; repeatable: with all of them', collectLabel)
    .addOption(
      new Option('--endpoint <id>', 'over this endpoint; repeatable').argParser(collectId).conflicts('endpointLabel'),
    )
    .option('--endpoint-label <name=value>', 'over the endpoints with this label; repeatable', collectLabel)
    .option('--priority <number>', 'of several that cover a request, the highest counts; 0', parseInteger)
    .option('--limit <limit>', 'for each consumer, such as 5000000/month; repeatable', collectPlanLimit);
}

const notes = `Without --label it covers every consumer, without --endpoint and --endpoint-label every endpoint. UNIT is second,
minute, hour, day or month (UTC). Limits of endpoints and grants hold beside it.
${planBounds} ${labelBounds}`;

function registerCreate(noun: Command, context: CommandContext): void {
  const command = addPlanFlags(noun.command('create').description('Create a plan.'));
  addChangeAction(command, context, {
    notes,
    examples: ['postern plan create gold --label tier=gold --priority 20 --limit 5000000/month --limit 50/second'],
    exits: { conflict: 'taken, or the priority is' },
    plan: async (store, flags: PlanFlags, id: string) => {
      if ((await store.resources.find('plan', id)) === null) return await planCreation(store, flags, id);
      throw new Conflict(`the plan "${id}" already exists; change it with "postern plan set ${id}"`);
    },
  });
}

async function planCreation({ resources }: OpenedStore, flags: PlanFlags, id: string): Promise<ChangePlan> {
  const changes = changesOf(planNewPlan(id, changeWishOf(flags, fields), await listPlans(resources)), fields);
  return { changes, done: `Plan ${id} created.` };
}

function registerSet(noun: Command, context: CommandContext): void {
  const command = addPlanFlags(
    noun.command('set').description('Create a plan, or change it: only what is given changes.'),
  ).option(
    '--unset <flag>',
    `remove the value of ${clearable.join(', ')}; repeatable`,
    unsetCollector(fields, clearable),
  );
  addRevisionOption(command);
  addChangeAction(command, context, {
    notes: `${notes}\nEach flag replaces all that it gave before: give all limits again.`,
    examples: [
      'postern plan set gold --label tier=gold --limit 5000000/month --limit 50/second',
      'postern plan set bulk --endpoint orders --endpoint stock --priority 30 --limit 100000/day',
    ],
    exits: { conflict: 'changed by others, or the priority is taken' },
    plan: async (store, flags: PlanFlags & { readonly revision?: number }, id: string) => {
      const { resources } = store;
      const current = await resources.find('plan', id);
      if (current === null && flags.revision === undefined) return await planCreation(store, flags, id);
      const there = current ?? (await requireResource(resources, 'plan', id));
      guardRevision('plan', id, there, flags.revision);
      const planned = planPlanEdit(there, changeWishOf(flags, fields), await listPlans(resources));
      return { changes: changesOf(planned, fields), done: `Plan ${id} changed.`, already: `Plan ${id} is so already.` };
    },
  });
}

function registerDelete(noun: Command, context: CommandContext): void {
  const command = noun.command('delete').description('Delete a plan: its limits hold no longer.');
  addResourceAction(command, context, 'plan', {
    isAsking: true,
    notes: 'Its consumers then have the plan with the next lower priority that covers them, or none.',
    examples: ['postern plan delete gold', 'postern plan delete gold --yes --dry-run'],
    plan: (current) => ({
      changes: [planPlanDeletion(current)],
      question: `Delete the plan ${current.resource.id}?`,
      done: `Plan ${current.resource.id} deleted.`,
    }),
  });
}

const view: ListView<Stored<Plan>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'PRIORITY', cell: ({ resource }) => String(resource.priority) },
    {
      heading: 'CONSUMERS',
      cell: ({ resource }) => describeLabels(resource.consumerSelector) || 'all',
      canShrink: true,
    },
    { heading: 'ENDPOINTS', cell: ({ resource }) => describeEndpoints(resource), canShrink: true },
    { heading: 'LIMITS', cell: ({ resource }) => resource.limits.map(formatPlanLimit).join(', ') },
  ],
  declare: (stored) => ({ ...declarePlan(stored.resource), ...declareVersion(stored) }),
  none: 'There is no such plan. "postern plan create" creates one.',
};

function describeEndpoints({ endpointIds, endpointSelector }: Plan): string {
  return endpointIds?.join(', ') ?? (describeLabels(endpointSelector ?? {}) || 'all');
}

function registerList(noun: Command, context: CommandContext): void {
  const command = noun.command('list').description('List the plans, the one that counts first at the top.');
  addReadAction(command, context, {
    examples: ['postern plan list', 'postern plan list -o json'],
    show: async ({ resources }, { output }: StoreFlags) => {
      const stored = await collectAll(resources.list('plan'));
      const ranked = [...stored].sort((one, other) => other.resource.priority - one.resource.priority);
      await printList(inTurn(ranked), view, output, context.terminal);
    },
  });
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

/** Consumers whose use is shown where nothing is said. */
const USUAL_ROWS = 20;

function registerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show a plan, and how much of it consumers have used.')
    .argument('<id>', 'its id', parseId)
    .option('--limit <number>', `so many consumers at most; ${String(USUAL_ROWS)}`, parseCount, USUAL_ROWS);
  addReadAction(command, context, {
    notes: `Used are the requests of the hour, day or month (UTC) that replicas counted as allowed; they report once a minute.
Seconds and minutes are not shown.`,
    examples: ['postern plan show gold', 'postern plan show gold -o json'],
    exits: { notFound: 'no such plan' },
    show: async (
      { resources, traffic, answers },
      { output, limit }: StoreFlags & { readonly limit: number },
      id: string,
    ) => {
      const { terminal, clock } = context;
      const stored = await requireResource(resources, 'plan', id);
      const nowSeconds = clock.nowSeconds();
      const all =
        answers === undefined
          ? await readPlanUse({ resources, traffic, nowSeconds }, { consumers: 'each', planId: id })
          : await answers.planUse({ plan: id, limit });
      const uses = all.slice(0, limit);
      if (output !== 'table') {
        const use = uses.map(declarePlanUse);
        terminal.out.write(formatData({ ...declarePlan(stored.resource), ...declareVersion(stored), use }, output));
        return;
      }
      const { resource } = stored;
      const shown = [
        ['consumers', describeLabels(resource.consumerSelector) || 'all'] as const,
        ['endpoints', describeEndpoints(resource)] as const,
        ['limits', resource.limits.map(formatPlanLimit)] as const,
        ['priority', String(resource.priority)] as const,
        ...versionFields(stored, nowSeconds),
      ];
      printFields(`plan ${id}`, shown, terminal);
      printSection('used', uses, planUseView(nowSeconds), terminal);
    },
  });
}
