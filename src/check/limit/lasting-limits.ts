import type { Environment } from '../../base/environment.ts';
import { type CountedLimit, limitUnits, unitSeconds } from '../../model/limit.ts';

/** From here on a process most probably restarts within a window. */
const LASTING_SECONDS = unitSeconds.hour;

/** The units of limits that a restart of the process cuts short, where it keeps them itself. */
export const lastingUnits = limitUnits.filter((unit) => unitSeconds[unit] >= LASTING_SECONDS);

/** What of a limit says how long it lasts. */
export type Lasting = Pick<CountedLimit, 'unit'>;

/** Whether any of these limits lasts an hour or longer. */
export function hasLasting(limits: readonly Lasting[] | null): boolean {
  return limits !== null && limits.some(({ unit }) => lastingUnits.includes(unit));
}

/** What becomes of such limits without a rate limit service, in words that follow their holders or "limits". */
export const LASTING_WITHOUT_SERVICE =
  'of an hour or longer begin anew at each restart, and each replica counts for itself, without a rate limit service';

/** What to do about it: the command starts the service on this machine, as its folder configures it. */
export const SHARE_LIMITS =
  'start one with "deploy/ratelimit/start" and set POSTERN_RATE_LIMIT_SERVICE=127.0.0.1:8081 for "postern serve" (docs/traffic-control.md)';

/** Whom a note names. */
const MAX_NAMED = 5;

/**
 * What to say where limits are set of which some last an hour or longer; null for nothing, also where these settings
 * name a rate limit service.
 *
 * @param holders whose limits they are, in words, each with its limits
 */
export function noteOnLasting(
  holders: readonly { readonly name: string; readonly limits: readonly Lasting[] | null }[],
  environment: Environment,
): string | null {
  if ((environment['POSTERN_RATE_LIMIT_SERVICE'] ?? '') !== '') return null;
  const names = holders.filter(({ limits }) => hasLasting(limits)).map(({ name }) => name);
  if (names.length === 0) return null;
  const more = names.length - MAX_NAMED;
  const named = `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  return `limits ${LASTING_WITHOUT_SERVICE} (${named}): ${SHARE_LIMITS}`;
}
