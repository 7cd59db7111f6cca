import type { ManagedCredential, Stored } from '../resource.ts';
import type { DueSource, DueSpan } from './due-source.ts';
import type { ResourceStore } from './resource-store.ts';

/** Ids that are put in order in memory; where more may fit, reading all costs little more. */
const MOST_IDS = 100_000;
const AT_ONCE = 1000;

/**
 * The credentials that may fit the spans, in the order of their ids, found without reading the others; all credentials
 * where very many may fit.
 */
export async function* listDue(
  { resources, due }: { readonly resources: Pick<ResourceStore, 'list'>; readonly due: DueSource },
  spans: readonly DueSpan[],
  mostIds = MOST_IDS,
): AsyncGenerator<Stored<ManagedCredential>, void, undefined> {
  yield* listFound(resources, idsWithin(due, spans), mostIds);
}

/** The credentials with these ids, in the order of the ids; all credentials for very many. */
export async function* listFound(
  resources: Pick<ResourceStore, 'list'>,
  found: AsyncIterable<string>,
  mostIds = MOST_IDS,
): AsyncGenerator<Stored<ManagedCredential>, void, undefined> {
  const ids = await idsOf(found, mostIds);
  yield* ids === null ? resources.list('credential') : resources.list('credential', { ids });
}

/** In order, each once; null for more than so many. */
async function idsOf(found: AsyncIterable<string>, most: number): Promise<readonly string[] | null> {
  const ids = new Set<string>();
  for await (const id of found) {
    ids.add(id);
    if (ids.size > most) return null;
  }
  return [...ids].sort();
}

async function* idsWithin(due: DueSource, spans: readonly DueSpan[]): AsyncGenerator<string> {
  for (const { order, afterMs, untilMs } of spans) {
    for await (const { id } of due.list({ order, afterMs, untilMs, behind: null, most: AT_ONCE })) yield id;
  }
}
