import type { Command } from 'commander';
import { allowFromWords } from '../../resources/allow-from.ts';
import { planCredentialEdit } from '../../resources/changes/plan-credential-edit.ts';
import type { CommandContext } from '../command.ts';
import { networkBounds } from '../flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, flagsOfRows, unsetCollector } from '../flags/fields.ts';
import { collect } from '../flags/values.ts';
import { addResourceAction } from '../store/resource-verbs.ts';

const fields: FieldFlags = flagsOfRows([{ name: 'allowFrom', flag: allowFromWords.flag }]);
/** What `--unset` takes. */
const clearable = Object.values(fields).map((flag) => flag.slice('--'.length));

/** Adds `postern credential edit`. */
export function registerCredentialEdit(noun: Command, context: CommandContext): void {
  const command = noun
    .command('edit')
    .description('Change where requests with a credential may come from.')
    .option(allowFromWords.flag, allowFromWords.help, collect)
    .option(
      '--unset <flag>',
      `remove the value of ${clearable.join(', ')}; repeatable`,
      unsetCollector(fields, clearable),
    );
  addResourceAction(command, context, 'credential', {
    notes: `--allow-from replaces the whole list. A list of the consumer must hold the address, too. ${networkBounds}`,
    examples: [
      'postern credential edit acme-hmac --allow-from 203.0.113.0/24 --allow-from 2001:db8::/48',
      'postern credential edit acme-hmac --unset allow-from',
    ],
    exits: { conflict: 'revoked, or changed by others' },
    plan: (current, flags) => ({
      changes: changesOf(planCredentialEdit(current, changeWishOf(flags, fields)), fields),
      done: `Credential ${current.resource.id} changed.`,
    }),
  });
}
