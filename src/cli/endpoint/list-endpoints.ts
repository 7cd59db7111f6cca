import type { ResourceStore } from '../../manage/resource-store.ts';
import type { Endpoint } from '../../model/endpoint.ts';

/** All endpoints, in the order of their ids. There are as many as an operator writes, so they fit into memory. */
export async function listEndpoints(store: ResourceStore): Promise<readonly Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for await (const { resource } of store.list('endpoint')) endpoints.push(resource);
  return endpoints;
}
