import type { Command } from 'commander';
import { planEndpointEdit } from '../../manage/endpoints/plan-endpoint.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, type ChangeFlags } from '../flags/store-options.ts';
import { unsetCollector } from '../flags/unset.ts';
import { UsageError } from '../partner/usage-error.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { addEndpointFlags, endpointFlagOf, type EndpointFlags, wishOf } from './endpoint-flags.ts';
import { listEndpoints } from './list-endpoints.ts';

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
      const code = await changeStore(context, 'endpoint edit', flags, async ({ resources }) => {
        const wish = wishOf(flags);
        if (Object.keys(wish).length === 0) throw new UsageError('nothing to change is given; see --help');
        const current = await requireResource(resources, 'endpoint', id);
        guardRevision('endpoint', id, current, flags.revision);
        const changes = changesOf(planEndpointEdit(current, wish, await listEndpoints(resources)), endpointFlagOf);
        return { changes, done: `Endpoint ${id} changed.` };
      });
      context.finish(code);
    });
}
