import { type Command, Option } from 'commander';
import type { Declared } from '../../resources/declared.ts';
import {
  type EndpointField,
  type EndpointWish,
  planEndpointDeletion,
  planEndpointEdit,
  planNewEndpoint,
} from '../../manage/plan-endpoint.ts';
import { planGrant } from '../../manage/plan-grant.ts';
import { accessConditions, authenticationMethods, type PathRule, scenarios } from '../../model/endpoint.ts';
import { changeExits, type CommandContext, helpText } from '../command.ts';
import { UsageError } from '../failure.ts';
import { addChangeOptions, type ChangeFlags, unsetCollector } from '../flags/options.ts';
import { collect, collectId, collectLimit, collectOption, collectPathRule, parseId } from '../flags/values.ts';
import { grantFlagOf } from '../grant.ts';
import { count } from '../../printable.ts';
import { changesOf, changeStore } from '../store/change-store.ts';
import { collectAll, listEndpoints, requireResource } from '../store/read-store.ts';
import { addEnableVerbs, addResourceVerb } from '../store/resource-verbs.ts';

/** The flags that describe an endpoint; they mirror the declarative file (interfaces §4). */
interface EndpointFlags {
  readonly scenario?: string;
  readonly description?: string;
  readonly host?: readonly string[];
  readonly path?: readonly PathRule[];
  readonly method?: readonly string[];
  readonly authentication?: string;
  readonly accessCondition?: string;
  readonly limit?: readonly Declared[];
  readonly option?: Declared;
  /** Of `edit` only. */
  readonly unset?: readonly EndpointField[];
}

/** Adds the flags that `create` and `edit` share. */
function addEndpointFlags(command: Command): Command {
  return command
    .addOption(new Option('--scenario <scenario>', 'whether callers are authenticated').choices(scenarios))
    .option('--description <text>', 'a description for operators')
    .option('--host <host>', 'api.example.com or *.example.com; any host when left out; repeatable', collect)
    .option('--path <path>', '/orders: everything below; exact:/orders: this path only; repeatable', collectPathRule)
    .option('--method <method>', 'GET, POST, …; any method when left out; repeatable', collect)
    .addOption(new Option('--authentication <method>', 'how callers prove who they are').choices(authenticationMethods))
    .addOption(new Option('--access-condition <condition>', 'which of them are let in').choices(accessConditions))
    .option(
      '--limit <limit>',
      'traffic control, such as 100/minute/consumer or 5000/hour/endpoint; repeatable',
      collectLimit,
    )
    .option('--option <name=value>', 'an option, such as clockSkewSeconds=60; repeatable', collectOption);
}

/** What the flags wish. */
export function wishOf(flags: EndpointFlags): EndpointWish {
  const { host, path, method, limit, option } = flags;
  const { scenario, description, authentication, accessCondition, unset } = flags;
  const lists = { hosts: host, paths: path, methods: method, limits: limit, options: option };
  const wished = { scenario, description, authentication, accessCondition, unset, ...lists };
  return Object.fromEntries(Object.entries(wished).filter(([, value]) => value !== undefined));
}

const flagOfField: Readonly<Record<string, string>> = {
  id: 'ID',
  scenario: '--scenario',
  description: '--description',
  'match.hosts': '--host',
  'match.paths': '--path',
  'match.methods': '--method',
  authentication: '--authentication',
  accessCondition: '--access-condition',
  trafficControl: '--limit',
  enabled: '--disabled',
};

/** The flag that sets what a path of a declared endpoint leads to. */
export function endpointFlagOf(path: string): string | null {
  const option = /^options\.(\w+)/.exec(path)?.[1];
  if (option !== undefined) return `--option ${option}`;
  const field = Object.keys(flagOfField).find(
    (known) => path === known || (/^[.[]/.test(path.slice(known.length)) && path.startsWith(known)),
  );
  return field === undefined ? null : (flagOfField[field] ?? null);
}

interface CreateFlags extends EndpointFlags, ChangeFlags {
  readonly grant?: readonly string[];
  readonly disabled?: true;
}

/** Adds `postern endpoint create`. */
export function registerEndpointCreate(noun: Command, context: CommandContext): void {
  const command = noun
    .command('create')
    .description('Create an endpoint: which requests it takes, and how their callers are authenticated.')
    .argument('<id>', 'its id: a-z, 0-9 and "-"', parseId);
  addEndpointFlags(command)
    .option('--grant <consumer>', 'authorise this consumer on it; repeatable', collectId)
    .option('--disabled', 'refuse its requests until "endpoint enable"');
  addChangeOptions(command)
    .addHelpText(
      'after',
      helpText({
        notes: `It needs --path, and --authentication unless it is open to every caller (--scenario open). Lists in options have commas:
algorithms=hmac-sha256,hmac-sha512 or keyNames=header:X-Key,query:key.`,
        examples: [
          'postern endpoint create orders --path /orders --authentication hmac',
          `postern endpoint create invoices --host api.example.com --path /invoices --path exact:/invoice-status \\
      --method GET --method POST --authentication parameter-signature \\
      --access-condition authenticated-and-authorized --grant acme --limit 100/minute/consumer \\
      --option requireTimestamp=true`,
          'postern endpoint create status --path exact:/status --scenario open --dry-run',
        ],
        exits: { ...changeExits, notFound: 'no such consumer', conflict: 'taken' },
      }),
    )
    .action(async (id: string, flags: CreateFlags) => {
      await changeStore(context, 'endpoint create', flags, async ({ resources }) => {
        const consumers = [...new Set(flags.grant ?? [])];
        for (const consumer of consumers) await requireResource(resources, 'consumer', consumer);
        const wish = { ...wishOf(flags), ...(flags.disabled === true ? { enabled: false } : {}) };
        const endpoint = changesOf(planNewEndpoint(id, wish, await listEndpoints(resources)), endpointFlagOf);
        const grants = consumers.flatMap((consumerId) =>
          changesOf(planGrant({ endpointId: id, consumerId }, {}, null), grantFlagOf),
        );
        const granted = grants.length === 0 ? '' : `, ${count(grants.length, 'consumer')} authorised on it`;
        const state = flags.disabled === true ? ', disabled' : '';
        return { changes: [...endpoint, ...grants], done: `Endpoint ${id} created${state}${granted}.` };
      });
    });
}

const clearable = {
  fields: {
    description: 'description',
    host: 'hosts',
    method: 'methods',
    'access-condition': 'accessCondition',
    limit: 'limits',
    option: 'options',
  },
  keyed: ['option'],
};

/** Adds `postern endpoint edit`. */
export function registerEndpointEdit(noun: Command, context: CommandContext): void {
  addResourceVerb<'endpoint', EndpointFlags>(noun, context, {
    kind: 'endpoint',
    verb: 'edit',
    description: 'Change an endpoint: only what is given changes.',
    addFlags: (command) =>
      addEndpointFlags(command).option(
        '--unset <flag>',
        'restore the default of host, method, description, access-condition, limit, option or option.NAME; repeatable',
        unsetCollector(clearable),
      ),
    notes: `--host, --path, --method and --limit replace the whole list; --option changes one option and keeps the others.
--scenario open also removes authentication and access condition.`,
    examples: [
      'edit orders --method GET --method POST --option clockSkewSeconds=60',
      'edit orders --access-condition authenticated-and-authorized --dry-run',
      'edit orders --unset method --unset option.clockSkewSeconds --revision 3',
    ],
    conflict: 'changed by others, or taken',
    plan: async (current, flags, { resources }) => {
      const wish = wishOf(flags);
      if (Object.keys(wish).length === 0) throw new UsageError('no change is given; see --help');
      const planned = planEndpointEdit(current, wish, await listEndpoints(resources));
      return { changes: changesOf(planned, endpointFlagOf), done: `Endpoint ${current.resource.id} changed.` };
    },
  });
}

/** Adds `postern endpoint enable` and `disable`. */
export function registerEndpointEnable(noun: Command, context: CommandContext): void {
  addEnableVerbs(noun, context, 'endpoint', {
    enable: 'Accept the requests of an endpoint again.',
    disable: 'Refuse all requests of an endpoint with 404; no other endpoint takes them.',
    example: 'orders',
    // Without the other endpoints: being enabled changes no match, so it cannot collide.
    plan: (current, enabled) => planEndpointEdit(current, { enabled }, []),
    flagOf: endpointFlagOf,
  });
}

/** Adds `postern endpoint delete`. */
export function registerEndpointDelete(noun: Command, context: CommandContext): void {
  addResourceVerb(noun, context, {
    kind: 'endpoint',
    verb: 'delete',
    description: 'Delete an endpoint with its grants. Its requests go to a broader endpoint, if there is one.',
    isAsking: true,
    notes: 'To refuse its requests and keep it, use "endpoint disable".',
    examples: ['delete orders', 'delete orders --yes --revision 3'],
    plan: async (current, _flags, { resources }) => {
      const { id } = current.resource;
      const grants = await collectAll(resources.list('grant', { endpointId: id }));
      const withGrants = grants.length === 0 ? '' : ` and ${count(grants.length, 'grant')} on it`;
      return {
        changes: planEndpointDeletion(current, grants),
        // First the grants, each by itself: no caller is let in by what is left.
        inSteps: true,
        question: `Delete the endpoint ${id}${withGrants}?`,
        done: `Endpoint ${id}${withGrants} deleted.`,
      };
    },
  });
}
