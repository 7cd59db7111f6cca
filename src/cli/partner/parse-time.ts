import { parseImfFixdate } from '../../signing/signed-time.ts';
import { UsageError } from './usage-error.ts';

const ISO_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;
const SECONDS = /^\d{1,11}$/;

/** Reads a time: ISO 8601 with its zone, an HTTP date, or seconds since 1970. Gives whole seconds since the epoch. */
export function parseTime(text: string): number {
  if (SECONDS.test(text)) return Number(text);
  const seconds = ISO_WITH_ZONE.test(text) ? Math.floor(Date.parse(text) / 1000) : parseImfFixdate(text);
  if (seconds === null || Number.isNaN(seconds)) {
    throw new UsageError(`--at ${text}: write a time with its zone, like 2026-11-21T02:40:00Z, or seconds since 1970`);
  }
  return seconds;
}
