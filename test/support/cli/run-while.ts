import { runCommand } from '../../../src/cli/program.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import type { CommandResult } from '../../unit/cli/run-cli.ts';

/** Runs a command, and does something with what it has written to its error stream so far, each time it writes. */
export async function runWhile(
  args: readonly string[],
  environment: Terminal['environment'],
  act: (err: string) => Promise<void>,
): Promise<CommandResult> {
  let out = '';
  let err = '';
  const acts: Promise<void>[] = [];
  const terminal: Terminal = {
    environment,
    out: { isTerminal: false, write: (text) => (out += text) },
    err: {
      isTerminal: false,
      write: (text) => {
        err += text;
        acts.push(act(err));
      },
    },
    ask: null,
    onStopSignal: () => undefined,
    onCrash: () => undefined,
    exit: (code) => {
      throw new Error(`exit ${String(code)}`);
    },
  };
  const code = await runCommand(args, terminal);
  await Promise.all(acts);
  return { code, out, err };
}
