import type { Command } from 'commander';
import { type Clock, systemClock } from '../clock.ts';
import type { OpenStore } from './store/open-store.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** What commands reach the world through besides the terminal. Tests give their own. */
export interface CommandPorts {
  readonly openStore: OpenStore;
  readonly clock: Clock;
}

/** The real ones. The store's part is loaded when a command opens it. */
export function systemPorts(): CommandPorts {
  return {
    clock: systemClock,
    openStore: async (wish) => await (await import('./store/open-store.ts')).openStore(wish, systemClock),
  };
}

/** What every command runs with. */
export interface CommandContext extends CommandPorts {
  readonly terminal: Terminal;
  /** Takes the exit code of the command. */
  finish(code: ExitCode): void;
}

/** Adds a command to the program, or to the command that it belongs to. */
export type RegisterCommand = (parent: Command, context: CommandContext) => void;

/** Adds a resource that operators manage; its verbs are added to what this gives. */
export function addNoun(program: Command, name: string, description: string, example: string): Command {
  return program
    .command(name)
    .helpGroup('Resources:')
    .description(description)
    .addHelpText('after', `\nExample:\n  $ postern ${example}`);
}
