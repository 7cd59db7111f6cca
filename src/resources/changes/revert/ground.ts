import type { Endpoint } from '../../../model/endpoint.ts';
import { idOfResource } from '../../declare-resource.ts';
import { type ResourceKind, resourceKinds, type ResourceOf, type Stored } from '../../resource.ts';
import { type AuditEvent, collectAll, listEndpoints, type ResourceStore } from '../resource-store.ts';

/** What the store has now of all that a revert depends on. */
export interface RevertGround {
  /** A resource that an event is about, or that one of these needs; null when there is none. */
  readonly find: <K extends ResourceKind>(kind: K, id: string) => Stored<ResourceOf[K]> | null;
  /** All endpoints. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Credentials and grants of the consumers and endpoints that the events created, whose deletion would orphan them; of
   * each issuer a credential that names it.
   */
  readonly children: readonly Child[];
}

/** A credential or grant, and what it cannot do without: `consumer/acme`, `endpoint/orders`, `issuer/idp`. */
export interface Child {
  readonly kind: 'credential' | 'grant';
  readonly id: string;
  readonly parents: readonly string[];
}

/** Reads what a revert of these events is planned on. Rejects as the store does. */
export async function readGround(events: readonly AuditEvent[], store: ResourceStore): Promise<RevertGround> {
  const found = new Map<string, Stored<ResourceOf[ResourceKind]>>();
  for (const kind of resourceKinds) {
    const ids = [...idsToFind(events, kind)];
    if (ids.length === 0) continue;
    for await (const stored of store.list(kind, { ids }))
      found.set(nameOf(kind, idOfResource(stored.resource)), stored);
  }
  const created = events.filter(({ before }) => before === null);
  const consumerIds = created.flatMap(({ kind, id }) => (kind === 'consumer' ? [id] : []));
  const endpointIds = created.flatMap(({ kind, id }) => (kind === 'endpoint' ? [id] : []));
  const children: Child[] = [];
  if (consumerIds.length > 0) {
    for await (const { resource } of store.list('credential', { consumerIds }))
      children.push(childOf('credential', resource));
    for await (const { resource } of store.list('grant', { consumerIds })) children.push(childOf('grant', resource));
  }
  for (const { id: issuerId } of created.filter(({ kind }) => kind === 'issuer')) {
    for await (const { resource } of store.list('credential', { issuerId, most: 1 }))
      children.push({ kind: 'credential', id: resource.id, parents: [nameOf('issuer', issuerId)] });
  }
  for (const endpointId of endpointIds) {
    for (const { resource } of await collectAll(store.list('grant', { endpointId })))
      children.push(childOf('grant', resource));
  }
  return {
    find: <K extends ResourceKind>(kind: K, id: string) =>
      (found.get(nameOf(kind, id)) ?? null) as Stored<ResourceOf[K]> | null,
    endpoints: await listEndpoints(store),
    children,
  };
}

/** The resources of the events, and the consumers that they belong to. */
function idsToFind(events: readonly AuditEvent[], kind: ResourceKind): ReadonlySet<string> {
  const ids = events.flatMap((event) => (event.kind === kind ? [event.id] : []));
  if (kind !== 'consumer') return new Set(ids);
  const owners = events.flatMap(({ before }) => (typeof before?.['consumer'] === 'string' ? [before['consumer']] : []));
  return new Set([...ids, ...owners]);
}

/** What a change or event is about, within all resources: `consumer/acme`, `grant/orders/acme`. */
export function nameOf(kind: ResourceKind, id: string): string {
  return `${kind}/${id}`;
}

/** What a credential or grant cannot do without. */
export function childOf<K extends Child['kind']>(kind: K, resource: ResourceOf[K]): Child {
  const owners: { readonly consumerId?: unknown; readonly endpointId?: unknown } = resource;
  const parents = [
    ...(typeof owners.consumerId === 'string' ? [nameOf('consumer', owners.consumerId)] : []),
    ...(typeof owners.endpointId === 'string' ? [nameOf('endpoint', owners.endpointId)] : []),
  ];
  return { kind, id: idOfResource(resource), parents };
}
