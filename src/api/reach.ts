import type { Change } from '../manage/change.ts';
import { listEndpoints, notFound, type ResourceStore } from '../manage/resource-store.ts';
import { carries, describeLabels, type Labels, type LabelSelector } from '../model/labels.ts';
import type { Operator } from '../model/operator.ts';
import type { ResourceOf, Stored } from '../resources/resource.ts';
import { findTakenRequests } from '../route/taken-requests.ts';
import { ApiProblem } from './problem.ts';

/** What carries labels, and so is within the reach of an operator or not. */
export type LabelledKind = 'consumer' | 'endpoint';

/** Whether an operator reaches what carries these labels. */
export function reaches({ selector }: Operator, { labels }: { readonly labels: Labels }): boolean {
  return carries(labels, selector);
}

/**
 * A resource within reach. Throws `NotFound` also for one that is there beyond it: an operator does not learn of it.
 */
export async function requireReached<K extends LabelledKind>(
  operator: Operator,
  kind: K,
  id: string,
  resources: Pick<ResourceStore, 'find'>,
): Promise<Stored<ResourceOf[K]>> {
  const stored = await resources.find(kind, id);
  if (stored === null || !reaches(operator, stored.resource)) throw notFound(kind, id, []);
  return stored;
}

/** The labels of what is asked for within reach; null where nothing can carry both. */
export function labelsWithin({ selector }: Operator, wanted: LabelSelector): LabelSelector | null {
  const labels = { ...wanted, ...selector };
  return carries(labels, wanted) ? labels : null;
}

/**
 * Throws `CONFLICT` where changes of endpoints would take requests that belong to endpoints beyond reach: a narrower path
 * or a more exact host does, without colliding.
 */
export async function requireOwnRequests(
  operator: Operator,
  changes: readonly Change[],
  resources: ResourceStore,
): Promise<void> {
  const changed = changes.flatMap((change) => (change.kind === 'endpoint' ? (change.after ?? []) : []));
  if (changed.length === 0 || Object.keys(operator.selector).length === 0) return;
  const stored = await listEndpoints(resources);
  const taken = findTakenRequests(changed, stored, (endpoint) => !reaches(operator, endpoint));
  if (taken === null) return;
  const { by, example } = taken;
  throw new ApiProblem('CONFLICT', `"${by.id}" would take requests of an endpoint beyond reach, such as ${example}`);
}

/** Throws `FORBIDDEN` for a resource that an operator would make, or leave, beyond the own reach. */
export function requireWithinReach(operator: Operator, resource: { readonly labels: Labels } | null): void {
  if (resource === null || reaches(operator, resource)) return;
  throw new ApiProblem(
    'FORBIDDEN',
    `the resource must carry the labels of the operator: ${describeLabels(operator.selector)}`,
  );
}
