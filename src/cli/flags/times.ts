import { InvalidArgumentError } from 'commander';
import { FieldFault, timeField } from '../../document/fields.ts';
import { parseImfFixdate } from '../../signing/signed-time.ts';

/** A time as people give it: itself, in seconds since the epoch, or how far it is from now. */
export type Moment = { readonly atSeconds: number } | { readonly distanceSeconds: number };

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Longer spans are mistakes: a hundred years. */
const MAX_SPAN_SECONDS = 100 * 365 * unitSeconds.d;
const SPAN = /^(\d{1,10})([smhdw])$/;
const SPAN_FORM = 'a span such as 45s, 30m, 12h, 7d or 2w';

/** `90d` or `2027-01-01T00:00:00Z`. */
export function parseMoment(text: string): Moment {
  const distanceSeconds = readSpan(text);
  if (distanceSeconds !== null) return { distanceSeconds };
  const time = timeField(text);
  if (!(time instanceof FieldFault)) return { atSeconds: time };
  throw new InvalidArgumentError(`It must be ${SPAN_FORM}, or a time with its zone, such as 2027-01-01T00:00:00Z.`);
}

/** {@link parseMoment}, or `never`. */
export function parseMomentOrNever(text: string): Moment | 'never' {
  return text === 'never' ? text : parseMoment(text);
}

/** `7d` as seconds; `0` is a span too. */
export function parseSpan(text: string): number {
  const seconds = text === '0' ? 0 : readSpan(text);
  if (seconds === null) throw new InvalidArgumentError(`It must be ${SPAN_FORM}, or 0.`);
  return seconds;
}

/** Seconds in the largest unit that they are whole in, as flags take them: `14d`, `36h`. */
export function formatSpanFlag(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds > 0 && seconds % unitSeconds[each] === 0) ?? 's';
  return `${String(seconds / unitSeconds[unit])}${unit}`;
}

/** How long something is waited for, in milliseconds: `20s`, `2m`; at most an hour. */
export function parseTimeout(text: string): number {
  const seconds = readSpan(text);
  if (seconds === null || seconds < 1 || seconds > unitSeconds.h) {
    throw new InvalidArgumentError('It must be a span from 1s to 1h, such as 5s or 2m.');
  }
  return seconds * 1000;
}

/** A moment ahead, in seconds since the epoch. */
export function momentAhead(moment: Moment, nowSeconds: number): number {
  return 'atSeconds' in moment ? moment.atSeconds : nowSeconds + moment.distanceSeconds;
}

/** A moment back, in seconds since the epoch. */
export function momentBack(moment: Moment, nowSeconds: number): number {
  return 'atSeconds' in moment ? moment.atSeconds : nowSeconds - moment.distanceSeconds;
}

function readSpan(text: string): number | null {
  const [, number, unit] = SPAN.exec(text) ?? [];
  if (number === undefined || unit === undefined) return null;
  const seconds = Number(number) * unitSeconds[unit as keyof typeof unitSeconds];
  if (seconds > MAX_SPAN_SECONDS) throw new InvalidArgumentError('It is more than a hundred years.');
  return seconds;
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
