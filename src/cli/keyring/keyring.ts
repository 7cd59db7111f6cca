import { type Command, Option } from 'commander';
import type { CommandContext } from '../command.ts';
import { type OutputFormat, outputOption, timeoutOption } from '../flags/options.ts';
import type { ExitCode } from '../terminal.ts';
import type { RemoveOptions } from './remove.ts';
import type { RewrapOptions } from './rewrap.ts';
import { reportRingFailure } from './ring.ts';
import { type CreateOptions, createRing, type RotateOptions, rotateRing, showRing } from './ring-file.ts';

/** Adds `postern keyring` with its commands. */
export function registerKeyring(program: Command, context: CommandContext): void {
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
  for (const register of [registerCreate, registerRotate, registerRewrap, registerRemove, registerShow]) {
    register(group, context);
  }
}

/** Runs a command of the group. Faults become messages and exit codes. */
async function run(
  context: CommandContext,
  verb: string,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<void> {
  try {
    context.finish(await work(context));
  } catch (error) {
    context.finish(reportRingFailure(`postern keyring ${verb}`, error, context.terminal));
  }
}

function registerCreate(group: Command, context: CommandContext): void {
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
      await run(context, 'create', async ({ terminal }) => await createRing(file, options, terminal));
    });
}

function registerRotate(group: Command, context: CommandContext): void {
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
      await run(context, 'rotate', async ({ terminal }) => await rotateRing(file, options, terminal));
    });
}

function registerRewrap(group: Command, context: CommandContext): void {
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
      const { rewrapStore } = await import('./rewrap.ts');
      await run(context, 'rewrap', async () => await rewrapStore(file, options, context));
    });
}

function registerRemove(group: Command, context: CommandContext): void {
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
      const { removeRingKey } = await import('./remove.ts');
      await run(context, 'remove', async () => await removeRingKey(first, second, options, context));
    });
}

function registerShow(group: Command, context: CommandContext): void {
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
      await run(context, 'show', async ({ terminal }) => await showRing(file, output, terminal));
    });
}
