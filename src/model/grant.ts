import type { Limit } from './limit.ts';

/** A consumer authorised on an endpoint (spec §1). */
export interface Grant {
  readonly endpointId: string;
  readonly consumerId: string;
  /** Replace the endpoint's `per: consumer` limits for this consumer; `[]` lifts them; null leaves them. */
  readonly limits: readonly Limit[] | null;
  /** Seconds since the epoch; null for no end. */
  readonly expiresAt: number | null;
}
