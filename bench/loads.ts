import { type Load } from './driver/driver.ts';

/**
 * How requests reach a service: the driver calls it as Envoy does, or sends HTTP requests through Envoy. `alone`: there
 * is no service, and a program does the work of as many checks as the driver would make, one after the other.
 */
export type Way = 'direct' | 'envoy' | 'alone';

/**
 * The loads. Direct: `busy` keeps a service at work all the time, so that it reads and writes many calls at once; `calm`
 * sends calls one by one. Through Envoy: `saturated` sends as much as Envoy takes, `steady` 1000 requests a second.
 */
export const loadNames = ['busy', 'calm', 'saturated', 'steady'] as const;
export type LoadName = (typeof loadNames)[number];

/** The loads of each way. */
export const loadsOf = {
  direct: ['busy', 'calm'],
  envoy: ['saturated', 'steady'],
  alone: ['busy'],
} as const satisfies Record<Way, readonly LoadName[]>;

/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /**
   * What a service gets before the first round for each of its loads, so that V8 has compiled what matters. Loads of
   * which a read brings many checks do not warm up what runs once for each read.
   */
  readonly warmUp: Readonly<Record<LoadName, Load>>;
  readonly loads: Readonly<Record<LoadName, Load>>;
}

const busy = { connections: 4, streams: 25 } as const;
const calm = { connections: 2, streams: 1 } as const;
const saturated = { connections: 64, streams: 1 } as const;
const steady = { connections: 8, streams: 1, rate: 1000 } as const;
/** What {@link steady} brings, in less time. */
const oneByOne = { connections: 4, streams: 1 } as const;

export const plans = {
  full: {
    rounds: 9,
    warmUp: {
      busy: { ...busy, checks: 60_000, seconds: 10 },
      calm: { ...calm, checks: 40_000, seconds: 6 },
      saturated: { ...saturated, checks: 60_000, seconds: 30 },
      steady: { ...oneByOne, checks: 60_000, seconds: 40 },
    },
    loads: {
      busy: { ...busy, checks: 20_000, seconds: 3 },
      calm: { ...calm, checks: 5000, seconds: 3 },
      saturated: { ...saturated, checks: 20_000, seconds: 3 },
      steady: { ...steady, checks: 2000, seconds: 2 },
    },
  },
  quick: {
    rounds: 3,
    warmUp: {
      busy: { ...busy, checks: 15_000, seconds: 4 },
      calm: { ...calm, checks: 5000, seconds: 2 },
      saturated: { ...saturated, checks: 15_000, seconds: 20 },
      steady: { ...oneByOne, checks: 5000, seconds: 10 },
    },
    loads: {
      busy: { ...busy, checks: 6000, seconds: 0.5 },
      calm: { ...calm, checks: 1500, seconds: 0.4 },
      saturated: { ...saturated, checks: 6000, seconds: 0.7 },
      steady: { ...steady, checks: 700, seconds: 0.7 },
    },
  },
} as const satisfies Record<string, Plan>;

/** A load in words. */
export function describeLoad(name: LoadName, { connections, streams, rate }: Load): string {
  const most = `${name}: ${String(connections)} connections`;
  if (rate !== undefined) return `${most} to Envoy, ${String(rate)} requests a second`;
  const isDirect = loadsOf.direct.some((direct) => direct === name);
  return isDirect
    ? `${most}, ${String(streams)} calls at once on each`
    : `${most} to Envoy, one request at once on each`;
}
