import type { Grouping } from '../../../resources/changes/usage/sum-traffic.ts';
import type { ShownPlanUse } from '../plans/shown-plan.ts';

/** How many requests were decided how. */
export interface UsageCounts {
  readonly allowed: number;
  /** With any code but `RATE_LIMITED`. */
  readonly refused: number;
  readonly limited: number;
}

/** All requests. */
export function requestsOf({ allowed, refused, limited }: UsageCounts): number {
  return allowed + refused + limited;
}

/** What `GET /v1/usage` shows. A row is named by what it was grouped by. */
export interface ShownUsage {
  /** Of one consumer. */
  readonly plans?: readonly ShownPlanUse[];
  readonly since: string;
  readonly rows: readonly (UsageCounts & Partial<Readonly<Record<Grouping, string>>>)[];
  readonly total: UsageCounts & { readonly codes: Readonly<Record<string, number>> };
}
