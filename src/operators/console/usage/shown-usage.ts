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

/** What is used of one limit of an endpoint, or of a grant on it. */
export interface ShownLimitUse {
  readonly endpoint: string;
  readonly of: 'endpoint' | 'grant';
  readonly requests: number;
  readonly unit: string;
  /** `endpoint`: all callers share it. */
  readonly per: 'consumer' | 'endpoint';
  readonly used: number;
  readonly until: string;
}

/** What `GET /v1/usage` shows. A row is named by what it was grouped by. */
export interface ShownUsage {
  /** Of one consumer. */
  readonly plans?: readonly ShownPlanUse[];
  /** Of one consumer, where it was asked for. */
  readonly limits?: readonly ShownLimitUse[];
  readonly since: string;
  readonly rows: readonly (UsageCounts & Partial<Readonly<Record<Grouping, string>>>)[];
  readonly total: UsageCounts & { readonly codes: Readonly<Record<string, number>> };
}
