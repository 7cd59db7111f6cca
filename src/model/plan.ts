import type { Endpoint } from './endpoint.ts';
import { carries, carriesEach, type Labels, type LabelSelector } from './labels.ts';
import type { CountedLimit, LimitUnit } from './limit.ts';

/** At most `requests` of each consumer in each window of one `unit`, over all endpoints of a plan together. */
export interface PlanLimit {
  /** 1 … 4 294 967 295, as of other limits. */
  readonly requests: number;
  readonly unit: LimitUnit;
}

/** Limits of each consumer over a set of endpoints together, beside those of endpoints and grants (spec §1). */
export interface Plan {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  /** What a consumer that it covers carries; empty for every consumer. */
  readonly consumerSelector: LabelSelector;
  /** The endpoints that it covers; null where labels say which. */
  readonly endpointIds: readonly string[] | null;
  /** What an endpoint that it covers carries; empty for every endpoint; null where their ids are listed. */
  readonly endpointSelector: LabelSelector | null;
  /** Of several plans that cover a request, the highest counts; no two have the same. */
  readonly priority: number;
  /** At least one, no two with the same unit. */
  readonly limits: readonly PlanLimit[];
}

/** A plan as checks ask it: which consumers it covers, by labels side by side, and its limits. */
export interface CompiledPlan {
  readonly id: string;
  readonly names: readonly string[];
  readonly values: readonly string[];
  /** Each `per: plan`. */
  readonly limits: readonly CountedLimit[];
}

/** Made ready for checks. */
export function compiledPlan({ id, consumerSelector, limits }: Plan): CompiledPlan {
  return {
    id,
    names: Object.keys(consumerSelector),
    values: Object.values(consumerSelector),
    limits: limits.map(({ requests, unit }) => ({ requests, unit, per: 'plan' })),
  };
}

/** Whether a plan covers an endpoint. None covers an open one, whose callers are nobody. */
export function coversEndpoint(
  { endpointIds, endpointSelector }: Pick<Plan, 'endpointIds' | 'endpointSelector'>,
  { id, labels, scenario }: Pick<Endpoint, 'id' | 'labels' | 'scenario'>,
): boolean {
  if (scenario === 'open') return false;
  return endpointSelector === null ? endpointIds?.includes(id) === true : carries(labels, endpointSelector);
}

/** Plans in the order in which they are asked: the highest priority first. */
export function rankPlans(plans: readonly Plan[]): readonly Plan[] {
  return [...plans].sort((one, other) => other.priority - one.priority);
}

/** The plan that counts for a consumer: the first that covers it; null without any. */
export function planInEffect<P extends Pick<CompiledPlan, 'names' | 'values'>>(
  ranked: readonly P[],
  labels: Labels,
): P | null {
  for (const plan of ranked) if (carriesEach(labels, plan.names, plan.values)) return plan;
  return null;
}

/** {@link planInEffect} for a consumer on an endpoint, of all plans in any order. */
export function planFor(
  plans: readonly Plan[],
  endpoint: Pick<Endpoint, 'id' | 'labels' | 'scenario'>,
  labels: Labels,
): Plan | null {
  const covering = rankPlans(plans).filter((plan) => coversEndpoint(plan, endpoint));
  return covering.find(({ consumerSelector }) => carries(labels, consumerSelector)) ?? null;
}

/**
 * Whether a plan is theirs who have a selector: it reaches no consumer and no endpoint but those that carry the
 * selector by its own labels. One that lists endpoints, or covers all, belongs to those who are bound by nothing.
 */
export function planBelongsTo(
  { consumerSelector, endpointSelector }: Pick<Plan, 'consumerSelector' | 'endpointSelector'>,
  selector: LabelSelector,
): boolean {
  return carries(consumerSelector, selector) && carries(endpointSelector ?? {}, selector);
}
