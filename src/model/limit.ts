/** The units of limits, shortest first (spec §1). */
export const limitUnits = ['second', 'minute', 'hour', 'day', 'month'] as const;
export type LimitUnit = (typeof limitUnits)[number];

const DAY_SECONDS = 86_400;

/** Length of the longest window of each unit, in seconds. Where a window begins and ends {@link windowAt} says. */
export const unitSeconds = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: DAY_SECONDS,
  month: 31 * DAY_SECONDS,
} as const satisfies Record<LimitUnit, number>;

/** A span of time in which requests are counted together, in seconds since the epoch. */
export interface LimitWindow {
  readonly startSeconds: number;
  /** The first second of the next window. */
  readonly endSeconds: number;
}

type WindowAt = (nowSeconds: number) => LimitWindow;

const windows: Readonly<Record<LimitUnit, WindowAt>> = {
  second: windowsOf(unitSeconds.second),
  minute: windowsOf(unitSeconds.minute),
  hour: windowsOf(unitSeconds.hour),
  day: windowsOf(unitSeconds.day),
  month: monthAt,
};

/**
 * The window of a unit that this moment belongs to: fixed, and aligned to UTC (spec §4.2). A month is one of the
 * calendar.
 */
export function windowAt(unit: LimitUnit, nowSeconds: number): LimitWindow {
  return windows[unit](nowSeconds);
}

/** Windows of one length, counted from 1970. */
function windowsOf(length: number): WindowAt {
  return (nowSeconds) => {
    const startSeconds = Math.floor(nowSeconds / length) * length;
    return { startSeconds, endSeconds: startSeconds + length };
  };
}

function monthAt(nowSeconds: number): LimitWindow {
  const now = new Date(nowSeconds * 1000);
  const firstOf = (month: number): number => Date.UTC(now.getUTCFullYear(), month, 1) / 1000;
  return { startSeconds: firstOf(now.getUTCMonth()), endSeconds: firstOf(now.getUTCMonth() + 1) };
}

/** Who shares a limit: each consumer on an endpoint alone, or all callers of the endpoint together. */
export const limitScopes = ['consumer', 'endpoint'] as const;
export type LimitScope = (typeof limitScopes)[number];

/** At most `requests` in each window of one `unit` (spec §1). */
export interface Limit extends CountedLimit {
  readonly per: LimitScope;
}

/** A limit as requests are counted against it: of an endpoint or a grant, or of a plan (`per: plan`, model/plan.ts). */
export interface CountedLimit {
  /** 1 … 4 294 967 295, what the rate limit service can carry. */
  readonly requests: number;
  readonly unit: LimitUnit;
  readonly per: LimitScope | 'plan';
}

/** The largest `requests` of a limit: an unsigned 32-bit number in the rate limit service's messages. */
export const MAX_LIMIT_REQUESTS = 4_294_967_295;

/** A limit in the form in which it is given: `100/minute/consumer`. */
export function formatLimit({ requests, unit, per }: CountedLimit): string {
  return `${String(requests)}/${unit}/${per}`;
}

/** Where one limit stands after a request was counted. */
export interface LimitReading {
  readonly limit: CountedLimit;
  /** Requests left in this window; 0 when the limit is reached or exceeded. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  /** Length of the window. */
  readonly windowSeconds: number;
  /** Whether this request is over the limit. */
  readonly isExceeded: boolean;
}
