import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { ResourceStore } from '../resource-store.ts';

/** Ids in one question to the store: few enough for one message, enough that questions do not count. */
export const IDS_PER_QUESTION = 1000;

/** Reads named resources in pieces, so that any number can be named. What does not exist is passed over. */
export async function* listByIds<K extends ResourceKind>(
  store: ResourceStore,
  kind: K,
  ids: readonly string[],
): AsyncGenerator<Stored<ResourceOf[K]>> {
  for (const some of chunksOf(ids, IDS_PER_QUESTION)) yield* store.list(kind, { ids: some });
}

/** Divides a list into pieces of at most `size`. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
