import type { ResourceKind, ResourceOf, Stored } from '../resource.ts';
import type { ResourceStore, Selection } from './resource-store.ts';

/**
 * A list of which the first `most` are asked for alone, as most readers need no more; the others come in large batches.
 *
 * @param idOf behind which the list goes on
 */
export async function* listFewFirst<K extends ResourceKind>(
  store: Pick<ResourceStore, 'list'>,
  kind: K,
  selection: Selection,
  { most, idOf }: { readonly most: number; readonly idOf: (resource: ResourceOf[K]) => string },
): AsyncGenerator<Stored<ResourceOf[K]>, void, undefined> {
  let read = 0;
  let after = selection.after;
  for await (const stored of store.list(kind, { ...selection, most })) {
    after = idOf(stored.resource);
    yield stored;
    read += 1;
    if (read === most) break;
  }
  if (read === most) yield* store.list(kind, { ...selection, after });
}
