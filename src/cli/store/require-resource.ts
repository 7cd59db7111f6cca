import { NotFound } from '../../manage/not-found.ts';
import { grantId, type ResourceKind, type ResourceOf, type Stored } from '../../manage/resource.ts';
import type { ResourceStore } from '../../manage/resource-store.ts';

/** Ids that are looked at for one that was meant: a store can have millions. */
const MAX_LOOKED_AT = 5000;

/** The resource of an id. Throws `NotFound`, which names the id that may have been meant. */
export async function requireResource<K extends ResourceKind>(
  store: ResourceStore,
  kind: K,
  id: string,
): Promise<Stored<ResourceOf[K]>> {
  const stored = await store.find(kind, id);
  if (stored !== null) return stored;
  throw new NotFound(kind, id, await someIds(store, kind));
}

async function someIds(store: ResourceStore, kind: ResourceKind): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { resource } of store.list(kind)) {
    ids.push('id' in resource ? resource.id : grantId(resource));
    if (ids.length >= MAX_LOOKED_AT) break;
  }
  return ids;
}
