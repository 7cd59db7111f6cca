import { isMapping } from '../../../model/document/fields.ts';
import type { Change, Operation } from '../../../resources/changes/change.ts';
import { chunksOf, Outdated } from '../../../resources/changes/resource-store.ts';
import { carries, type Labels, type LabelSelector } from '../../../model/labels.ts';
import { recordKinds } from '../record-kinds.ts';
import { planBelongsTo } from '../../../model/plan.ts';
import { changesOfKind, type CommitContext, type Identified } from './changes.ts';

type OwnerKind = 'endpoint' | 'consumer';

/** So many ids fit well into one request. */
const IDS_AT_ONCE = 10_000;

/**
 * Rejects with {@link Outdated} when something is changed that does not belong to the operation's selector: because its
 * endpoint or consumer got other labels since the change was planned. To be called when revisions were checked, and
 * before the changes are written. Needs no turn: a hand-over at the same moment counts as the later one.
 */
export async function checkOwners(
  changes: readonly Change[],
  { selector }: Operation,
  context: CommitContext,
): Promise<void> {
  if (selector === undefined) return;
  const written = new Set<string>();
  const owners: Record<OwnerKind, Set<string>> = { endpoint: new Set(), consumer: new Set() };
  for (const { id, before, after } of changesOfKind(changes, 'plan')) {
    for (const side of [before?.resource ?? null, after]) {
      if (side !== null && !planBelongsTo(side, selector)) throw belongsToOthers('plan', id);
    }
  }
  for (const { kind, id, before, after } of changes) {
    if (kind !== 'endpoint' && kind !== 'consumer' && kind !== 'issuer') continue;
    written.add(`${kind} ${id}`);
    for (const side of [before?.resource ?? null, after]) {
      if (side !== null && !carries(side.labels, selector)) throw belongsToOthers(kind, id);
    }
  }
  for (const change of changes) {
    for (const side of [change.before?.resource ?? null, change.after]) {
      if (side === null) continue;
      if ('endpointId' in side) owners.endpoint.add(side.endpointId);
      else if ('consumerId' in side) owners.consumer.add(side.consumerId);
    }
  }
  for (const kind of ['endpoint', 'consumer'] as const) {
    const ids = [...owners[kind]].filter((id) => !written.has(`${kind} ${id}`));
    await checkStored(kind, ids, selector, context);
  }
}

async function checkStored(
  kind: OwnerKind,
  ids: readonly string[],
  selector: LabelSelector,
  { db, session }: CommitContext,
): Promise<void> {
  const collection = db.collection<Identified>(recordKinds[kind].collection);
  for (const some of chunksOf(ids, IDS_AT_ONCE)) {
    const open = new Set(some);
    const documents = collection.find({ _id: { $in: [...some] } }, { session, projection: { labels: 1 } });
    for await (const { _id, labels } of documents) {
      // The validator lets nothing but texts be labels.
      if (isMapping(labels) && carries(labels as Labels, selector)) open.delete(_id);
    }
    for (const id of open) throw belongsToOthers(kind, id);
  }
}

function belongsToOthers(kind: OwnerKind | 'plan' | 'issuer', id: string): Outdated {
  return new Outdated(
    `the ${kind} "${id}" does not carry the labels of the selector any more: it belongs to others, with what is its own. Nothing was changed`,
  );
}
