import type { ResourceKind, ResourceOf, Stored } from '../resource.ts';
import type { LabelSelector } from '../../model/labels.ts';
import { type Plan, planBelongsTo } from '../../model/plan.ts';
import { pagesOf, type ResourceStore } from './resource-store.ts';

/** Endpoints or consumers whose grants or credentials are asked for at once. */
const OWNERS_AT_ONCE = 500;

/**
 * What is stored of a kind and belongs to a selector: endpoints, consumers and issuers that carry its labels, the
 * credentials of these consumers, the grants on these endpoints, and the plans whose selectors carry it. Who may call
 * an API is for those to say who have the endpoint, so a grant is theirs, whosever its consumer is. Everything without
 * a selector. Reads piece by piece and keeps nothing.
 */
export async function* listSelected<K extends ResourceKind>(
  store: ResourceStore,
  kind: K,
  selector: LabelSelector | undefined,
): AsyncGenerator<Stored<ResourceOf[K]>> {
  if (kind === 'plan' && selector !== undefined) {
    for await (const stored of store.list(kind)) if (planBelongsTo(stored.resource as Plan, selector)) yield stored;
    return;
  }
  const isOwned = kind === 'credential' || kind === 'grant';
  if (selector === undefined || !isOwned) {
    yield* store.list(kind, { labels: selector });
    return;
  }
  const owners = store.list(kind === 'grant' ? 'endpoint' : 'consumer', { labels: selector });
  for await (const page of pagesOf(owners, OWNERS_AT_ONCE)) {
    const ids = page.map(({ resource }) => resource.id);
    yield* store.list(kind, kind === 'grant' ? { endpointIds: ids } : { consumerIds: ids });
  }
}
