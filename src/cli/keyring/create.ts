import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import { outputOption } from './output-option.ts';
import type { CreateOptions } from './create-ring.ts';

/** Adds `postern keyring create`. */
export function registerCreate(group: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  group
    .command('create')
    .description('Make a key ring file with one random key, which only its owner can read.')
    .argument('[file]', 'where; POSTERN_KEYRING when left out')
    .option('--dry-run', 'tell what would be made, and make nothing')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
A file that is there already is never replaced: without its keys, secrets that were sealed with them are lost.

Examples:
  $ postern keyring create /etc/postern/keyring.yaml
  $ POSTERN_KEYRING=keyring.yaml postern keyring create

Exit codes: 0 made, 1 it cannot be written, 2 usage, 4 the file is there already.`,
    )
    .action(async (file: string | undefined, options: CreateOptions) => {
      const { createRing } = await import('./create-ring.ts');
      finish(await createRing(file, options, terminal));
    });
}
