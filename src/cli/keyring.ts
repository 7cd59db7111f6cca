import type { Command } from 'commander';
import { registerCreate } from './keyring/create.ts';
import { registerRemove } from './keyring/remove.ts';
import { registerRewrap } from './keyring/rewrap.ts';
import { registerRotate } from './keyring/rotate.ts';
import { registerShow } from './keyring/show.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** Adds a command to `postern keyring`. */
type RegisterKeyringCommand = (group: Command, terminal: Terminal, finish: (code: ExitCode) => void) => void;

const commands: readonly RegisterKeyringCommand[] = [
  registerCreate,
  registerRotate,
  registerRewrap,
  registerRemove,
  registerShow,
];

/** Adds `postern keyring` with its commands. */
export function registerKeyring(program: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  const group = program
    .command('keyring')
    .description('Look after the keys that encrypt App Secrets at rest and sign access tokens.')
    .addHelpText(
      'after',
      `
Examples:
  $ postern keyring create keyring.yaml    make one; then POSTERN_KEYRING=keyring.yaml
  $ postern keyring rotate keyring.yaml    use a new key from now on
  $ postern keyring rewrap                 seal the store's secrets anew with it
  $ postern keyring show keyring.yaml      ids and ages, never keys`,
    );
  for (const register of commands) register(group, terminal, finish);
}
