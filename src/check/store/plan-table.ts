import type { Endpoint } from '../../model/endpoint.ts';
import { type CompiledPlan, compiledPlan, coversEndpoint, type Plan, rankPlans } from '../../model/plan.ts';
import type { PlanTable } from './check-store.ts';

/** Of a store without plans: checks cost nothing. */
export const noPlans: PlanTable = { of: () => null };

/**
 * Compiles plans with the endpoints that they cover, so that a check makes nothing: by endpoint, in the order in which
 * they are asked. Endpoints with the same plans share one list.
 */
export function compilePlans(plans: readonly Plan[], endpoints: readonly Endpoint[]): PlanTable {
  if (plans.length === 0) return noPlans;
  const ranked = rankPlans(plans).map((plan) => ({ plan, compiled: compiledPlan(plan) }));
  const lists = new Map<string, readonly CompiledPlan[]>();
  const byEndpoint = new Map<string, readonly CompiledPlan[]>();
  for (const endpoint of endpoints) {
    const own = ranked.filter(({ plan }) => coversEndpoint(plan, endpoint)).map(({ compiled }) => compiled);
    if (own.length === 0) continue;
    const key = own.map(({ id }) => id).join(' ');
    const shared = lists.get(key) ?? own;
    lists.set(key, shared);
    byEndpoint.set(endpoint.id, shared);
  }
  return { of: (endpointId) => byEndpoint.get(endpointId) ?? null };
}
