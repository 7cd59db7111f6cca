import { FieldFault, timeField } from './fields.ts';

/** A time as people give it: itself, in seconds since the epoch, or how far it is from now. */
export type Moment = { readonly atSeconds: number } | { readonly distanceSeconds: number };

/** The units of spans of time, such as `30m`, in seconds. */
export const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Longer spans are mistakes: a hundred years. */
const MAX_SPAN_SECONDS = 100 * 365 * unitSeconds.d;
const SPAN = /^(\d{1,10})([smhdw])$/;
const SPAN_FORM = 'a span such as 45s, 30m, 12h, 7d or 2w';

const noSpan = new FieldFault(`must be ${SPAN_FORM}, or 0`);
const tooLong = new FieldFault('is more than a hundred years');
const noMoment = new FieldFault(`must be ${SPAN_FORM}, or a time with its zone, such as 2027-01-01T00:00:00Z`);

/** `7d` as seconds; `0` is a span too. */
export function readSpan(text: string): number | FieldFault {
  if (text === '0') return 0;
  const [, number, unit] = SPAN.exec(text) ?? [];
  if (number === undefined || unit === undefined) return noSpan;
  const seconds = Number(number) * unitSeconds[unit as keyof typeof unitSeconds];
  return seconds > MAX_SPAN_SECONDS ? tooLong : seconds;
}

/** `90d` or `2027-01-01T00:00:00Z`. */
export function readMoment(text: string): Moment | FieldFault {
  if (SPAN.test(text)) {
    const distanceSeconds = readSpan(text);
    return distanceSeconds instanceof FieldFault ? distanceSeconds : { distanceSeconds };
  }
  const time = timeField(text);
  return time instanceof FieldFault ? noMoment : { atSeconds: time };
}

/** A moment ahead, in seconds since the epoch. */
export function momentAhead(moment: Moment, nowSeconds: number): number {
  return 'atSeconds' in moment ? moment.atSeconds : nowSeconds + moment.distanceSeconds;
}

/** A moment back, in seconds since the epoch. */
export function momentBack(moment: Moment, nowSeconds: number): number {
  return 'atSeconds' in moment ? moment.atSeconds : nowSeconds - moment.distanceSeconds;
}
