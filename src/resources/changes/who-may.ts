import { readAhead } from '../../base/read-ahead.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { LabelSelector } from '../../model/labels.ts';
import { isGroupGrant, type OwnGrant } from '../../model/grant.ts';
import { grantInEffect, isGrantLive, rankGrants } from '../../model/grant-in-effect.ts';
import { grantId } from '../grant.ts';
import type { ManagedCredential } from '../resource.ts';
import { listFewFirst } from './few-first.ts';
import { type Access, type AccessQuestion, judgeAccess } from './access.ts';
import { collectAll, listGroupGrants, listPlans, pagesOf, type ResourceStore, takeFirst } from './resource-store.ts';

/** A consumer, and whether it may call an endpoint. */
export interface ConsumerAccess {
  readonly consumer: Consumer;
  readonly access: Access;
}

/** Which consumers; all where nothing is chosen. */
export interface ConsumerSelection {
  /** Those that carry these labels. */
  readonly labels?: LabelSelector | undefined;
  /** Those whose ids begin with this text or whose names hold it, in upper or lower case. */
  readonly namedLike?: string | undefined;
  /** Those whose ids come after this one. */
  readonly after?: string | undefined;
  /** This one only. */
  readonly id?: string | undefined;
  /** So many are wanted: no more are looked at together at first. */
  readonly most?: number | undefined;
}

/** Consumers that were looked at together, and those of them that an endpoint lets in. */
export interface AccessPage {
  readonly letIn: readonly ConsumerAccess[];
  /** How many of the selection. */
  readonly lookedAt: number;
  /** The last that was looked at: where to go on. */
  readonly last: string;
}

/** Consumers whose grants and credentials are asked for at once. */
const CONSUMERS_AT_ONCE = 500;

/**
 * The enabled consumers that an endpoint lets in, in the order of their ids, page by page; those without a credential
 * that works too. None of an open endpoint, which lets in every caller.
 */
export async function* listAccess(
  store: ResourceStore,
  endpoint: Endpoint,
  nowSeconds: number,
  selection: ConsumerSelection = {},
): AsyncGenerator<ConsumerAccess, void, undefined> {
  for await (const { letIn } of listAccessPages(store, endpoint, nowSeconds, selection)) {
    for (const each of letIn) yield each;
  }
}

/** As {@link listAccess}, in the pages in which it is read, for work that has to end however few are let in. */
export async function* listAccessPages(
  store: ResourceStore,
  endpoint: Endpoint,
  nowSeconds: number,
  selection: ConsumerSelection = {},
): AsyncGenerator<AccessPage, void, undefined> {
  if (endpoint.scenario === 'open') return;
  const [groupGrants, plans, isByGrant] = await Promise.all([
    listGroupGrants(store, endpoint.id),
    listPlans(store),
    leadsByGrant(store, endpoint, selection),
  ]);
  const groups = rankGrants(groupGrants);
  const needsGrant = endpoint.accessCondition === 'authenticated-and-authorized';
  const hasLiveGroup = groups.some((grant) => isGrantLive(grant, nowSeconds));
  const pages =
    isByGrant && !hasLiveGroup
      ? pagesByGrant(store, endpoint.id, selection)
      : pagesOfAll(store, endpoint.id, selection);
  // Who wants few seldom needs the next page.
  for await (const page of selection.most === undefined ? readAhead(pages) : pages) {
    const isLetIn = ({ consumer: { enabled, labels }, own }: Candidate): boolean =>
      enabled && (!needsGrant || grantInEffect(own, groups, labels, nowSeconds) !== null);
    const letIn = await judgePage(store, { endpoint, groups, plans }, page.candidates.filter(isLetIn), nowSeconds);
    yield { letIn, lookedAt: page.lookedAt, last: page.last };
  }
}

interface Candidate {
  readonly consumer: Consumer;
  readonly own: OwnGrant | null;
}

interface CandidatePage extends Pick<AccessPage, 'lookedAt' | 'last'> {
  readonly candidates: readonly Candidate[];
}

/**
 * Whether own grants lead to the consumers of a selection sooner than their labels do: among the many grants of others,
 * few with labels are found by these, at a cost that depends on nobody else.
 */
async function leadsByGrant(
  store: ResourceStore,
  { id: endpointId, accessCondition }: Exclude<Endpoint, { readonly scenario: 'open' }>,
  { labels = {}, namedLike, id }: ConsumerSelection,
): Promise<boolean> {
  if (accessCondition !== 'authenticated-and-authorized') return false;
  const isChosen = Object.keys(labels).length > 0 || namedLike !== undefined;
  if (!isChosen || id !== undefined) return true;
  const first = await takeFirst(store.list('grant', { endpointId }), CONSUMERS_AT_ONCE + 1);
  return first.length <= CONSUMERS_AT_ONCE;
}

/** Where only own grants let in, those lead to the consumers: there can be many others. */
async function* pagesByGrant(
  store: ResourceStore,
  endpointId: string,
  { labels, namedLike, after: consumerId, id, most }: ConsumerSelection,
): AsyncGenerator<CandidatePage> {
  // The ids of an endpoint's own grants come in the order of their consumers.
  const after = consumerId === undefined ? undefined : grantId({ endpointId, consumerId });
  const selection = { endpointId, consumerId: id, after };
  const grants =
    most === undefined
      ? store.list('grant', selection)
      : listFewFirst(store, 'grant', selection, { most, idOf: grantId });
  for await (const page of pagesOf(grants, CONSUMERS_AT_ONCE, most)) {
    const own = new Map(
      page.flatMap(({ resource }) => (isGroupGrant(resource) ? [] : [[resource.consumerId, resource]])),
    );
    const last = [...own.keys()].at(-1);
    // A page of grants for groups only names no consumer.
    if (last === undefined) continue;
    const consumers = await collectAll(store.list('consumer', { ids: [...own.keys()], labels, namedLike }));
    const candidates = consumers.map(({ resource }) => ({ consumer: resource, own: own.get(resource.id) ?? null }));
    yield { candidates, lookedAt: candidates.length, last };
  }
}

async function* pagesOfAll(
  store: ResourceStore,
  endpointId: string,
  { labels, namedLike, after, id, most }: ConsumerSelection,
): AsyncGenerator<CandidatePage> {
  const chosen = { labels, namedLike, after, ids: id === undefined ? undefined : [id] };
  const consumers =
    most === undefined
      ? store.list('consumer', chosen)
      : listFewFirst(store, 'consumer', chosen, { most, idOf: (consumer) => consumer.id });
  for await (const page of pagesOf(consumers, CONSUMERS_AT_ONCE, most)) {
    const ids = page.map(({ resource }) => grantId({ endpointId, consumerId: resource.id }));
    const own = new Map<string, OwnGrant>();
    for await (const { resource } of store.list('grant', { ids })) {
      if (!isGroupGrant(resource)) own.set(resource.consumerId, resource);
    }
    const candidates = page.map(({ resource }) => ({ consumer: resource, own: own.get(resource.id) ?? null }));
    yield { candidates, lookedAt: page.length, last: page.at(-1)?.resource.id ?? '' };
  }
}

async function judgePage(
  store: ResourceStore,
  shared: Pick<AccessQuestion, 'endpoint' | 'groups' | 'plans'>,
  candidates: readonly Candidate[],
  nowSeconds: number,
): Promise<readonly ConsumerAccess[]> {
  if (candidates.length === 0) return [];
  const credentials = new Map<string, ManagedCredential[]>(candidates.map(({ consumer }) => [consumer.id, []]));
  for await (const { resource } of store.list('credential', { consumerIds: [...credentials.keys()], isSealed: true })) {
    credentials.get(resource.consumerId)?.push(resource);
  }
  return candidates.map(({ consumer, own }) => {
    const question = { ...shared, consumer, credentials: credentials.get(consumer.id) ?? [], own };
    return { consumer, access: judgeAccess(question, nowSeconds) };
  });
}
