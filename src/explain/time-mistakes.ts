import type { Mistake } from './mistake.ts';

const HALF_HOUR_SECONDS = 1800;
const HOUR_SECONDS = 3600;
/** Zones that are not at a whole or half hour. */
const QUARTER_ZONES_SECONDS = [20_700, 31_500, 45_900];
const EASTERNMOST_SECONDS = 14 * HOUR_SECONDS;
const WESTERNMOST_SECONDS = -12 * HOUR_SECONDS;
/** How near to a zone's offset a time must be to be taken for it: clocks differ, and requests take a while. */
const ZONE_TOLERANCE_SECONDS = 120;

/** The mistake in a signed time outside the window; null when it may just be an old request. */
export function findTimeMistake(
  field: 'Date' | 'apiTimestamp',
  signedSeconds: number,
  nowSeconds: number,
  isTimeKnown: boolean,
): Mistake | null {
  const aheadSeconds = signedSeconds - nowSeconds;
  const zone = findZone(aheadSeconds);
  if (zone !== null) {
    const hours = `${String(Math.abs(zone) / HOUR_SECONDS)} h ${zone > 0 ? 'ahead of' : 'behind'}`;
    return {
      name: 'local-time',
      what: `${field} is local time, ${hours} GMT`,
      fix: `Take the time in GMT (UTC), whatever the zone of your machine${field === 'Date' ? ', as date -u does' : ''}${
        isTimeKnown || zone > 0 ? '' : '; if the request was made then, say when with --at'
      }`,
    };
  }
  if (aheadSeconds < 0 && !isTimeKnown) return null;
  const distance = `${String(Math.abs(aheadSeconds))} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} the server's clock`;
  return {
    name: 'outside-the-window',
    what: `${field} is ${distance}`,
    fix: 'Set the clock of your machine (NTP), and sign each request just before it is sent, also when it is tried again',
  };
}

function findZone(aheadSeconds: number): number | null {
  const nearest = Math.round(aheadSeconds / HALF_HOUR_SECONDS) * HALF_HOUR_SECONDS;
  const zone = [nearest, ...QUARTER_ZONES_SECONDS].find(
    (offset) => Math.abs(aheadSeconds - offset) <= ZONE_TOLERANCE_SECONDS,
  );
  if (zone === undefined || zone === 0 || zone < WESTERNMOST_SECONDS || zone > EASTERNMOST_SECONDS) return null;
  return zone;
}
