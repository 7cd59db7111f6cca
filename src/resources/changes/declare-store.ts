import { declareWholeOwned } from '../credential.ts';
import type { SecretsShown } from '../credential-material.ts';
import { declareGrant } from '../grant.ts';
import { declareWholeIssuer } from '../issuer.ts';
import { declarePlan } from '../plan.ts';
import { declareWholeConsumer } from '../consumer.ts';
import { declareWholeEndpoint } from '../endpoint.ts';
import type { Declared } from '../declared.ts';
import type { DocumentParts } from '../write-document.ts';
import type { LabelSelector } from '../../model/labels.ts';
import { listSelected } from './list-selected.ts';
import { pagesOf, type ResourceStore, type Selection } from './resource-store.ts';

type Ids = readonly string[] | undefined;

/** What of a store is declared; everything where nothing is chosen. A selector takes no ids beside it. */
export interface DeclaredPart {
  readonly endpointIds?: Ids;
  readonly consumerIds?: Ids;
  readonly selector?: LabelSelector | undefined;
}

/** The resources of a document. */
export type DeclaredParts = Pick<DocumentParts, 'endpoints' | 'issuers' | 'consumers' | 'grants' | 'plans'>;

/** Consumers whose credentials are asked for at once. */
const CONSUMERS_AT_ONCE = 500;

/**
 * A store's resources in the words of a declarative file, in the order of their ids, with `enabled` and `state` always
 * written: what the file leaves out, `apply` would keep as the store then has it. Reads piece by piece and keeps
 * nothing. Selects endpoints, and consumers with their credentials; all where neither is selected. Grants are those of
 * the selected consumers and endpoints: of both, where both are selected; with a selector, what belongs to it. Plans
 * and issuers are left out where endpoints or consumers are selected by their ids: they are about others, too.
 */
export function declareStore(
  store: ResourceStore,
  { endpointIds, consumerIds, selector }: DeclaredPart,
  secrets: SecretsShown,
): DeclaredParts {
  const isAll = endpointIds === undefined && consumerIds === undefined;
  return {
    endpoints:
      isAll || endpointIds !== undefined ? declareEndpoints(store, { ids: endpointIds, labels: selector }) : nothing(),
    consumers:
      isAll || consumerIds !== undefined
        ? declareConsumers(store, { ids: consumerIds, labels: selector }, secrets)
        : nothing(),
    issuers: isAll ? declareIssuers(store, selector) : nothing(),
    plans: isAll ? declarePlans(store, selector) : nothing(),
    grants: selector === undefined ? declareGrants(store, endpointIds, consumerIds) : declareGrantsOf(store, selector),
  };
}

async function* nothing(): AsyncGenerator<Declared> {
  // An empty list, for a kind that was not selected.
}

async function* declareEndpoints(store: ResourceStore, selection: Selection): AsyncGenerator<Declared> {
  for await (const { resource } of store.list('endpoint', selection)) yield declareWholeEndpoint(resource);
}

async function* declareConsumers(
  store: ResourceStore,
  selection: Selection,
  secrets: SecretsShown,
): AsyncGenerator<Declared> {
  for await (const page of pagesOf(store.list('consumer', selection), CONSUMERS_AT_ONCE)) {
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

async function* declarePlans(store: ResourceStore, selector: LabelSelector | undefined): AsyncGenerator<Declared> {
  for await (const { resource } of listSelected(store, 'plan', selector)) yield declarePlan(resource);
}

async function* declareIssuers(store: ResourceStore, selector: LabelSelector | undefined): AsyncGenerator<Declared> {
  for await (const { resource } of store.list('issuer', { labels: selector })) yield declareWholeIssuer(resource);
}

async function* declareGrantsOf(store: ResourceStore, selector: LabelSelector): AsyncGenerator<Declared> {
  for await (const { resource } of listSelected(store, 'grant', selector)) yield declareGrant(resource);
}
