import { InvalidArgumentError } from 'commander';
import { FieldFault } from '../../model/document/fields.ts';
import { type Moment, readMoment, readSpan, unitSeconds } from '../../model/document/moments.ts';
import { parseImfFixdate } from '../../check/signing/signed-time.ts';

/** {@link readMoment} of an argument. */
export function parseMoment(text: string): Moment {
  return argumentOf(readMoment(text));
}

/** {@link parseMoment}, or `never`. */
export function parseMomentOrNever(text: string): Moment | 'never' {
  return text === 'never' ? text : parseMoment(text);
}

/** {@link readSpan} of an argument. */
export function parseSpan(text: string): number {
  return argumentOf(readSpan(text));
}

function argumentOf<T>(read: T | FieldFault): T {
  if (read instanceof FieldFault) throw new InvalidArgumentError(`It ${read.message}.`);
  return read;
}

/** Seconds in the largest unit that they are whole in, as flags take them: `14d`, `36h`. */
export function formatSpanFlag(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds > 0 && seconds % unitSeconds[each] === 0) ?? 's';
  return `${String(seconds / unitSeconds[unit])}${unit}`;
}

const MAX_TIMEOUT_SECONDS = unitSeconds.h;

/** How long something is waited for, in milliseconds: `20s`, `2m`; at most an hour. */
export function parseTimeout(text: string): number {
  const seconds = readSpan(text);
  if (seconds instanceof FieldFault || seconds < 1 || seconds > MAX_TIMEOUT_SECONDS) {
    throw new InvalidArgumentError(
      `It must be a span from ${formatSpanFlag(1)} to ${formatSpanFlag(MAX_TIMEOUT_SECONDS)}, such as 5s or 2m.`,
    );
  }
  return seconds * 1000;
}

const ISO_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;
const EPOCH_SECONDS = /^\d{1,11}$/;

/** Reads a time: ISO 8601 with its zone, an HTTP date, or seconds since 1970. Gives whole seconds since the epoch. */
export function parseTime(text: string): number {
  if (EPOCH_SECONDS.test(text)) return Number(text);
  const seconds = ISO_WITH_ZONE.test(text) ? Math.floor(Date.parse(text) / 1000) : parseImfFixdate(text);
  if (seconds === null || Number.isNaN(seconds)) {
    throw new InvalidArgumentError('Write a time with its zone, like 2026-11-21T02:40:00Z, or seconds since 1970.');
  }
  return seconds;
}
