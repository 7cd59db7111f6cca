import type { Command } from 'commander';
import type { Clock } from '../base/clock.ts';
import { HELP_COLUMNS } from './built-help.ts';
import { reportFailure, writeSafely } from './failure.ts';
import { wrap } from '../base/text/wrap.ts';
import type { OpenStore } from './opened-store.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

/** What commands use of the world besides the terminal. Tests give their own. */
export interface CommandPorts {
  readonly openStore: OpenStore;
  readonly clock: Clock;
}

/** What every command runs with. */
export interface CommandContext extends CommandPorts {
  readonly terminal: Terminal;
  /** Takes the exit code of the command. */
  finish(code: ExitCode): void;
}

/**
 * Makes a program print to a terminal, help its callers with what they mistyped, and throw where it would end the
 * process.
 */
export function attachTo(terminal: Terminal, program: Command): Command {
  const width = Math.min(terminal.out.columns ?? HELP_COLUMNS, HELP_COLUMNS);
  return program
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
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .exitOverride();
}

/**
 * Makes a command, and those below it, refuse an option that takes one value and is given two: the first would be
 * ignored. An option that collects says in its description that it is repeatable.
 */
export function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    if ((!option.required && !option.optional) || option.variadic || option.description.includes('repeatable'))
      continue;
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      times += 1;
      if (times > 1) command.error(`error: option '${option.flags}' takes one value, and was given another`);
    });
  }
  for (const each of command.commands) refuseRepeated(each);
}

/** Adds a command to the program, or to the command that it belongs to. */
export type RegisterCommand = (parent: Command, context: CommandContext) => void;

/** The name of a command as it is typed, without `postern`; messages and the audit trail have it: `consumer list`. */
export function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** What a command does: it takes operands and flags as commander gives them, which has no types for them. */
export type CommandWork = (...parameters: never[]) => Promise<ExitCode>;

/** Runs the work of a command, which gives its exit code. A fault becomes a message and a code (interfaces §5). */
export function addAction(command: Command, context: CommandContext, work: CommandWork): void {
  command.action(async (...parameters: readonly unknown[]) => {
    try {
      context.finish(await work(...(parameters as never[])));
    } catch (error) {
      context.finish(reportFailure(`postern ${nameOf(command)}`, error, context.terminal));
    }
  });
}

/** Adds a resource that operators manage; its verbs are added to what this gives. */
export function addNoun(program: Command, name: string, description: string, example: string): Command {
  const noun = program.command(name).helpGroup('Resources:').description(description);
  return addHelp(noun, { examples: [`postern ${example}`] });
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

/** What stands below the flags in the help of a command. */
export interface Help {
  readonly notes?: string;
  /** Command lines. */
  readonly examples: readonly string[];
  readonly exits?: ExitTexts;
}

/** Adds the text below the flags to the help of a command. */
export function addHelp(command: Command, { notes, examples, exits }: Help): Command {
  const texts: ExitTexts = exits === undefined ? {} : { done: 'done', usage: 'usage', ...exits };
  const meanings = Object.entries(exitCodes).flatMap(([name, code]) => {
    const text = texts[name as keyof ExitTexts];
    return text === undefined ? [] : [`${String(code)} ${text}`];
  });
  return command.addHelpText('after', () => {
    const columns = command.configureOutput().getOutHelpWidth?.() ?? HELP_COLUMNS;
    const blocks = [
      ...(notes === undefined ? [] : [fitNotes(notes, columns)]),
      `${examples.length === 1 ? 'Example' : 'Examples'}:${examples.map((line) => `\n${fitExample(line, columns)}`).join('')}`,
      ...(meanings.length === 0 ? [] : [wrap(`Exit codes: ${meanings.join(', ')}.`, columns)]),
    ];
    return `\n${blocks.join('\n\n')}`;
  });
}

/** Notes are written in lines of 120 columns; paragraphs that are too wide are broken again. */
function fitNotes(notes: string, columns: number): string {
  const paragraphs = notes.split('\n\n').map((paragraph) => {
    const isProse = !/^\s/m.test(paragraph);
    const isTooWide = paragraph.split('\n').some(({ length }) => length > columns);
    return isProse && isTooWide ? wrap(paragraph.replaceAll(/(?<![.:])\n/g, ' '), columns) : paragraph;
  });
  return paragraphs.join('\n\n');
}

/** A command line of an example, with what it is for after several blanks; broken as a shell takes it. */
function fitExample(line: string, columns: number): string {
  const whole = line.replaceAll(/\s*\\\n\s*/g, ' ');
  const plain = `  $ ${whole}`;
  if (plain.length <= columns) return plain;
  const [, command = whole, purpose] = /^(.*\S) {3,}(\S.*)$/.exec(whole) ?? [];
  const lines = [`  $`];
  for (const piece of command.split(/ (?=-|\| )/)) {
    const last = lines.at(-1) ?? '';
    const isFull = `${last} ${piece} \\`.length > columns && last !== '  $';
    if (isFull) lines.push(`      ${piece}`);
    else lines[lines.length - 1] = `${last} ${piece}`;
  }
  return `${purpose === undefined ? '' : `  # ${purpose}\n`}${lines.join(' \\\n')}`;
}
