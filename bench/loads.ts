import { type Load } from './driver/driver.ts';

/**
 * The two ways in which every service is driven: `busy` keeps it at work all the time, so that it reads and writes many
 * calls at once; `calm` is closer to an Envoy with two workers whose requests come one by one.
 */
export const loadNames = ['busy', 'calm'] as const;
export type LoadName = (typeof loadNames)[number];

/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** Once for each service, before the first round. */
  readonly warmUp: Load;
  readonly loads: Readonly<Record<LoadName, Load>>;
}

const busy = { connections: 4, streams: 25 } as const;
const calm = { connections: 2, streams: 1 } as const;

export const plans = {
  full: {
    rounds: 9,
    warmUp: { ...busy, checks: 60_000, seconds: 4 },
    loads: { busy: { ...busy, checks: 20_000, seconds: 3 }, calm: { ...calm, checks: 5000, seconds: 3 } },
  },
  quick: {
    rounds: 3,
    warmUp: { ...busy, checks: 15_000, seconds: 1 },
    loads: { busy: { ...busy, checks: 6000, seconds: 0.5 }, calm: { ...calm, checks: 1500, seconds: 0.4 } },
  },
} as const satisfies Record<string, Plan>;
