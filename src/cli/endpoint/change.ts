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
import { guardRevision } from '../../manage/resource-store.ts';
import { accessConditions, authenticationMethods, type PathRule, scenarios } from '../../model/endpoint.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import {
  addChangeOptions,
  addRevisionOption,
  addYesOption,
  type ChangeFlags,
  unsetCollector,
} from '../flags/options.ts';
import { collect, collectId, collectLimit, collectOption, collectPathRule, parseId } from '../flags/values.ts';
import { grantFlagOf } from '../grant.ts';
import { count } from '../render/text.ts';
import { changesOf, changeStore } from '../store/change-store.ts';
import { registerEnable } from '../store/enable.ts';
import { collectAll, listEndpoints, requireResource } from '../store/read-store.ts';

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
    .option('--description <text>', 'what it is, for people')
    .option('--host <host>', 'api.example.com or *.example.com; any host without it; repeatable', collect)
    .option('--path <path>', '/orders: everything below; exact:/orders: this path only; repeatable', collectPathRule)
    .option('--method <method>', 'GET, POST, …; any method without it; repeatable', collect)
    .addOption(new Option('--authentication <method>', 'how callers prove who they are').choices(authenticationMethods))
    .addOption(new Option('--access-condition <condition>', 'who of them is let in').choices(accessConditions))
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
    .description('Make an endpoint: which requests it takes, and how their callers are authenticated.')
    .argument('<id>', 'its id: a-z, 0-9 and "-"', parseId);
  addEndpointFlags(command)
    .option('--grant <consumer>', 'authorise this consumer on it; repeatable', collectId)
    .option('--disabled', 'refuse its requests until "endpoint enable"');
  addChangeOptions(command)
    .addHelpText(
      'after',
      `
It needs --path, and --authentication unless it is open to everybody (--scenario open). Lists in options have commas:
algorithms=hmac-sha256,hmac-sha512 or keyNames=header:X-Key,query:key.

Examples:
  $ postern endpoint create orders --path /orders --authentication hmac
  $ postern endpoint create invoices --host api.example.com --path /invoices --path exact:/invoice-status \\
      --method GET --method POST --authentication parameter-signature \\
      --access-condition authenticated-and-authorized --grant acme --limit 100/minute/consumer \\
      --option requireTimestamp=true
  $ postern endpoint create status --path exact:/status --scenario open --dry-run

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 4 taken, 5 the store is unreachable,
6 unknown: it may be in force.`,
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

type EditFlags = EndpointFlags & ChangeFlags & { readonly revision?: number };

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
  const command = noun
    .command('edit')
    .description('Change an endpoint: what is given changes, all else stays.')
    .argument('<id>', 'its id', parseId);
  addEndpointFlags(command).option(
    '--unset <flag>',
    'the default again for host, method, description, access-condition, limit, option or option.NAME; repeatable',
    unsetCollector(clearable),
  );
  addChangeOptions(addRevisionOption(command))
    .addHelpText(
      'after',
      `
--host, --path, --method and --limit replace the whole list; --option changes one option and keeps the others.
With --scenario open, authentication and access condition go.

Examples:
  $ postern endpoint edit orders --method GET --method POST --option clockSkewSeconds=60
  $ postern endpoint edit orders --access-condition authenticated-and-authorized --dry-run
  $ postern endpoint edit orders --unset method --unset option.clockSkewSeconds --revision 3

Exit codes: 0 done, 1 failed, 2 usage, 3 no such endpoint, 4 changed meanwhile or taken, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: EditFlags) => {
      await changeStore(context, 'endpoint edit', flags, async ({ resources }) => {
        const wish = wishOf(flags);
        if (Object.keys(wish).length === 0) throw new UsageError('nothing to change is given; see --help');
        const current = await requireResource(resources, 'endpoint', id);
        guardRevision('endpoint', id, current, flags.revision);
        const changes = changesOf(planEndpointEdit(current, wish, await listEndpoints(resources)), endpointFlagOf);
        return { changes, done: `Endpoint ${id} changed.` };
      });
    });
}

/** Adds `postern endpoint enable` and `disable`. */
export function registerEndpointEnable(noun: Command, context: CommandContext): void {
  registerEnable(noun, context, {
    kind: 'endpoint',
    enable: 'Take the requests of an endpoint again.',
    disable: 'Refuse all requests of an endpoint with 404; they fall to no other one.',
    example: 'orders',
    // Beside no others: that it is enabled or not changes no match, so it cannot collide.
    plan: (current, enabled) => planEndpointEdit(current, { enabled }, []),
    flagOf: endpointFlagOf,
  });
}

/** Adds `postern endpoint delete`. */
export function registerEndpointDelete(noun: Command, context: CommandContext): void {
  const command = noun
    .command('delete')
    .description('Delete an endpoint with the grants on it. Its requests fall to a wider endpoint, if there is one.')
    .argument('<id>', 'its id', parseId);
  addChangeOptions(addYesOption(addRevisionOption(command)))
    .addHelpText(
      'after',
      `
To refuse its requests and keep it, use "endpoint disable".

Examples:
  $ postern endpoint delete orders
  $ postern endpoint delete orders --yes --revision 3

Exit codes: 0 done, 1 failed or not confirmed, 2 usage, 3 no such endpoint, 4 changed meanwhile,
5 the store is unreachable, 6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      await changeStore(context, 'endpoint delete', flags, async ({ resources }) => {
        const current = await requireResource(resources, 'endpoint', id);
        guardRevision('endpoint', id, current, flags.revision);
        const grants = await collectAll(resources.list('grant', { endpointId: id }));
        const withGrants = grants.length === 0 ? '' : ` and ${count(grants.length, 'grant')} on it`;
        return {
          changes: planEndpointDeletion(current, grants),
          // First the grants, each by itself: nobody is let in by what is left.
          inSteps: true,
          question: `Delete the endpoint ${id}${withGrants}?`,
          done: `Endpoint ${id}${withGrants} deleted.`,
        };
      });
    });
}
