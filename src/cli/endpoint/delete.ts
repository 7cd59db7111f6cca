import type { Command } from 'commander';
import { planEndpointDeletion } from '../../manage/endpoints/plan-endpoint-deletion.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, addYesOption, type ChangeFlags } from '../flags/store-options.ts';
import { count } from '../render/format-time.ts';
import { changeStore } from '../store/change-store.ts';
import { collectAll } from '../store/collect-all.ts';
import { requireResource } from '../store/require-resource.ts';

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
      const code = await changeStore(context, 'endpoint delete', flags, async ({ resources }) => {
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
      context.finish(code);
    });
}
