import { type Command, Option } from 'commander';
import type { LabelSelector } from '../../model/labels.ts';
import { parseTimeout } from './times.ts';
import { collectSelector, parseCount, parseReason } from './values.ts';

/** Tables are for people, the others for programs: their names are those of declarative files (interfaces §4). */
const outputFormats = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Also for spreadsheets: the formats of commands that print plain rows of numbers. */
export type RowsFormat = OutputFormat | 'csv';

/** `-o, --output`, which every command that shows something has; `others` are formats beside the usual ones. */
export function outputOption(others: readonly 'csv'[] = []): Option {
  return new Option('-o, --output <format>', 'how to print').choices([...outputFormats, ...others]).default('table');
}

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
  readonly wait?: true;
  /** Milliseconds. */
  readonly waitTimeout: number;
  /** Why, for the audit trail. */
  readonly reason?: string;
  /** Absent on commands that do not ask. */
  readonly yes?: true;
}

/** Adds `-o`, `--store` and `--timeout`. */
export function addStoreOptions(command: Command, otherFormats: readonly 'csv'[] = []): Command {
  return command
    .addOption(outputOption(otherFormats))
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption());
}

/** `--timeout`, which every command that asks a server has. */
export function timeoutOption(): Option {
  return new Option('--timeout <span>', 'how long to wait for an answer of MongoDB')
    .argParser(parseTimeout)
    .default(DEFAULT_TIMEOUT_MS, '20s');
}

/** How long replicas are waited for when nothing else is said. */
export const DEFAULT_WAIT_MS = 30_000;

/** Adds `--dry-run`, `--reason`, `--wait`, `--wait-timeout`, `-o`, `--store` and `--timeout`. */
export function addChangeOptions(command: Command): Command {
  command
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--reason <text>', 'why, for the audit trail: a ticket, for example', parseReason)
    .option('--wait', 'return when every replica decides by it; exit code 1 when some do not in time')
    .addOption(
      new Option('--wait-timeout <span>', 'how long to wait for replicas, as --wait does')
        .argParser(parseTimeout)
        .default(DEFAULT_WAIT_MS, '30s')
        .implies({ wait: true }),
    );
  return addStoreOptions(command);
}

/** The flag of commands that seal secrets. */
export interface NewRingFlag {
  readonly newKeyRing?: true;
}

/** What a command that seals secrets does with them. */
export function secretsForSealing({ newKeyRing }: NewRingFlag): 'new-ring' | 'new' {
  return newKeyRing === true ? 'new-ring' : 'new';
}

/** Adds `--new-key-ring`, for what seals secrets. */
export function addNewRingOption(command: Command): Command {
  return command.option('--new-key-ring', 'the former key ring is lost: seal although this one opens no stored secret');
}

/** Adds `--yes`, for what asks first. */
export function addYesOption(command: Command): Command {
  return command.option('-y, --yes', 'do not ask; needed where there is no terminal to ask at');
}

/** The flag of commands that can be about what carries some labels, and nothing else. */
export interface SelectorFlag {
  readonly selector?: LabelSelector | undefined;
}

/** `--selector`; `about` says what of the command it narrows. */
export function selectorOption(about: string): Option {
  return new Option('--selector <name=value>', `${about}; repeatable`).argParser(collectSelector);
}

/** Adds `--revision`. */
export function addRevisionOption(command: Command): Command {
  return command.option('--revision <number>', 'only while this is its revision; "show" prints it', parseCount);
}
