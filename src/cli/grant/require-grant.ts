import { grantId, type Stored } from '../../manage/resource.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';
import type { Grant } from '../../model/grant.ts';
import { requireResource } from '../store/require-resource.ts';

/** The grant of a consumer on an endpoint. Throws `NotFound`: for the endpoint or the consumer, when it is one of them. */
export async function requireGrant(
  store: ResourceStore,
  pair: Pick<Grant, 'endpointId' | 'consumerId'>,
): Promise<Stored<Grant>> {
  const stored = await store.find('grant', grantId(pair));
  if (stored !== null) return stored;
  await requireResource(store, 'endpoint', pair.endpointId);
  await requireResource(store, 'consumer', pair.consumerId);
  return await requireResource(store, 'grant', grantId(pair));
}
