import { ownedSince } from '../../model/labels-since.ts';
import type { Operator } from '../../model/operator.ts';
import type { TrafficCount, TrafficSelection } from '../../model/traffic-count.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { LabelledKind } from '../../resources/changes/rights/change-ground.ts';
import { reachesAll } from './sight.ts';

const HOUR_SECONDS = 3600;

/**
 * Which counts an operator sees: one with labels those of whole hours in which the endpoint, and the consumer where the
 * counts are by consumer, carried these labels. Endpoints and the consumers of one operator fit into memory.
 */
export async function createSight(
  operator: Operator,
  selection: TrafficSelection | null,
  resources: ResourceStore,
): Promise<(count: TrafficCount) => boolean> {
  if (reachesAll(operator)) return () => true;
  const endpoints = await sinceOf('endpoint', operator, undefined, resources);
  const ids = Array.isArray(selection?.consumers) ? (selection.consumers as readonly string[]) : undefined;
  const isByConsumer = selection !== null && selection.consumers !== null;
  const consumers = isByConsumer ? await sinceOf('consumer', operator, ids, resources) : null;
  return ({ hour, endpointId, consumerId }) => {
    const beginsAt = hour * HOUR_SECONDS;
    if (!(beginsAt >= (endpoints.get(endpointId) ?? Infinity))) return false;
    return consumers === null || (consumerId !== null && beginsAt >= (consumers.get(consumerId) ?? Infinity));
  };
}

/** Since when each of those within reach has been, in seconds since the epoch. */
async function sinceOf(
  kind: LabelledKind,
  { selector }: Operator,
  ids: readonly string[] | undefined,
  resources: ResourceStore,
): Promise<ReadonlyMap<string, number>> {
  const since = new Map<string, number>();
  for await (const stored of resources.list(kind, { labels: selector, ids })) {
    since.set(stored.resource.id, ownedSince(stored, selector));
  }
  return since;
}
