import type { Change } from '../manage/change.ts';
import type { ConflictHolder } from '../manage/planned-conflict.ts';
import { findGrant, listEndpoints, notFound, type ResourceStore } from '../manage/resource-store.ts';
import type { Consumer } from '../model/consumer.ts';
import { type Grant, type GroupGrant, isGroupGrant } from '../model/grant.ts';
import { carries, describeLabels, type Labels, type LabelSelector } from '../model/labels.ts';
import type { Operator } from '../model/operator.ts';
import { endpointOfShortId, parseGrantId } from '../resources/grant.ts';
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
  resources: Pick<ResourceStore, 'find' | 'list'>,
): Promise<Stored<Grant>> {
  const endpointId = parseGrantId(id)?.endpointId ?? endpointOfShortId(id);
  const endpoint = endpointId === null ? null : await resources.find('endpoint', endpointId);
  const grant = endpoint === null || !reaches(operator, endpoint.resource) ? null : await findGrant(resources, id);
  if (grant === null) throw notFound('grant', id, []);
  if (isGroupGrant(grant.resource)) return grant;
  const consumer = await resources.find('consumer', grant.resource.consumerId);
  if (consumer === null || !reaches(operator, consumer.resource)) throw notFound('grant', id, []);
  return grant;
}

/** Whether what is in the way of a wish is within reach: a credential is where its consumer is. */
export async function isReached(
  operator: Operator,
  { kind, id }: Pick<ConflictHolder, 'kind' | 'id'>,
  resources: Pick<ResourceStore, 'find'>,
): Promise<boolean> {
  if (kind === 'endpoint') {
    const endpoint = await resources.find('endpoint', id);
    return endpoint !== null && reaches(operator, endpoint.resource);
  }
  const credential = await resources.find('credential', id);
  const consumer = credential === null ? null : await resources.find('consumer', credential.resource.consumerId);
  return consumer !== null && reaches(operator, consumer.resource);
}

/**
 * Of planned changes the own grants of consumers beyond reach, which go with an endpoint: an answer names none of them.
 * Throws `CONFLICT` for a grant on an endpoint beyond reach, which would go with its consumer.
 */
export async function foreignGrants(
  operator: Operator,
  changes: readonly Change[],
  resources: ResourceStore,
): Promise<ReadonlySet<Change>> {
  const grants = changes.flatMap((change) => {
    const grant = change.kind === 'grant' ? (change.after ?? change.before?.resource ?? null) : null;
    return grant === null ? [] : [{ change, grant }];
  });
  if (grants.length === 0 || selectorOf(operator) === undefined) return new Set();
  const endpoints = await reachedIds(operator, 'endpoint', [...grants.map(({ grant }) => grant.endpointId)], resources);
  if (grants.some(({ grant }) => !endpoints.has(grant.endpointId))) {
    throw new ApiProblem(
      'CONFLICT',
      'a grant on an endpoint beyond reach would go with it; it has to be removed first',
    );
  }
  const owners = grants.flatMap(({ grant }) => (isGroupGrant(grant) ? [] : [grant.consumerId]));
  const consumers = await reachedIds(operator, 'consumer', owners, resources);
  const foreign = grants.filter(({ grant }) => !isGroupGrant(grant) && !consumers.has(grant.consumerId));
  return new Set(foreign.map(({ change }) => change));
}

/** Those of these ids that are within reach. */
export async function reachedIds(
  { selector }: Operator,
  kind: LabelledKind,
  ids: readonly string[],
  resources: Pick<ResourceStore, 'list'>,
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  for await (const { resource } of resources.list(kind, { ids, labels: selector })) reached.add(resource.id);
  return reached;
}

/**
 * Throws `FORBIDDEN` for a group that consumers beyond reach belong to, or could: its labels have to name all that the
 * operator's selector does.
 */
export function requireOwnGroup(
  { selector }: Operator,
  { consumerSelector }: Pick<GroupGrant, 'consumerSelector'>,
): void {
  if (carries(consumerSelector, selector)) return;
  throw new ApiProblem(
    'FORBIDDEN',
    `the consumerSelector must name the labels of the operator: ${describeLabels(selector)}`,
  );
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
