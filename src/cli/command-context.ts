import type { Command } from 'commander';
import type { CommandPorts } from './command-ports.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** What every verb runs with. */
export interface CommandContext extends CommandPorts {
  readonly terminal: Terminal;
  /** Is told the exit code of the command. */
  finish(code: ExitCode): void;
}

/** Adds the verbs of a noun to its command. */
export type RegisterVerbs = (noun: Command, context: CommandContext) => void;
