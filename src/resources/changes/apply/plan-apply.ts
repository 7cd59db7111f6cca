import { isDeepStrictEqual } from 'node:util';
import { checkPlanReferences, checkReferences } from '../../cross-references.ts';
import { declareResource, idOfResource } from '../../declare-resource.ts';
import { describeGrant, grantId } from '../../grant.ts';
import type { PlacedDocument } from '../../parse-document.ts';
import type { Problem } from '../../../model/document/problem.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { type GroupGrant, isGroupGrant, rankOf } from '../../../model/grant.ts';
import type { Change } from '../change.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resource.ts';
import { keepEnabled } from './keep-stopped.ts';
import { carries } from '../../../model/labels.ts';
import { listSelected } from '../list-selected.ts';
import { listEndpoints, type ResourceStore } from '../resource-store.ts';
import { checkGrantOwners, checkGrantsElsewhere, checkTaken, checkTakenRequests } from './stay-within.ts';
import { checkStoredIssuers } from './stored-issuers.ts';
import { checkStoredPlans } from './stored-plans.ts';
import { orderChanges } from './order-changes.ts';
import { planCredentials } from './plan-credentials.ts';
import type { ApplyPlan, KindPlan, Planning, PlanOptions } from './apply-plan.ts';
import { type Placed, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import { findMatchCollisions } from '../../../check/route/collisions.ts';

/**
 * Compares a document with a store and plans what makes them agree. Reads what the document names; everything when
 * pruning; holds only what differs. Problems that show only in comparison with the store are reported at their places
 * in the document.
 */
export async function planApply(
  document: PlacedDocument,
  store: ResourceStore,
  { isPruning }: PlanOptions,
): Promise<{ readonly plan: ApplyPlan } | { readonly problems: readonly Problem[] }> {
  const { problems, selector } = document;
  const options = { isPruning, selector };
  const stored = await listEndpoints(store);
  const kept = isPruning ? stored.filter(({ labels }) => !carries(labels, selector ?? {})) : stored;
  checkStoredCollisions(document.endpoints, kept, problems);
  if (selector !== undefined) checkGrantOwners(document, stored, selector);

  const endpoints = await planKind('endpoint', document.endpoints, store, options, problems);
  const consumers = await planKind('consumer', document.consumers, store, options, problems);
  const credentials = await planCredentials(document.credentials, store, options, problems);
  await checkGrantReferences(document, kept, store, options);
  await checkStoredPriorities(document, store, options);
  const grants = await planKind('grant', document.grants, store, options, problems);
  const known = new Set([...kept, ...document.endpoints.map(({ value }) => value)].map(({ id }) => id));
  checkPlanReferences(document.plans, known, problems);
  await checkStoredPlans(document, store, options);
  const plans = await planKind('plan', document.plans, store, options, problems);
  await checkStoredIssuers(document, store, options);
  const issuers = await planKind('issuer', document.issuers, store, options, problems);
  if (selector !== undefined) {
    const changed = endpoints.made.flatMap((change) => (change.kind === 'endpoint' ? (change.after ?? []) : []));
    checkTakenRequests(document, changed, { stored, selector });
    const deleted = consumers.deleted.map(({ id }) => id);
    await checkGrantsElsewhere(deleted, { stored, selector }, store, problems);
  }
  if (problems.count > 0) return { problems: problems.sorted() };

  const kinds = { endpoints, issuers, consumers, credentials, grants, plans };
  return {
    plan: {
      selector,
      changes: orderChanges(kinds),
      unchangedCount: Object.values(kinds).reduce((sum, { unchangedCount }) => sum + unchangedCount, 0),
      generated: credentials.generated,
    },
  };
}

/** Resources that are compared as they are, without anything kept or generated. */
type PlainKind = Exclude<ResourceKind, 'credential' | 'operator'>;

/** A declared resource with what the store keeps of it where the document says nothing. */
const complete: {
  readonly [K in PlainKind]: (placed: Placed<ResourceOf[K]>, stored: ResourceOf[K]) => ResourceOf[K];
} = {
  endpoint: keepEnabled,
  consumer: keepEnabled,
  grant: ({ value }) => value,
  plan: ({ value }) => value,
  issuer: keepEnabled,
};

async function planKind<K extends PlainKind>(
  kind: K,
  declared: readonly Placed<ResourceOf[K]>[],
  store: ResourceStore,
  options: Planning,
  problems: ProblemLog,
): Promise<KindPlan> {
  const { selector } = options;
  const wanted = new Map(declared.map((placed) => [idOfResource(placed.value), placed]));
  const changes = new Map<string, Change | 'same'>();
  const deleted: Change[] = [];
  let unchangedCount = 0;
  for await (const before of readCompared(kind, wanted, store, options)) {
    const { resource } = before;
    const id = idOfResource(resource);
    const placed = wanted.get(id);
    if (placed === undefined) {
      deleted.push(changeOf(kind, id, before, null));
      continue;
    }
    if (selector !== undefined && 'labels' in resource && kind !== 'grant' && kind !== 'plan') {
      checkTaken({ kind, id, stored: resource.labels, placed }, selector, problems);
    }
    const after = complete[kind](placed, resource);
    const isSame = isDeepStrictEqual(declareResource(kind, resource), declareResource(kind, after));
    changes.set(id, isSame ? 'same' : changeOf(kind, id, before, after));
    if (isSame) unchangedCount += 1;
  }
  const made: Change[] = [];
  for (const [id, { value }] of wanted) {
    const change = changes.get(id) ?? changeOf(kind, id, null, value);
    if (change !== 'same') made.push(change);
  }
  return { made, deleted, unchangedCount };
}

/** What is stored under the ids that a document names; when pruning, also what it leaves out and may be deleted. */
async function* readCompared<K extends PlainKind>(
  kind: K,
  wanted: ReadonlyMap<string, unknown>,
  store: ResourceStore,
  { isPruning, selector }: Planning,
): AsyncGenerator<Stored<ResourceOf[K]>> {
  const open = new Set(wanted.keys());
  if (isPruning) {
    for await (const stored of listSelected(store, kind, selector)) {
      open.delete(idOfResource(stored.resource));
      yield stored;
    }
  }
  // What the document names may be outside of the selector.
  if (!isPruning || selector !== undefined) yield* store.list(kind, { ids: [...open] });
}

/** A change of one kind, which the compiler cannot infer. */
function changeOf<K extends ResourceKind>(
  kind: K,
  id: string,
  before: Stored<ResourceOf[K]> | null,
  after: ResourceOf[K] | null,
): Change {
  return { kind, id, before, after } as Change;
}

/** Grants may lead to what only the store has, unless that is to be deleted. `kept` are the endpoints that are not. */
async function checkGrantReferences(
  { endpoints, consumers, grants, problems }: PlacedDocument,
  kept: readonly Endpoint[],
  store: ResourceStore,
  { isPruning, selector }: Planning,
): Promise<void> {
  const endpointIds = new Set([...kept, ...endpoints.map(({ value }) => value)].map(({ id }) => id));
  const consumerIds = new Set(consumers.map(({ value }) => value.id));
  const wanted = grants.flatMap(({ value }) => (isGroupGrant(value) ? [] : [value.consumerId]));
  const elsewhere = new Set(wanted.filter((id) => !consumerIds.has(id)));
  if (!isPruning || selector !== undefined) {
    for await (const { resource } of store.list('consumer', { ids: [...elsewhere] })) {
      if (!isPruning || !carries(resource.labels, selector ?? {})) consumerIds.add(resource.id);
    }
  }
  checkReferences(grants, endpointIds, consumerIds, problems);
}

/** Reports grants for groups with the priority of a stored one on the same endpoint that the document does not name. */
async function checkStoredPriorities(
  { grants, problems }: PlacedDocument,
  store: ResourceStore,
  { isPruning }: PlanOptions,
): Promise<void> {
  const groups = grants.filter((each): each is Placed<GroupGrant> => isGroupGrant(each.value));
  if (isPruning || groups.length === 0) return;
  const declared = new Set(groups.map(({ value }) => grantId(value)));
  const placeByRank = new Map(groups.map(({ value, place }) => [rankOf(value), place]));
  for await (const { resource } of store.list('grant', { isForGroup: true })) {
    const place = isGroupGrant(resource) && !declared.has(grantId(resource)) ? placeByRank.get(rankOf(resource)) : null;
    if (place === null || place === undefined) continue;
    const message = `the ${describeGrant(resource)} in the store has this priority already; take another one`;
    problems.report(placeIn(place, 'priority'), message);
  }
}

/**
 * Reports declared endpoints that claim the same requests as stored ones which the document does not name (spec §2.3).
 */
function checkStoredCollisions(
  declared: readonly Placed<Endpoint>[],
  stored: readonly Endpoint[],
  problems: ProblemLog,
): void {
  const places = new Map(declared.map(({ value, place }) => [value.id, place]));
  const others = stored.filter(({ id }) => !places.has(id));
  for (const { first, second, rule } of findMatchCollisions([...others, ...declared.map(({ value }) => value)])) {
    const place = places.get(second.id);
    if (place === undefined) continue;
    const word = `this takes the same requests as the endpoint "${first.id}" in the store (${rule}); change one of them`;
    problems.report(placeIn(place, 'match'), word);
  }
}
