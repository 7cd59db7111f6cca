import { readFileSync } from 'node:fs';
import type { Output } from './terminal.ts';

/** The widest help. A narrower terminal gets it broken anew. */
export const HELP_COLUMNS = 80;

/** Where the build writes the help of every command. There is none beside sources that were not built. */
export const builtHelpFolder = new URL('../help/', import.meta.url);

/** The file of the help of a command, by the words that lead to it; none for the program itself. */
export function helpFileOf(words: readonly string[]): string {
  return `${['postern', ...words].join('.')}.txt`;
}

/**
 * The help that arguments ask for, as the build wrote it: loading a command to print its help takes several times as
 * long. Null when they ask for something else, for the help of no command, or on a terminal that is too narrow for it.
 */
export function readBuiltHelp(
  args: readonly string[],
  { columns = HELP_COLUMNS }: Pick<Output, 'columns'>,
  folder: URL = builtHelpFolder,
): string | null {
  const words = args.slice(0, -1);
  if (columns < HELP_COLUMNS || !['-h', '--help'].includes(args.at(-1) ?? '')) return null;
  if (!words.every((word) => /^[a-z][a-z-]*$/.test(word))) return null;
  try {
    return readFileSync(new URL(helpFileOf(words), folder), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
