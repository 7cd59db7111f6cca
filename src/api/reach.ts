import type { Change } from '../manage/change.ts';
import { listEndpoints, notFound, type ResourceStore } from '../manage/resource-store.ts';
import type { Consumer } from '../model/consumer.ts';
import { type Grant, isGroupGrant } from '../model/grant.ts';
import { carries, describeLabels, type Labels, type LabelSelector } from '../model/labels.ts';
import type { Operator } from '../model/operator.ts';
import { parseGrantId } from '../resources/grant.ts';
import type { ManagedCredential, ResourceOf, Stored } from '../resources/resource.ts';
import { findTakenRequests } from '../route/taken-requests.ts';
import { ApiProblem } from './problem.ts';

/** What carries labels, and so is within the reach of an operator or not. */
export type LabelledKind = 'consumer' | 'endpoint';

/** What the store itself holds a change to; undefined for an operator who reaches everything. */
export function selectorOf({ selector }: Operator): LabelSelector | undefined {
  return Object.keys(selector).length === 0 ? undefined : selector;
}

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

/** A credential within reach: that of a consumer who is, with its consumer. Throws `NotFound` for any other. */
export async function reachCredential(
  operator: Operator,
  id: string,
  resources: Pick<ResourceStore, 'find'>,
): Promise<{ readonly credential: Stored<ManagedCredential>; readonly consumer: Consumer }> {
  const credential = await resources.find('credential', id);
  const consumer = credential === null ? null : await resources.find('consumer', credential.resource.consumerId);
  if (credential === null || consumer === null || !reaches(operator, consumer.resource)) {
    throw notFound('credential', id, []);
  }
  return { credential, consumer: consumer.resource };
}

/**
 * A grant within reach. The endpoint has to be, and the consumer of an own grant; the grant of a group is seen by those
 * who have the endpoint. Throws `NotFound` for any other.
 */
export async function reachGrant(
  operator: Operator,
  id: string,
  resources: Pick<ResourceStore, 'find'>,
): Promise<Stored<Grant>> {
  const target = parseGrantId(id);
  const endpoint = target === null ? null : await resources.find('endpoint', target.endpointId);
  const grant = endpoint === null || !reaches(operator, endpoint.resource) ? null : await resources.find('grant', id);
  if (grant === null) throw notFound('grant', id, []);
  if (isGroupGrant(grant.resource)) return grant;
  const consumer = await resources.find('consumer', grant.resource.consumerId);
  if (consumer === null || !reaches(operator, consumer.resource)) throw notFound('grant', id, []);
  return grant;
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
  if (changed.length === 0 || selectorOf(operator) === undefined) return;
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
