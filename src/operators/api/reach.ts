import type { ConflictHolder } from '../../resources/changes/planned-conflict.ts';
import { findGrant, notFound, type ResourceStore } from '../../resources/changes/resource-store.ts';
import type { LabelledKind } from '../../resources/changes/rights/change-ground.ts';
import type { Consumer } from '../../model/consumer.ts';
import { type Grant, isGroupGrant } from '../../model/grant.ts';
import { carries, type Labels, type LabelSelector } from '../../model/labels.ts';
import type { Operator } from '../../model/operator.ts';
import { type Plan, planBelongsTo } from '../../model/plan.ts';
import { endpointOfShortId, parseGrantId } from '../../resources/grant.ts';
import type { ManagedCredential, ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';

/** What is within reach by labels of its own. */
export type ReachedKind = LabelledKind | 'issuer';

/** The labels of what an operator reaches; undefined for one who reaches everything. */
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
export async function requireReached<K extends ReachedKind>(
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

/** A plan that belongs to the operator's labels. Throws `NotFound` also for one that is there beyond them. */
export async function reachPlan(
  { selector }: Operator,
  id: string,
  resources: Pick<ResourceStore, 'find'>,
): Promise<Stored<Plan>> {
  const stored = await resources.find('plan', id);
  if (stored === null || !planBelongsTo(stored.resource, selector)) throw notFound('plan', id, []);
  return stored;
}

/** The same resources, in which no endpoint, consumer or credential beyond reach is found. */
export function withinReach(
  operator: Operator,
  resources: Pick<ResourceStore, 'find' | 'list'>,
): Pick<ResourceStore, 'find' | 'list'> {
  return {
    list: (kind, selection) => resources.list(kind, selection),
    find: async (kind, id) => {
      const stored = await resources.find(kind, id);
      const what: ResourceKind = kind;
      if (what === 'grant' || what === 'operator') return stored;
      return stored !== null && (await isReached(operator, { kind: what, id }, resources)) ? stored : null;
    },
  };
}

/** Whether what is in the way of a wish is within reach: a credential is where its consumer is. */
export async function isReached(
  operator: Operator,
  { kind, id }: Pick<ConflictHolder, 'kind' | 'id'>,
  resources: Pick<ResourceStore, 'find'>,
): Promise<boolean> {
  if (kind === 'plan') {
    const plan = await resources.find(kind, id);
    return plan !== null && planBelongsTo(plan.resource, operator.selector);
  }
  if (kind !== 'credential') {
    const labelled = await resources.find(kind, id);
    return labelled !== null && reaches(operator, labelled.resource);
  }
  const credential = await resources.find('credential', id);
  const consumer = credential === null ? null : await resources.find('consumer', credential.resource.consumerId);
  return consumer !== null && reaches(operator, consumer.resource);
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

/** The labels of what is asked for within reach; null where nothing can carry both. */
export function labelsWithin({ selector }: Operator, wanted: LabelSelector): LabelSelector | null {
  const labels = { ...wanted, ...selector };
  return carries(labels, wanted) ? labels : null;
}
