import type { Command } from 'commander';
import { outputOption, type OutputFormat } from '../output-format.ts';
import { parseCount } from './parse-count.ts';

/** The flags of every command that reads the store. */
export interface StoreFlags {
  readonly store?: string;
  readonly output: OutputFormat;
}

/** The flags of every command that changes the store. */
export interface ChangeFlags extends StoreFlags {
  readonly dryRun?: true;
  /** Absent on commands that do not ask. */
  readonly yes?: true;
}

/** Adds `-o` and `--store`. */
export function addStoreOptions(command: Command): Command {
  return command
    .addOption(outputOption())
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE');
}

/** Adds `--dry-run`, `-o` and `--store`. */
export function addChangeOptions(command: Command): Command {
  return addStoreOptions(command.option('--dry-run', 'print what would change, and change nothing'));
}

/** Adds `--yes`, for what asks first. */
export function addYesOption(command: Command): Command {
  return command.option('-y, --yes', 'do not ask; needed where there is no terminal to ask at');
}

/** Adds `--revision`. */
export function addRevisionOption(command: Command): Command {
  return command.option('--revision <number>', 'only while this is its revision, as "show" tells it', parseCount);
}
