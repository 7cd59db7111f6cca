import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import { timeoutOption } from '../flags/store-options.ts';
import { outputOption } from './output-option.ts';
import type { RewrapOptions } from './rewrap-store.ts';

/** Adds `postern keyring rewrap`. */
export function registerRewrap(group: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  group
    .command('rewrap')
    .description('Seal the secrets of the store anew that were sealed with former keys.')
    .argument('[file]', 'the key ring, or env:NAME; POSTERN_KEYRING when left out')
    .option('--dry-run', 'count what would be sealed anew, and change nothing')
    .addOption(outputOption())
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
Replicas serve meanwhile; each must have the current key already, or it cannot open what is sealed with it. The work can
be stopped at any time and gone on with. It changes no revision, and is one event in the audit trail.

Examples:
  $ postern keyring rewrap --dry-run
  $ postern keyring rewrap

Exit codes: 0 all secrets are sealed with the current key, 1 some are not, 2 usage, 3 there is no such key ring,
5 the store is unreachable, 6 unknown: it may be in force.`,
    )
    .action(async (file: string | undefined, options: RewrapOptions) => {
      const { rewrapStore } = await import('./rewrap-store.ts');
      finish(await rewrapStore(file, options, terminal));
    });
}
