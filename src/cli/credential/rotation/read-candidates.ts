import { listAccess } from '../../../resources/changes/who-may.ts';
import type { Candidate } from '../../../resources/changes/rotation/plan-run.ts';
import { NotFound, type ResourceStore } from '../../../resources/changes/resource-store.ts';
import type { Consumer } from '../../../model/consumer.ts';
import type { PartnerEndpoint } from '../../../model/endpoint.ts';
import { carries, describeLabels } from '../../../model/labels.ts';
import { UsageError } from '../../failure.ts';
import { requireResource } from '../../store/read-store.ts';
import { isOfEveryone, type RunWish } from './rotation-lines.ts';

/**
 * Reads the credentials that a run is about, in the order of their ids. Rejects with `NotFound` for the endpoint and
 * for consumers, and {@link UsageError} for an endpoint that takes no credentials.
 */
export async function readCandidates(
  store: ResourceStore,
  wish: RunWish,
  nowSeconds: number,
): Promise<readonly Candidate[]> {
  const endpoint = wish.endpointId === null ? null : await requirePartnerEndpoint(store, wish.endpointId);
  const consumers = await readConsumers(store, wish, endpoint, nowSeconds);
  const candidates: Candidate[] = [];
  for await (const stored of store.list('credential', { consumerIds: [...consumers.keys()] })) {
    const { consumerId, methods } = stored.resource;
    const consumer = consumers.get(consumerId);
    const isWanted = [wish.method, endpoint?.authentication ?? null].every(
      (method) => method === null || methods.includes(method),
    );
    if (consumer === undefined || !isWanted) continue;
    candidates.push({ stored, consumer });
  }
  return candidates;
}

async function requirePartnerEndpoint(store: ResourceStore, id: string): Promise<PartnerEndpoint> {
  const { resource } = await requireResource(store, 'endpoint', id);
  if (resource.scenario !== 'open') return resource;
  throw new UsageError(`--endpoint: ${id} is open, and lets every caller in without credentials`);
}

/** Of an endpoint, those that it lets in. */
async function readConsumers(
  store: ResourceStore,
  wish: RunWish,
  endpoint: PartnerEndpoint | null,
  nowSeconds: number,
): Promise<Map<string, Consumer>> {
  const { labels, consumerIds } = wish;
  const consumers = new Map<string, Consumer>();
  const take = (consumer: Consumer): void => {
    if (carries(consumer.labels, labels)) consumers.set(consumer.id, consumer);
  };
  for (const id of consumerIds) take((await requireResource(store, 'consumer', id)).resource);
  if (endpoint !== null) {
    const given = consumerIds.length === 0 ? null : new Set(consumers.keys());
    consumers.clear();
    for await (const { consumer } of listAccess(store, endpoint, nowSeconds)) {
      if (given === null || given.has(consumer.id)) take(consumer);
    }
  } else if (consumerIds.length === 0) for await (const { resource } of store.list('consumer')) take(resource);
  if (consumers.size > 0) return consumers;
  if (endpoint !== null) throw new NotFound(`no such consumer may call ${endpoint.id}`);
  if (isOfEveryone(wish)) throw new NotFound('there is no consumer');
  throw new NotFound(`no ${consumerIds.length === 0 ? '' : 'such '}consumer carries ${describeLabels(labels)}`);
}
