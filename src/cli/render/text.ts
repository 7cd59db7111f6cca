import picocolors from 'picocolors';
import { count } from '../../base/text/printable.ts';
import { replaceInvisible } from '../../model/document/source-text.ts';
import type { Paint } from '../../resources/changes/render-change.ts';
import { formatLimit, type Limit } from '../../model/limit.ts';
import type { Stored } from '../../resources/resource.ts';
import type { Output, Terminal } from '../terminal.ts';

/** Colours for a stream: only on terminals, and only where they are wanted (https://no-color.org). */
export function paintFor({ out, environment }: Pick<Terminal, 'out' | 'environment'>, stream: Output = out): Paint {
  return picocolors.createColors(usesColor(stream, environment));
}

/** Whether a stream gets colours. */
export function usesColor({ isTerminal }: Output, environment: Terminal['environment']): boolean {
  return isTerminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}

/** A time for people: `2026-11-21 05:18:11 UTC`. Takes seconds since the epoch. */
export function formatTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** With how far it is from now: `2026-11-28 05:18:11 UTC (in 7 days)`. */
export function formatTimeFrom(seconds: number, nowSeconds: number): string {
  return `${formatTime(seconds)} (${formatDistance(seconds, nowSeconds)})`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** How far a time is from now, in its largest unit that is there twice: `in 7 days`, `119 seconds ago`, `now`. */
export function formatDistance(seconds: number, nowSeconds: number): string {
  const distance = Math.abs(seconds - nowSeconds);
  if (distance === 0) return 'now';
  const [unit, length] = UNITS.find(([, unitSeconds]) => distance >= 2 * unitSeconds) ?? ['second', 1];
  // What was given as 365 days is not "in 364 days" a moment later.
  if (seconds > nowSeconds) return `in ${count(Math.round(distance / length), unit)}`;
  return `${count(Math.floor(distance / length), unit)} ago`;
}

/**
 * How long something took or is, in its largest unit that is there twice: `3 days`, `90 seconds`. Takes milliseconds.
 */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [unit, length] = UNITS.find(([, unitSeconds]) => seconds >= 2 * unitSeconds) ?? ['second', 1];
  return count(Math.floor(seconds / length), unit);
}

/** A name and what it has, one line or more; null is left out. */
export type Field = readonly [name: string, value: string | readonly string[] | null];

/** Prints a resource for people: its heading, then its fields in a column. No text can move the cursor. */
export function printFields(heading: string, fields: readonly Field[], terminal: Terminal): void {
  const paint = paintFor(terminal);
  const shown = fields.flatMap(([name, value]) => (value === null ? [] : [[name, [value].flat()] as const]));
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const lines = shown.flatMap(([name, values]) =>
    values.map((value, index) => `  ${paint.dim((index === 0 ? name : '').padEnd(width))}  ${replaceInvisible(value)}`),
  );
  terminal.out.write(`${[paint.bold(replaceInvisible(heading)), ...lines].join('\n')}\n`);
}

/** Revision and times, for people; nothing for a declarative file, which has none. */
export function versionFields(
  { revision, createdAt, updatedAt }: Stored<unknown>,
  nowSeconds: number,
): readonly Field[] {
  if (revision === 0) return [];
  return [
    ['created', formatTimeFrom(createdAt, nowSeconds)],
    ['updated', revision === 1 ? null : formatTimeFrom(updatedAt, nowSeconds)],
    ['revision', String(revision)],
  ];
}

/** Limits in a cell of a table; `-` for none. */
export function formatLimits(limits: readonly Limit[]): string {
  return limits.length === 0 ? '-' : limits.map(formatLimit).join(', ');
}

/** The limits of a grant in a cell: its own, those of the endpoint, or that it has none. */
export function formatGrantLimits(limits: readonly Limit[] | null): string {
  if (limits === null) return 'as the endpoint';
  return limits.length === 0 ? 'none' : limits.map(({ requests, unit }) => `${String(requests)}/${unit}`).join(', ');
}
