import type { Command } from 'commander';
import { planConsumerDeletion } from '../../manage/consumers/plan-consumer-deletion.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, addYesOption, type ChangeFlags } from '../flags/store-options.ts';
import { count } from '../render/format-time.ts';
import { changeStore } from '../store/change-store.ts';
import { collectAll } from '../store/collect-all.ts';
import { requireResource } from '../store/require-resource.ts';

/** Adds `postern consumer delete`. */
export function registerConsumerDelete(noun: Command, context: CommandContext): void {
  const command = noun
    .command('delete')
    .description('Delete a consumer, revoke its credentials for good and remove its grants, all at once.')
    .argument('<id>', 'its id', parseId);
  addChangeOptions(addYesOption(addRevisionOption(command)))
    .addHelpText(
      'after',
      `
Its App Keys are never given again. To refuse it for a while, use "consumer disable".

Examples:
  $ postern consumer delete acme
  $ postern consumer delete acme --yes --dry-run

Exit codes: 0 done, 1 failed or not confirmed, 2 usage, 3 no such consumer, 4 changed meanwhile,
5 the store is unreachable, 6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      const code = await changeStore(context, 'consumer delete', flags, async ({ resources }) => {
        const current = await requireResource(resources, 'consumer', id);
        guardRevision('consumer', id, current, flags.revision);
        const credentials = await collectAll(resources.list('credential', { consumerId: id }));
        const grants = await collectAll(resources.list('grant', { consumerId: id }));
        const revoked = count(credentials.length, 'credential');
        const removed = count(grants.length, 'grant');
        return {
          changes: planConsumerDeletion(current, credentials, grants),
          question: `Delete the consumer ${id}, revoke ${revoked} for good and remove ${removed}?`,
          done: `Consumer ${id} deleted, ${revoked} revoked, ${removed} removed.`,
        };
      });
      context.finish(code);
    });
}
