import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import { type OutputFormat, outputOption } from './output-option.ts';

/** Adds `postern keyring show`. */
export function registerShow(group: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  group
    .command('show')
    .description('Show the keys of a key ring by id, age and state, never the keys themselves.')
    .argument('[file]', 'the key ring, or env:NAME; POSTERN_KEYRING when left out')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The current key seals and signs, a staged one is to become current, former ones only open and verify.

Examples:
  $ postern keyring show keyring.yaml
  $ postern keyring show -o json | jq -r '.keys[] | select(.state == "former") | .id'

Exit codes: 0 shown, 1 the key ring is wrong, 2 usage, 3 there is none.`,
    )
    .action(async (file: string | undefined, { output }: { output: OutputFormat }) => {
      const { showRing } = await import('./show-ring.ts');
      finish(await showRing(file, output, terminal));
    });
}
