import { type Command, Option } from 'commander';
import { collectAll, listGroupGrants } from '../../resources/changes/resource-store.ts';
import { declareVersion } from '../../resources/declare-resource.ts';
import { declareWholeEndpoint } from '../../resources/endpoint.ts';
import { declareGrant } from '../../resources/grant.ts';
import { renderValue } from '../../resources/changes/render-change.ts';
import type { Stored } from '../../resources/resource.ts';
import { authenticationMethods, type Endpoint } from '../../model/endpoint.ts';
import { type Grant, type GroupGrant, isGroupGrant } from '../../model/grant.ts';
import { rankGrants } from '../../model/grant-in-effect.ts';
import { carries, describeLabels, type LabelSelector } from '../../model/labels.ts';
import { formatLimit } from '../../model/limit.ts';
import { addNoun, type CommandContext } from '../command.ts';
import type { StoreFlags } from '../flags/options.ts';
import { collectLabel, formatPathRule, parseId } from '../flags/values.ts';
import { formatData } from '../render/data.ts';
import { formatHolder } from '../render/grants.ts';
import { type ListView, printList } from '../render/list.ts';
import { count } from '../../base/text/printable.ts';
import { type Field, formatLimits, printFields, versionFields } from '../render/text.ts';
import { addReadAction, requireResource, selectFrom } from '../store/read-store.ts';
import {
  registerEndpointCreate,
  registerEndpointDelete,
  registerEndpointEdit,
  registerEndpointEnable,
} from './change.ts';

/** Adds `postern endpoint` with its verbs. */
export function registerEndpoint(program: Command, context: CommandContext): void {
  const about = 'Protected APIs: which requests, how callers are authenticated, who is let in.';
  const noun = addNoun(program, 'endpoint', about, 'endpoint create orders --path /orders --authentication hmac');
  registerEndpointCreate(noun, context);
  registerEndpointEdit(noun, context);
  registerEndpointList(noun, context);
  registerEndpointShow(noun, context);
  registerEndpointEnable(noun, context);
  registerEndpointDelete(noun, context);
}

interface ListFlags extends StoreFlags {
  readonly authentication?: string;
  readonly label?: LabelSelector;
  readonly disabled?: true;
}

const view: ListView<Stored<Endpoint>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'AUTHENTICATION', cell: ({ resource }) => resource.authentication ?? '-' },
    { heading: 'LETS IN', cell: ({ resource }) => accessOf(resource) },
    { heading: 'REQUESTS', cell: ({ resource }) => matchOf(resource), canShrink: true },
    { heading: 'LABELS', cell: ({ resource }) => describeLabels(resource.labels) || '-', canShrink: true },
    { heading: 'LIMITS', cell: ({ resource }) => formatLimits(resource.limits), canShrink: true },
    {
      heading: 'STATE',
      cell: ({ resource }) => stateOf(resource),
      paint: (text, { resource }, paint) => (resource.enabled ? text : paint.yellow(text)),
    },
  ],
  declare: (stored) => ({ ...declareWholeEndpoint(stored.resource), ...declareVersion(stored) }),
  none: 'There is no such endpoint. "postern endpoint create" creates one.',
};

function registerEndpointList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List the endpoints.')
    .addOption(new Option('--authentication <method>', 'those of this method').choices(authenticationMethods))
    .option('--label <name=value>', 'those with this label; repeatable', collectLabel)
    .option('--disabled', 'those that are disabled');
  addReadAction(command, context, {
    examples: ['postern endpoint list --label team=payments', 'postern endpoint list --authentication hmac -o json'],
    show: async ({ resources }, { authentication, label = {}, disabled, output }: ListFlags) => {
      const isWanted = ({ resource }: Stored<Endpoint>): boolean =>
        (authentication === undefined || resource.authentication === authentication) &&
        carries(resource.labels, label) &&
        (disabled === undefined || !resource.enabled);
      await printList(selectFrom(resources.list('endpoint'), isWanted), view, output, context.terminal);
    },
  });
}

function stateOf({ enabled, options }: Endpoint): string {
  if (!enabled) return 'disabled';
  return options.mode === 'observe' ? 'observing' : 'enabled';
}

/** Grants that are read for a look at their endpoint: there can be one for every consumer. */
const MAX_GRANTS = 10;

function registerEndpointShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show an endpoint with all its options and who is authorised on it.')
    .argument('<id>', 'its id', parseId);
  addReadAction(command, context, {
    notes: `Who is authorised: the first ten consumers with a grant of their own, and every grant for labels; for all of them,
"postern grant list --endpoint ID".`,
    examples: ['postern endpoint show orders', 'postern endpoint show orders -o yaml'],
    exits: { notFound: 'no such endpoint' },
    show: async ({ resources }, { output }: StoreFlags, id: string) => {
      const { terminal, clock } = context;
      const stored = await requireResource(resources, 'endpoint', id);
      const groups = rankGrants(await listGroupGrants(resources, id));
      const isOwn = ({ resource }: Stored<Grant>): boolean => !isGroupGrant(resource);
      const some = selectFrom(resources.list('grant', { endpointId: id }), isOwn, MAX_GRANTS + 1);
      const own = (await collectAll(some)).map(({ resource }) => resource);
      if (output !== 'table') {
        const authorised = { authorised: declareAuthorised(own, groups) };
        terminal.out.write(formatData({ ...view.declare(stored), ...authorised }, output));
        return;
      }
      const authorised = authorisedOn(stored.resource, own, groups);
      const fields = [...fieldsOf(stored.resource, authorised), ...versionFields(stored, clock.nowSeconds())];
      printFields(`endpoint ${id}${stored.resource.enabled ? '' : ' (disabled)'}`, fields, terminal);
    },
  });
}

function fieldsOf(endpoint: Endpoint, authorised: readonly string[]): readonly Field[] {
  const { description, labels, scenario, match, limits, options } = endpoint;
  const { hosts, paths, methods } = match;
  return [
    ['description', description === '' ? null : description],
    ['labels', describeLabels(labels) || null],
    ['scenario', scenario],
    ['hosts', hosts.length === 0 ? 'any' : hosts],
    ['paths', paths.map((rule) => ('prefix' in rule ? `${rule.prefix} and below` : formatPathRule(rule)))],
    ['methods', methods.length === 0 ? 'any' : methods.join(', ')],
    ['authentication', endpoint.authentication],
    ['access condition', endpoint.scenario === 'open' ? null : endpoint.accessCondition],
    ['authorised', authorised],
    ['limits', limits.length === 0 ? 'none' : limits.map(formatLimit)],
    ['options', Object.entries(options).map(([name, value]) => `${name}: ${renderValue(value)}`)],
  ];
}

/** Who has grants: single consumers, and the groups as they are looked at after those. */
function authorisedOn({ id }: Endpoint, own: readonly Grant[], groups: readonly GroupGrant[]): readonly string[] {
  const names = own.map(formatHolder).join(', ');
  const consumers =
    own.length > MAX_GRANTS
      ? `more than ${String(MAX_GRANTS)} consumers: postern grant list --endpoint ${id}`
      : `${count(own.length, 'consumer')}: ${names}`;
  if (groups.length === 0) return [own.length === 0 ? 'no consumer' : consumers];
  const who = `who may call it, and by which grant: postern who-may ${id}`;
  return [...(own.length === 0 ? [] : [consumers]), ...groups.map((grant) => `all with ${formatHolder(grant)}`), who];
}

/** The same for programs: grants without their endpoint, and whether these are all. */
function declareAuthorised(own: readonly Grant[], groups: readonly GroupGrant[]): object {
  const grants = [...own.slice(0, MAX_GRANTS), ...groups].map((grant) =>
    Object.fromEntries(Object.entries(declareGrant(grant)).filter(([name]) => name !== 'endpoint')),
  );
  return { grants, isComplete: own.length <= MAX_GRANTS };
}

/** Who is let in, in one word or two. */
export function accessOf(endpoint: Endpoint): string {
  if (endpoint.scenario === 'open') return 'everybody';
  return endpoint.accessCondition === 'authenticated' ? 'authenticated' : 'granted only';
}

/** Which requests it takes, on one line: `GET,POST api.example.com /orders, exact:/order-status`. */
export function matchOf({ match: { hosts, paths, methods } }: Endpoint): string {
  const parts = [methods.join(','), hosts.join(','), paths.map(formatPathRule).join(', ')];
  return parts.filter((part) => part !== '').join(' ');
}
