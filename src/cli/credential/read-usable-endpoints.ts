import { type UsableEndpoint, usableEndpoints } from '../../manage/credentials/usable-endpoints.ts';
import type { ManagedCredential } from '../../manage/resource.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';
import { listEndpoints } from '../endpoint/list-endpoints.ts';
import { collectAll } from '../store/collect-all.ts';

/** Where a credential can be used now, as the store has it. */
export async function readUsableEndpoints(
  store: ResourceStore,
  credential: Pick<ManagedCredential, 'methods' | 'consumerId'>,
  nowSeconds: number,
): Promise<readonly UsableEndpoint[]> {
  const grants = await collectAll(store.list('grant', { consumerId: credential.consumerId }));
  const endpoints = await listEndpoints(store);
  return usableEndpoints(
    credential,
    endpoints,
    grants.map(({ resource }) => resource),
    nowSeconds,
  );
}
