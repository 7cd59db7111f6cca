import { declareWholeOwned, type SecretsShown } from '../resources/credential.ts';
import { declareGrant } from '../resources/grant.ts';
import { declareWholeConsumer } from '../resources/consumer.ts';
import { declareWholeEndpoint } from '../resources/endpoint.ts';
import type { Declared } from '../resources/declared.ts';
import type { DocumentParts } from '../resources/write-document.ts';
import { pagesOf, type ResourceStore } from './resource-store.ts';

type Ids = readonly string[] | undefined;

/** Consumers whose credentials are asked for at once. */
const CONSUMERS_AT_ONCE = 500;

/**
 * A store's resources in the words of a declarative file, in the order of their ids, with `enabled` and `state` always
 * written: what the file leaves out, `apply` would keep as the store then has it. Reads piece by piece and keeps
 * nothing. Selects endpoints, and consumers with their credentials; all where neither is selected. Grants are those of
 * the selected consumers and endpoints: of both, where both are selected.
 */
export function declareStore(
  store: ResourceStore,
  { endpointIds, consumerIds }: { readonly endpointIds: Ids; readonly consumerIds: Ids },
  secrets: SecretsShown,
): Omit<DocumentParts, 'comment'> {
  const isAll = endpointIds === undefined && consumerIds === undefined;
  return {
    endpoints: isAll || endpointIds !== undefined ? declareEndpoints(store, endpointIds) : nothing(),
    consumers: isAll || consumerIds !== undefined ? declareConsumers(store, consumerIds, secrets) : nothing(),
    grants: declareGrants(store, endpointIds, consumerIds),
  };
}

async function* nothing(): AsyncGenerator<Declared> {
  // An empty list, for a kind that was not selected.
}

async function* declareEndpoints(store: ResourceStore, ids: Ids): AsyncGenerator<Declared> {
  for await (const { resource } of store.list('endpoint', { ids })) yield declareWholeEndpoint(resource);
}

async function* declareConsumers(store: ResourceStore, ids: Ids, secrets: SecretsShown): AsyncGenerator<Declared> {
  for await (const page of pagesOf(store.list('consumer', { ids }), CONSUMERS_AT_ONCE)) {
    const owned = new Map<string, Declared[]>(page.map(({ resource }) => [resource.id, []]));
    for await (const { resource } of store.list('credential', { consumerIds: [...owned.keys()] })) {
      owned.get(resource.consumerId)?.push(declareWholeOwned(resource, secrets));
    }
    for (const { resource } of page) yield declareWholeConsumer(resource, owned.get(resource.id));
  }
}

async function* declareGrants(store: ResourceStore, endpointIds: Ids, consumerIds: Ids): AsyncGenerator<Declared> {
  for (const endpointId of endpointIds === undefined ? [undefined] : [...endpointIds].sort()) {
    for await (const { resource } of store.list('grant', { endpointId, consumerIds })) yield declareGrant(resource);
  }
}
