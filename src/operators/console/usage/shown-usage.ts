import type { ShownPlanUse } from '../plans/shown-plan.ts';

/** How requests were counted together. */
export const groupings = ['hour', 'day', 'month', 'consumer', 'endpoint'] as const;
export type Grouping = (typeof groupings)[number];

/** What rows by consumer or endpoint can be sorted by. */
export const sortings = ['allowed', 'refused', 'limited'] as const;

/** How many requests were decided how. */
export interface UsageCounts {
  readonly allowed: number;
  /** With any code but `RATE_LIMITED`. */
  readonly refused: number;
  readonly limited: number;
}

/** What `GET /v1/usage` shows. A row is named by what it was grouped by. */
export interface ShownUsage {
  /** Of one consumer. */
  readonly plans?: readonly ShownPlanUse[];
  readonly since: string;
  readonly rows: readonly (UsageCounts & Partial<Readonly<Record<Grouping, string>>>)[];
  readonly total: UsageCounts & { readonly codes: Readonly<Record<string, number>> };
}
