import { type Command, Option } from 'commander';
import { collectAll, listEndpoints } from '../../resources/changes/resource-store.ts';
import {
  planEndpointDeletion,
  planEndpointEdit,
  planNewEndpoint,
  requireUnlisted,
} from '../../resources/changes/plan-endpoint.ts';
import { planGrant } from '../../resources/changes/plan-grant.ts';
import { accessConditions, authenticationMethods, scenarios } from '../../model/endpoint.ts';
import { count } from '../../base/text/printable.ts';
import type { CommandContext } from '../command.ts';
import { endpointBounds, labelBounds } from '../flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, unsetCollector, wishOf } from '../flags/fields.ts';
import {
  collect,
  collectId,
  collectLabel,
  collectLimit,
  collectOption,
  collectPathRule,
  parseId,
} from '../flags/values.ts';
import { notesOnLetIn } from './let-in.ts';
import { grantFields } from '../grant.ts';
import { addChangeAction } from '../store/change-store.ts';
import { requireResource } from '../store/read-store.ts';
import { addEnableVerbs, addResourceAction } from '../store/resource-verbs.ts';

/** The flags that set the fields of an endpoint. */
export const endpointFields: FieldFlags = {
  scenario: '--scenario',
  description: '--description',
  'labels.*': '--label',
  'match.hosts': '--host',
  'match.paths': '--path',
  'match.methods': '--method',
  authentication: '--authentication',
  accessCondition: '--access-condition',
  'trafficControl.limits': '--limit',
  'options.*': '--option',
};

/** Adds the flags that `create` and `edit` share. */
function addEndpointFlags(command: Command): Command {
  return command
    .addOption(new Option('--scenario <scenario>', 'whether callers are authenticated').choices(scenarios))
    .option('--description <text>', 'a description for operators')
    .option('--label <name=value>', 'a label for operators, such as team=payments; repeatable', collectLabel)
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

interface CreateFlags {
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
  addChangeAction(command, context, {
    notes: `It needs --path, and --authentication unless it is open to every caller (--scenario open). Lists in options have commas:
algorithms=hmac-sha256,hmac-sha512 or keyNames=header:X-Key,header:Authorization:Bearer.
${endpointBounds} ${labelBounds}`,
    examples: [
      'postern endpoint create orders --path /orders --authentication hmac',
      `postern endpoint create payments --path /payments --authentication http-message-signature \\
      --option replayProtection=true`,
      `postern endpoint create invoices --host api.example.com --path /invoices --path exact:/invoice-status \\
      --method GET --method POST --authentication parameter-signature \\
      --access-condition authenticated-and-authorized --grant acme --limit 100/minute/consumer \\
      --option requireTimestamp=true`,
      'postern endpoint create status --path exact:/status --scenario open --dry-run',
    ],
    exits: { notFound: 'no such consumer', conflict: 'taken' },
    plan: async ({ resources }, flags: CreateFlags, id: string) => {
      const consumers = [...new Set(flags.grant ?? [])];
      for (const consumer of consumers) await requireResource(resources, 'consumer', consumer);
      const wish = { ...wishOf(flags, endpointFields), ...(flags.disabled === true ? { enabled: false } : {}) };
      const endpoint = changesOf(planNewEndpoint(id, wish, await listEndpoints(resources)), endpointFields);
      const grants = consumers.flatMap((consumerId) =>
        changesOf(planGrant({ endpointId: id, consumerId }, {}, null), grantFields),
      );
      const notes = await notesOnLetIn(resources, endpoint[0], context.clock.nowSeconds());
      const granted = grants.length === 0 ? '' : `, ${count(grants.length, 'consumer')} authorised on it`;
      const state = flags.disabled === true ? ', disabled' : '';
      return { changes: [...endpoint, ...grants], notes, done: `Endpoint ${id} created${state}${granted}.` };
    },
  });
}

/** Adds `postern endpoint edit`. */
export function registerEndpointEdit(noun: Command, context: CommandContext): void {
  const command = noun.command('edit').description('Change an endpoint: only what is given changes.');
  addEndpointFlags(command).option(
    '--unset <flag>',
    'restore the default of host, method, description, label, label.NAME, access-condition, limit, option or option.NAME; repeatable',
    unsetCollector(endpointFields, ['description', 'label', 'host', 'method', 'access-condition', 'limit', 'option']),
  );
  addResourceAction(command, context, 'endpoint', {
    notes: `--host, --path, --method and --limit replace the whole list; --option changes one option, --label one label.
--scenario open also removes authentication and access condition.`,
    examples: [
      'postern endpoint edit orders --method GET --method POST --option clockSkewSeconds=60',
      'postern endpoint edit orders --access-condition authenticated-and-authorized --dry-run',
      'postern endpoint edit orders --unset method --unset option.clockSkewSeconds --revision 3',
    ],
    exits: { conflict: 'changed by others, or taken' },
    plan: async (current, flags, { resources }) => {
      const planned = planEndpointEdit(current, changeWishOf(flags, endpointFields), await listEndpoints(resources));
      const changes = changesOf(planned, endpointFields);
      const notes = await notesOnLetIn(resources, changes[0], context.clock.nowSeconds());
      return { changes, notes, done: `Endpoint ${current.resource.id} changed.` };
    },
  });
}

/** Adds `postern endpoint enable` and `disable`. */
export function registerEndpointEnable(noun: Command, context: CommandContext): void {
  const about = {
    enable: 'Accept the requests of an endpoint again.',
    disable: 'Refuse all requests of an endpoint with 404; no other endpoint takes them.',
    exampleId: 'orders',
  };
  // Without the other endpoints: being enabled changes no match, so it cannot collide.
  addEnableVerbs(noun, context, 'endpoint', about, (current, wish) => planEndpointEdit(current, wish, []));
}

/** Adds `postern endpoint delete`. */
export function registerEndpointDelete(noun: Command, context: CommandContext): void {
  const command = noun
    .command('delete')
    .description('Delete an endpoint with its grants. Its requests go to a broader endpoint, if there is one.');
  addResourceAction(command, context, 'endpoint', {
    isAsking: true,
    notes: `To refuse its requests and keep it, use "endpoint disable".
An endpoint that plans list is not deleted: the message names them.`,
    exits: { conflict: 'changed by others, or a plan lists it' },
    examples: ['postern endpoint delete orders', 'postern endpoint delete orders --yes --revision 3'],
    plan: async (current, _flags, { resources }) => {
      const { id } = current.resource;
      await requireUnlisted(id, resources);
      const grants = await collectAll(resources.list('grant', { endpointId: id }));
      const withGrants = grants.length === 0 ? '' : ` and ${count(grants.length, 'grant')} on it`;
      return {
        changes: planEndpointDeletion(current, grants),
        // The grants first, so that what is left after any step lets no caller in.
        inSteps: true,
        question: `Delete the endpoint ${id}${withGrants}?`,
        done: `Endpoint ${id}${withGrants} deleted.`,
      };
    },
  });
}
