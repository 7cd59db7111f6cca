import type { Command } from 'commander';
import { planNewEndpoint } from '../../manage/endpoints/plan-endpoint.ts';
import { planGrant } from '../../manage/grants/plan-grant.ts';
import type { CommandContext } from '../command-context.ts';
import { collectId, parseId } from '../flags/parse-id.ts';
import { addChangeOptions, type ChangeFlags } from '../flags/store-options.ts';
import { count } from '../render/format-time.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { addEndpointFlags, endpointFlagOf, type EndpointFlags, wishOf } from './endpoint-flags.ts';
import { grantFlagOf } from '../grant/grant-flags.ts';
import { listEndpoints } from './list-endpoints.ts';

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
      const code = await changeStore(context, 'endpoint create', flags, async ({ resources }) => {
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
      context.finish(code);
    });
}
