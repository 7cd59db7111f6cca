import { type Refusal, refuse } from '../refusal.ts';

/**
 * Checks a signed time against the clock: a difference of `skewSeconds` passes, one more does not, in both directions
 * (spec §3.2, §3.3). Null when it passes.
 */
export function checkTime(signedSeconds: number, nowSeconds: number, skewSeconds: number): Refusal | null {
  const aheadSeconds = signedSeconds - nowSeconds;
  if (Math.abs(aheadSeconds) <= skewSeconds) return null;
  const side = aheadSeconds < 0 ? 'behind' : 'ahead of';
  return refuse(
    'REQUEST_EXPIRED',
    `the signed time is ${String(Math.abs(aheadSeconds))} s ${side} the server's; ${String(skewSeconds)} s are allowed`,
  );
}

/** For how long a signature works whose time {@link checkTime} takes: one from the future works twice the distance. */
export function timeWindow(skewSeconds: number): number {
  return 2 * skewSeconds;
}

const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads an `apiTimestamp` from its source text: digits only (spec §3.3), seconds since the epoch. Null for anything
 * else, also for nothing. A number too large to be exact is a time far outside every window and stays one.
 */
export function parseApiTimestamp(text: Uint8Array): number | null {
  if (text.length === 0) return null;
  let seconds = 0;
  for (const byte of text) {
    if (byte < ZERO || byte > NINE) return null;
    seconds = Math.min(seconds * 10 + (byte - ZERO), Number.MAX_SAFE_INTEGER);
  }
  return seconds;
}

const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const FEBRUARY = 1;
const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The calendar repeats after 400 years. `Date.UTC` takes the years 0 … 99 for 1900 … 1999, so it gets later ones. */
const CYCLE_YEARS = 400;
const CYCLE_SECONDS = 146_097 * 86_400;

/**
 * Reads an IMF-fixdate (RFC 9110 §5.6.7) such as `Thu, 22 Jun 2017 21:12:36 GMT` as seconds since the epoch.
 *
 * Two-digit day, a real calendar day, GMT, no leap second; the name of the day is one of the seven but need not fit
 * (spec §3.2). Null for anything else.
 */
export function parseImfFixdate(text: string): number | null {
  if (text !== latestDate.text) latestDate = { text, seconds: parseDate(text) };
  return latestDate.seconds;
}

/**
 * The last date that was read; most requests of a second have the same. Module state: reading one takes 0.39 µs of a
 * check of 27 µs, and comparing it with the last one 0.01 µs (Node 20 and 24).
 */
let latestDate: { readonly text: string; readonly seconds: number | null } = { text: '', seconds: null };

function parseDate(text: string): number | null {
  const parts = IMF_FIXDATE.exec(text);
  if (parts === null) return null;
  const day = Number(parts[1]);
  const month = MONTHS.indexOf(parts[2] ?? '');
  const year = Number(parts[3]);
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6]);
  if (day < 1 || day > daysOf(month, year) || hour > 23 || minute > 59 || second > 59) return null;
  return Date.UTC(year + CYCLE_YEARS, month, day, hour, minute, second) / 1000 - CYCLE_SECONDS;
}

/** Writes seconds since the epoch (years 0 … 9999) as an IMF-fixdate, for signing. */
export function formatImfFixdate(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toUTCString();
}

function daysOf(month: number, year: number): number {
  if (month === FEBRUARY && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)) return 29;
  return DAYS_OF_MONTHS[month] ?? 0;
}
