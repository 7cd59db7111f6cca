import type { Command } from 'commander';
import type { ApplyFlags } from './apply/apply-document.ts';
import type { CommandPorts } from './command-ports.ts';
import { addChangeOptions, addNewRingOption, addYesOption } from './flags/store-options.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** Adds `postern apply`. */
export function registerApply(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
  ports: CommandPorts,
): void {
  const command = program
    .command('apply')
    .description('Make the store say what declarative files say.')
    .requiredOption('-f, --file <file...>', 'files that together are one document')
    .option('--prune', 'delete what the files do not name; asks, or needs --yes')
    .option('--revive', 'also bring back what was disabled or revoked, or retires, where the files say so');
  addYesOption(addChangeOptions(addNewRingOption(command)))
    .addHelpText(
      'after',
      `
What the files do not name stays as it is, unless --prune is given. Secrets that they leave out are kept as stored; a
new credential without appKey gets a generated pair, which is printed once. What a command disabled or revoked stays so
where the files leave out "enabled" and "state"; where they say the opposite, nothing is changed without --revive (--yes is
not enough). Applying twice changes nothing. Up to 10 000 changes are all made or none; more are made in steps, and running
the command again completes what was stopped.

Examples:
  $ postern apply -f postern.yaml --dry-run
  $ postern apply -f endpoints.yaml -f consumers.yaml
  $ postern apply -f postern.yaml --prune
  $ postern apply -f postern.yaml --revive

Exit codes: 0 done, 1 problems of the files, or stopped, 2 usage, 4 the store changed meanwhile, an App Key was given before, or
--revive is needed, 5 the store is unreachable, 6 unknown: it may be in force.`,
    )
    .action(async (flags: ApplyFlags) => {
      const { applyDocument } = await import('./apply/apply-document.ts');
      finish(await applyDocument(flags, { ...ports, terminal, finish }));
    });
}
