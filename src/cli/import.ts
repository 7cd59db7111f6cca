import type { Command } from 'commander';
import { registerImportKong } from './import/kong.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** Adds `postern import` with what it can read. */
export function registerImport(program: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  const group = program
    .command('import')
    .description('Turn the configuration of another gateway into a declarative document.')
    .addHelpText(
      'after',
      `
Example:
  $ postern import kong -f kong.yaml --to postern.yaml`,
    );
  registerImportKong(group, terminal, finish);
}
