import picocolors from 'picocolors';
import type { Paint } from '../../manage/render-change.ts';
import { count } from '../../printable.ts';
import type { Output, Terminal } from '../terminal.ts';

export { count };

/** Colours for a stream: only on terminals, and only where they are wanted (https://no-color.org). */
export function paintFor(output: Output, environment: Terminal['environment']): Paint {
  const isWanted = (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  return picocolors.createColors(output.isTerminal && isWanted);
}

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

/** A time for people: `2026-11-21 05:18:11 UTC`. Takes seconds since the epoch. */
export function formatTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** With how far it is from now: `2026-11-28 05:18:11 UTC (in 7 days)`. */
export function formatTimeFrom(seconds: number, nowSeconds: number): string {
  return `${formatTime(seconds)} (${formatDistance(seconds, nowSeconds)})`;
}

/** How far a time is from now, in its largest whole unit: `in 7 days`, `3 minutes ago`, `now`. */
export function formatDistance(seconds: number, nowSeconds: number): string {
  const distance = Math.abs(seconds - nowSeconds);
  if (distance === 0) return 'now';
  // What was given as 365 days is not "in 364 days" a moment later.
  return seconds > nowSeconds ? `in ${formatSpan(distance, Math.round)}` : `${formatSpan(distance, Math.floor)} ago`;
}

function formatSpan(seconds: number, toWhole: (units: number) => number): string {
  if (seconds < 2 * MINUTE_SECONDS) return count(seconds, 'second');
  if (seconds < 2 * HOUR_SECONDS) return count(toWhole(seconds / MINUTE_SECONDS), 'minute');
  if (seconds < 2 * DAY_SECONDS) return count(toWhole(seconds / HOUR_SECONDS), 'hour');
  return count(toWhole(seconds / DAY_SECONDS), 'day');
}

/** `12 345`: long numbers in groups. */
export function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
