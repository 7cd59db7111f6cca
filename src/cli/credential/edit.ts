import type { Command } from 'commander';
import { declareGiven, givenFields } from '../../resources/credential-fields.ts';
import { editedCredentialKind, planCredentialEdit } from '../../resources/changes/plan-credential-edit.ts';
import type { CommandContext } from '../command.ts';
import { networkBounds } from '../flags/bounds.ts';
import { changesOf, changeWishOf, type FieldFlags, flagsOfRows, unsetCollector } from '../flags/fields.ts';
import { addResourceAction } from '../store/resource-verbs.ts';
import { parserOf } from './new-credential.ts';

const rows = givenFields.filter(({ name }) => Object.hasOwn(editedCredentialKind.fields, name));
const fields: FieldFlags = flagsOfRows(rows);
/** What `--unset` takes. */
const clearable = Object.values(fields).map((flag) => flag.slice('--'.length));

/** Adds `postern credential edit`. */
export function registerCredentialEdit(noun: Command, context: CommandContext): void {
  const command = noun
    .command('edit')
    .description('Change when a credential ends, or where requests with it may come from.')
    .option(
      '--unset <flag>',
      `remove the value of ${clearable.join(', ')}; repeatable`,
      unsetCollector(fields, clearable),
    );
  for (const row of rows) command.option(row.flag, row.help, parserOf(row));
  addResourceAction(command, context, 'credential', {
    notes: `--allow-from replaces the whole list. A list of the consumer must hold the address, too. ${networkBounds}`,
    examples: [
      'postern credential edit acme-hmac --allow-from 203.0.113.0/24 --allow-from 2001:db8::/48',
      'postern credential edit acme-hmac --expires 2027-01-01T00:00:00Z --unset allow-from',
    ],
    exits: { conflict: 'revoked, or changed by others' },
    plan: (current, flags) => {
      const nowSeconds = context.clock.nowSeconds();
      const wish = changeWishOf(flags, fields);
      // What is cleared stays undefined beside what is given.
      const planned = planCredentialEdit(current, Object.assign({}, wish, declareGiven(wish, nowSeconds)), nowSeconds);
      return { changes: changesOf(planned, fields), done: `Credential ${current.resource.id} changed.` };
    },
  });
}
