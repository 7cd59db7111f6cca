import type { LabelSelector } from './labels.ts';
import type { Limit } from './limit.ts';

/** What a grant allows on its endpoint, for any holder (spec §1). */
interface GrantTerms {
  readonly endpointId: string;
  /** Replace the endpoint's `per: consumer` limits for each consumer; `[]` lifts them; null leaves them. */
  readonly limits: readonly Limit[] | null;
  /** Seconds since the epoch; null for no end. */
  readonly expiresAt: number | null;
}

/** A consumer authorised on an endpoint. */
export interface OwnGrant extends GrantTerms {
  readonly consumerId: string;
}

/** Consumers authorised on an endpoint by their labels. */
export interface GroupGrant extends GrantTerms {
  /** At least one label. A consumer that carries all of them belongs to the group. */
  readonly consumerSelector: LabelSelector;
  /** Of several grants that fit a consumer, the highest counts; no two of an endpoint have the same. */
  readonly priority: number;
}

/** What lets a consumer, or a group of consumers, use an endpoint, and within which limits (spec §1). */
export type Grant = OwnGrant | GroupGrant;

/** What a grant is known by: its endpoint, and the consumer or the group. */
export type GrantTarget =
  | Pick<OwnGrant, 'endpointId' | 'consumerId'>
  | Pick<GroupGrant, 'endpointId' | 'consumerSelector'>;

/** The lowest priority of a grant for a group. */
export const MIN_PRIORITY = -1_000_000;
/** The highest priority of a grant for a group. */
export const MAX_PRIORITY = 1_000_000;

/** Whether a grant is for a group of consumers. */
export function isGroupGrant<T extends object>(grant: T): grant is Extract<T, { readonly consumerSelector: unknown }> {
  return 'consumerSelector' in grant;
}

/** Endpoint and priority in one text: no two grants for groups have the same. */
export function rankOf({ endpointId, priority }: Pick<GroupGrant, 'endpointId' | 'priority'>): string {
  return `${endpointId} ${String(priority)}`;
}
