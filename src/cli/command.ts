import type { Command } from 'commander';
import { type Clock, systemClock } from '../clock.ts';
import type { OpenStore } from './store/open-store.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

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
    .addHelpText('after', helpText({ examples: [`postern ${example}`] }));
}

/** What exit codes of a command mean, in a few words; 0 and 2 mean the same for nearly all. */
type ExitTexts = Readonly<Partial<Record<keyof typeof exitCodes, string>>>;

/** The exit codes of every command that reads the store. */
export const readExits = { failed: 'failed', unreachable: 'the store is unreachable' } as const satisfies ExitTexts;

/** The exit codes of every command that changes the store. */
export const changeExits = {
  ...readExits,
  unknown: 'unknown: the change may be in force',
} as const satisfies ExitTexts;

const HELP_COLUMNS = 120;

/** The text below the flags in the help of a command. */
export function helpText({
  notes,
  examples,
  exits,
}: {
  readonly notes?: string;
  /** Command lines. */
  readonly examples: readonly string[];
  readonly exits?: ExitTexts;
}): string {
  const shown = examples.map((line) => `\n  $ ${line}`).join('');
  const texts: ExitTexts = exits === undefined ? {} : { done: 'done', usage: 'usage', ...exits };
  const meanings = (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [`${String(exitCodes[name])} ${text}`];
  });
  return [
    ...(notes === undefined ? [] : [`\n${notes}`]),
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:${shown}`,
    ...(meanings.length === 0 ? [] : [`\n${wrap(`Exit codes: ${meanings.join(', ')}.`)}`]),
  ].join('\n');
}

function wrap(text: string): string {
  return text.replaceAll(new RegExp(`(?=.{${String(HELP_COLUMNS + 1)}})(.{1,${String(HELP_COLUMNS)}}) `, 'g'), '$1\n');
}
