import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import { timeoutOption } from '../flags/store-options.ts';
import { outputOption } from './output-option.ts';
import type { RemoveOptions } from './remove-ring-key.ts';

/** Adds `postern keyring remove`. */
export function registerRemove(group: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  group
    .command('remove')
    .description('Take a former key out of a key ring, once nothing is sealed with it any more.')
    .argument('<file-or-key>', 'the key ring, and then the key; or only the key of the ring of POSTERN_KEYRING')
    .argument('[key]', 'id of the key')
    .option('--yes', 'do not ask')
    .option('--dry-run', 'tell what would change, and change nothing')
    .addOption(outputOption())
    .option('--store <location>', 'whose secrets the key may have sealed, instead of POSTERN_STORE; no password')
    .option('--without-store', 'do not look into a store')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
The store is looked at first: while the key seals a secret there, nothing is removed, and "postern keyring rewrap" is what
to run. Backups that it sealed can never be opened again, and tokens signed with it are refused. The current key is not
removed.

Examples:
  $ postern keyring remove keyring.yaml k20260101-3f0c9a
  $ postern keyring remove k20260101-3f0c9a --yes
  $ postern keyring remove keyring.yaml k20260101-3f0c9a --without-store

Exit codes: 0 done, 1 not confirmed, or the file is wrong or cannot be written, 2 usage, 3 no such file or key,
4 it is the current key, it still seals secrets, or another command changes the file, 5 the store is unreachable.`,
    )
    .action(async (first: string, second: string | undefined, options: RemoveOptions) => {
      const { removeRingKey } = await import('./remove-ring-key.ts');
      finish(await removeRingKey(first, second, options, terminal));
    });
}
