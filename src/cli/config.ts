import type { Command } from 'commander';
import { parseConfig, settings } from '../gateway/config.ts';
import type { Environment } from '../base/environment.ts';
import { replaceInvisible } from '../model/document/source-text.ts';
import { parseKeyRingLocation } from '../model/keyring/ring-location.ts';
import { addHelp, type CommandContext } from './command.ts';
import { type OutputFormat, outputOption } from './flags/options.ts';
import { formatData } from './render/data.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';
import { renderTable } from './render/list.ts';
import { writeSafely } from './failure.ts';

/** A password as people write it, perhaps with `@`, `/` or `?` that should have been percent-encoded. */
const USER_PASSWORD = /^([a-z+]+:\/\/[^:]*):.*@/i;

/** Options of a MongoDB address that hold a password or a session token. */
const SECRET_PARAMETER = /([?&][^=&]*(?:pass|secret|token|properties)[^=&]*=)[^&]*/gi;

interface ShownSetting {
  readonly name: string;
  /** The text in force, passwords masked; null when the setting is off. */
  readonly value: string | null;
  readonly isDefault: boolean;
  readonly meaning: string;
}

/** Adds `postern config`. */
export function registerConfig(program: Command, context: CommandContext): void {
  const command = program
    .command('config')
    .description('Show every setting with its value and meaning. Settings are environment variables.')
    .addOption(outputOption());
  addHelp(command, { examples: ['POSTERN_LOG_LEVEL=debug postern config'] });
  command.action(({ output }: { output: OutputFormat }) => {
    context.finish(showConfig(context.terminal, output));
  });
}

/** Prints the settings; what is wrong with them goes to standard error and makes the exit code 1. */
function showConfig(terminal: Terminal, format: OutputFormat): ExitCode {
  const shown = Object.values(settings).map((row) =>
    describe(row.name, row.default, row.meaning, terminal.environment),
  );
  terminal.out.write(render(shown, format));
  const parsed = parseConfig(terminal.environment);
  if ('config' in parsed) return exitCodes.done;
  for (const problem of parsed.problems) writeSafely(terminal.err, `${problem}\n`);
  return exitCodes.failed;
}

function describe(name: string, defaultText: string | null, meaning: string, environment: Environment): ShownSetting {
  const given = environment[name] ?? '';
  const isToken = name === settings.token.name && given !== '';
  const value = isToken ? '[secret]' : name === settings.keyring.name ? maskKeyRing(given) : given;
  return { name, value: maskPassword(given === '' ? defaultText : value), isDefault: given === '', meaning };
}

/** An operator may have put a key ring itself where its place belongs. */
function maskKeyRing(text: string): string {
  return 'fault' in parseKeyRingLocation(text) ? '[secret]' : text;
}

/** The parts of an address that may hold a secret never reach a terminal; in doubt, more than those is masked. */
function maskPassword(text: string | null): string | null {
  if (text === null) return null;
  return text.replace(USER_PASSWORD, '$1:[secret]@').replace(SECRET_PARAMETER, '$1[secret]');
}

function render(shown: readonly ShownSetting[], format: OutputFormat): string {
  if (format !== 'table') return formatData(shown, format);
  const rows = shown.map(({ name, value, isDefault, meaning }) => [
    name,
    value === null ? '-' : `${replaceInvisible(value)}${isDefault ? '' : ' *'}`,
    meaning,
  ]);
  return `${renderTable(['SETTING', 'VALUE', 'MEANING'], rows)}* set in the environment; all others are defaults\n`;
}
