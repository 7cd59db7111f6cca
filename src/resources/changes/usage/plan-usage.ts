import type { Endpoint } from '../../../model/endpoint.ts';
import { type LimitUnit, unitSeconds, windowAt } from '../../../model/limit.ts';
import { type Plan, planFor, type PlanLimit } from '../../../model/plan.ts';
import { hourOf, type TrafficCount, type TrafficSource } from '../../../model/traffic-count.ts';
import { declareTime } from '../../declared.ts';
import { listEndpoints, listPlans, pagesOf, type ResourceStore } from '../resource-store.ts';

/** How much of one limit of a plan a consumer has used in the window of now. */
export interface PlanUse {
  readonly planId: string;
  readonly consumerId: string;
  readonly limit: PlanLimit;
  /** Requests to endpoints of the plan that were allowed. */
  readonly used: number;
  /** When the window ends, in seconds since the epoch. */
  readonly endsAt: number;
}

/** Counts of requests are kept by the hour: they tell nothing of shorter windows. */
const isCounted = ({ unit }: PlanLimit): boolean => unitSeconds[unit] >= unitSeconds.hour;

/** Consumers who are looked up at once. */
const CONSUMERS_AT_ONCE = 500;

/** What the use of plans is read from. */
export interface PlanUsePorts {
  readonly resources: ResourceStore;
  readonly traffic: TrafficSource;
  readonly nowSeconds: number;
  /** Which counts may be seen; all of them without it. */
  readonly isSeen?: (count: TrafficCount) => boolean;
}

/**
 * How much of their plans consumers have used: of the limits of an hour or longer, by the requests that replicas
 * counted as allowed since the window began. The fullest first.
 *
 * @param consumers these, or each who has sent a request
 * @param planId only this plan
 */
export async function readPlanUse(
  { resources, traffic, nowSeconds, isSeen = () => true }: PlanUsePorts,
  { consumers, planId }: { readonly consumers: readonly string[] | 'each'; readonly planId?: string },
): Promise<readonly PlanUse[]> {
  const plans = await listPlans(resources);
  const units = unitsOf(plans.filter(({ id }) => planId === undefined || id === planId));
  if (units.length === 0) return [];
  const begins = new Map(units.map((unit) => [unit, hourOf(windowAt(unit, nowSeconds).startSeconds)]));
  const sums = new Map<string, Map<string, Map<LimitUnit, number>>>();
  for (const id of consumers === 'each' ? [] : consumers) sums.set(id, new Map());
  for await (const count of traffic.counts({ sinceHour: Math.min(...begins.values()), consumers })) {
    const { consumerId, endpointId, hour, codes } = count;
    const allowed = codes['ALLOWED'] ?? 0;
    if (consumerId === null || allowed === 0 || !isSeen(count)) continue;
    const byEndpoint = entryOf(sums, consumerId, () => new Map<string, Map<LimitUnit, number>>());
    const byUnit = entryOf(byEndpoint, endpointId, () => new Map<LimitUnit, number>());
    for (const [unit, begin] of begins) if (hour >= begin) byUnit.set(unit, (byUnit.get(unit) ?? 0) + allowed);
  }
  const endpoints = await listEndpoints(resources);
  const uses: PlanUse[] = [];
  for await (const page of pagesOf(consumersOf(resources, [...sums.keys()]), CONSUMERS_AT_ONCE)) {
    for (const { id, labels } of page) {
      const covered = endpointsByPlan(plans, endpoints, labels);
      for (const [plan, ids] of covered) {
        if (planId !== undefined && plan.id !== planId) continue;
        for (const limit of plan.limits.filter(isCounted)) {
          const used = ids.reduce((sum, endpointId) => sum + (sums.get(id)?.get(endpointId)?.get(limit.unit) ?? 0), 0);
          const endsAt = windowAt(limit.unit, nowSeconds).endSeconds;
          uses.push({ planId: plan.id, consumerId: id, limit, used, endsAt });
        }
      }
    }
  }
  return uses.sort((one, other) => partOf(other) - partOf(one) || (one.consumerId < other.consumerId ? -1 : 1));
}

/** Which part of a limit is used: 1 is all of it. */
export function partOf({ used, limit }: PlanUse): number {
  return used / limit.requests;
}

/** For programs. */
export function declarePlanUse({ planId, consumerId, limit, used, endsAt }: PlanUse): Record<string, unknown> {
  const { requests, unit } = limit;
  return { plan: planId, consumer: consumerId, requests, unit, used, until: declareTime(endsAt) };
}

function unitsOf(plans: readonly Plan[]): readonly LimitUnit[] {
  return [...new Set(plans.flatMap(({ limits }) => limits.filter(isCounted).map(({ unit }) => unit)))];
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

async function* consumersOf(
  resources: Pick<ResourceStore, 'list'>,
  ids: readonly string[],
): AsyncGenerator<{ readonly id: string; readonly labels: Readonly<Record<string, string>> }> {
  if (ids.length === 0) return;
  for await (const { resource } of resources.list('consumer', { ids })) yield resource;
}

/** The plans that count for a consumer, each with the endpoints on which it does. */
function endpointsByPlan(
  plans: readonly Plan[],
  endpoints: readonly Endpoint[],
  labels: Readonly<Record<string, string>>,
): ReadonlyMap<Plan, readonly string[]> {
  const covered = new Map<Plan, string[]>();
  for (const endpoint of endpoints) {
    const plan = planFor(plans, endpoint, labels);
    if (plan === null) continue;
    const ids = covered.get(plan);
    if (ids === undefined) covered.set(plan, [endpoint.id]);
    else ids.push(endpoint.id);
  }
  return covered;
}
