import type { Candidate } from '../../../manage/rotation/plan-run.ts';
import { NotFound, type ResourceStore } from '../../../manage/resource-store.ts';
import type { Consumer } from '../../../model/consumer.ts';
import { carries, describeLabels } from '../../../model/labels.ts';
import { requireResource } from '../../store/read-store.ts';
import type { RunWish } from './rotation-lines.ts';

/** Reads the credentials that a run is about, in the order of their ids. Rejects with `NotFound` for consumers. */
export async function readCandidates(store: ResourceStore, wish: RunWish): Promise<readonly Candidate[]> {
  const consumers = await readConsumers(store, wish);
  const candidates: Candidate[] = [];
  for await (const stored of store.list('credential', { consumerIds: [...consumers.keys()] })) {
    const { consumerId, methods } = stored.resource;
    const consumer = consumers.get(consumerId);
    if (consumer === undefined || (wish.method !== null && !methods.includes(wish.method))) continue;
    candidates.push({ stored, consumer });
  }
  return candidates;
}

async function readConsumers(store: ResourceStore, { labels, consumerIds }: RunWish): Promise<Map<string, Consumer>> {
  const consumers = new Map<string, Consumer>();
  const take = (consumer: Consumer): void => {
    if (carries(consumer.labels, labels)) consumers.set(consumer.id, consumer);
  };
  for (const id of consumerIds) take((await requireResource(store, 'consumer', id)).resource);
  if (consumerIds.length === 0) for await (const { resource } of store.list('consumer')) take(resource);
  if (consumers.size > 0) return consumers;
  throw new NotFound(`no ${consumerIds.length === 0 ? '' : 'such '}consumer carries ${describeLabels(labels)}`);
}
