import { Command, CommanderError } from 'commander';
import { readVersion } from '../version.ts';
import { registerApply } from './apply.ts';
import { registerCompletion } from './completion/completion.ts';
import { type CommandPorts, systemPorts } from './command-ports.ts';
import { registerConfig } from './config.ts';
import { registerDemo } from './demo.ts';
import { registerDiff } from './diff.ts';
import { registerDoctor } from './doctor.ts';
import { registerExplain } from './explain.ts';
import { registerExport } from './export.ts';
import { findExposedPassword } from './exposed-password.ts';
import { registerImport } from './import.ts';
import { registerKeyring } from './keyring.ts';
import { registerNouns } from './nouns.ts';
import { registerServe } from './serve.ts';
import { registerSign } from './sign.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';
import { registerValidate } from './validate.ts';
import { writeSafely } from './write-safely.ts';

/** Adds a command to the program. `finish` is told the exit code. */
export type Register = (
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
  ports: CommandPorts,
) => void;

const commands: readonly Register[] = [
  registerServe,
  registerValidate,
  registerApply,
  registerDiff,
  registerExport,
  registerImport,
  registerConfig,
  registerDoctor,
  registerDemo,
  registerSign,
  registerExplain,
  registerKeyring,
];

/** Runs `postern` with its arguments and gives the exit code. Each command loads what it needs only when it runs. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  ports: CommandPorts = systemPorts(),
): Promise<ExitCode> {
  const exposed = findExposedPassword(args);
  if (exposed !== null) {
    terminal.err.write(`postern: ${exposed}\n`);
    return exitCodes.usage;
  }
  let exitCode: ExitCode = exitCodes.done;
  const program = new Command('postern')
    .description('Authentication gateway for partner APIs behind Envoy.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for usage)')
    .configureOutput({
      writeOut: (text) => {
        terminal.out.write(text);
      },
      // Repeats arguments, which may hold anything.
      writeErr: (text) => {
        writeSafely(terminal.err, text);
      },
    })
    .addHelpText(
      'after',
      `
Examples:
  $ postern validate -f postern.yaml     check a declarative file
  $ postern serve                        serve the store of POSTERN_STORE
  $ postern config                       show every setting
  $ postern endpoint list                list what is protected
  $ postern credential issue --help      how to give a partner an App Key

Exit codes: 0 done, 1 failed or differences found, 2 usage, 3 not found, 4 conflict, 5 a dependency is unreachable,
6 outcome unknown: the change may be in force.`,
    )
    .exitOverride();
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  for (const register of commands) register(program, terminal, finish, ports);
  registerCompletion(program, terminal, finish);
  const isNamed = (noun: string): boolean => args.includes(noun) || args.includes('completion');
  await registerNouns(program, isNamed, { ...ports, terminal, finish });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    writeSafely(terminal.err, `postern: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.failed;
  }
}
