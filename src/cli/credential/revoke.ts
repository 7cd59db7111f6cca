import type { Command } from 'commander';
import { planRevocation } from '../../manage/credentials/plan-revocation.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, addYesOption, type ChangeFlags } from '../flags/store-options.ts';
import { formatDistance } from '../render/format-time.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';

/** Adds `postern credential revoke`. */
export function registerCredentialRevoke(noun: Command, context: CommandContext): void {
  const command = noun
    .command('revoke')
    .description('Refuse a credential for good, with its former secret and its tokens.')
    .argument('<id>', 'its id', parseId);
  addChangeOptions(addYesOption(addRevisionOption(command)))
    .addHelpText(
      'after',
      `
A revoked credential does not come back; "credential issue" makes another one.

Examples:
  $ postern credential revoke acme-hmac
  $ postern credential revoke acme-hmac --yes

Exit codes: 0 done, 1 failed or not confirmed, 2 usage, 3 no such credential, 4 changed meanwhile,
5 the store is unreachable, 6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      const code = await changeStore(context, 'credential revoke', flags, async ({ resources, usage }) => {
        const current = await requireResource(resources, 'credential', id);
        guardRevision('credential', id, current, flags.revision);
        const lastUsedAt = (await usage.usageOf([id])).get(id)?.lastUsedAt ?? null;
        const used =
          lastUsedAt === null ? 'never used' : `last used ${formatDistance(lastUsedAt, context.clock.nowSeconds())}`;
        return {
          changes: planRevocation(current),
          question: `Revoke the credential ${id} of ${current.resource.consumerId} for good (${used})?`,
          done: `Credential ${id} revoked: it is refused from now on.`,
          already: `Credential ${id} is revoked already.`,
        };
      });
      context.finish(code);
    });
}
