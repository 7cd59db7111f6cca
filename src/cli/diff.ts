import type { Command } from 'commander';
import type { DiffFlags } from './apply/diff-document.ts';
import type { CommandPorts } from './command-ports.ts';
import { addStoreOptions } from './flags/store-options.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** Adds `postern diff`. */
export function registerDiff(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
  ports: CommandPorts,
): void {
  const command = program
    .command('diff')
    .description('Print what apply would change, and change nothing.')
    .requiredOption('-f, --file <file...>', 'files that together are one document')
    .option('--prune', 'also what apply --prune would delete');
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Secrets are compared and never printed: "appSecret: (changed)". A change that brings back what was disabled or revoked is
marked "revives": apply makes it only with --revive.

Examples:
  $ postern diff -f postern.yaml
  $ postern diff -f postern.yaml --prune -o json

Exit codes: 0 no differences, 1 differences, or problems of the files, 2 usage, 5 the store is unreachable.`,
    )
    .action(async (flags: DiffFlags) => {
      const { diffDocument } = await import('./apply/diff-document.ts');
      finish(await diffDocument(flags, { ...ports, terminal, finish }));
    });
}
