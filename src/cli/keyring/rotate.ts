import { type Command, Option } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import { outputOption } from './output-option.ts';
import type { RotateOptions } from './rotate-ring.ts';

/** Adds `postern keyring rotate`. */
export function registerRotate(group: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  group
    .command('rotate')
    .description('Add a random key and make it the current one, at once or in two steps.')
    .argument('[file]', 'the key ring; POSTERN_KEYRING when left out')
    .addOption(new Option('--stage', 'only add the key, so that every replica has it before it is used'))
    .addOption(new Option('--promote', 'make the staged key the current one').conflicts('stage'))
    .option('--dry-run', 'tell what would change, and change nothing')
    .addOption(outputOption())
    .addHelpText(
      'after',
      `
The former key stays: it opens what was sealed with it until "postern keyring rewrap" has run and "remove" takes it out.
With several replicas that each have a copy of the file, rotate in two steps and bring the file to all of them after each:
a replica cannot open what was sealed with a key that it does not have yet.

Examples:
  $ postern keyring rotate keyring.yaml
  $ postern keyring rotate keyring.yaml --stage      then bring the file to every replica
  $ postern keyring rotate keyring.yaml --promote    then bring it there again

Exit codes: 0 done, 1 the file is wrong or cannot be written, 2 usage, 3 no such file, 4 a key is staged already, none is,
or another command changes the file.`,
    )
    .action(async (file: string | undefined, options: RotateOptions) => {
      const { rotateRing } = await import('./rotate-ring.ts');
      finish(await rotateRing(file, options, terminal));
    });
}
