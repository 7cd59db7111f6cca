import { type Command, Option } from 'commander';
import { outputOption, type OutputFormat } from '../output-format.ts';
import { parseCount } from './parse-count.ts';
import { parseTimeout } from './parse-moment.ts';

const DEFAULT_TIMEOUT_MS = 20_000;

/** The flags of every command that reads the store. */
export interface StoreFlags {
  readonly store?: string;
  readonly output: OutputFormat;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The flags of every command that changes the store. */
export interface ChangeFlags extends StoreFlags {
  readonly dryRun?: true;
  /** Absent on commands that do not ask. */
  readonly yes?: true;
}

/** Adds `-o`, `--store` and `--timeout`. */
export function addStoreOptions(command: Command): Command {
  return command
    .addOption(outputOption())
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption());
}

/** `--timeout`, which every command that asks a server has. */
export function timeoutOption(): Option {
  return new Option('--timeout <span>', 'how long to wait for an answer of MongoDB')
    .argParser(parseTimeout)
    .default(DEFAULT_TIMEOUT_MS, '20s');
}

/** Adds `--dry-run`, `-o`, `--store` and `--timeout`. */
export function addChangeOptions(command: Command): Command {
  return addStoreOptions(command.option('--dry-run', 'print what would change, and change nothing'));
}

/** The flag of commands that seal secrets. */
export interface NewRingFlag {
  readonly newKeyRing?: true;
}

/** Adds `--new-key-ring`, for what seals secrets. */
export function addNewRingOption(command: Command): Command {
  return command.option('--new-key-ring', 'the former key ring is lost: seal although this one opens no stored secret');
}

/** Adds `--yes`, for what asks first. */
export function addYesOption(command: Command): Command {
  return command.option('-y, --yes', 'do not ask; needed where there is no terminal to ask at');
}

/** Adds `--revision`. */
export function addRevisionOption(command: Command): Command {
  return command.option('--revision <number>', 'only while this is its revision, as "show" tells it', parseCount);
}
