import type { DocumentCredential } from '../../credential.ts';
import type { ResourceStore } from '../resource-store.ts';

/** Leaves room for the longest method and a number within the 63 characters of an id. */
const MAX_CONSUMER_CHARACTERS = 36;

/** Ids that the store is asked about at once for each credential. */
const CANDIDATES = 4;

/**
 * Chooses ids for credentials without one, in their order: `acme-hmac`, then `acme-hmac-2` and so on. No id of `taken`,
 * which grows, and none that the store has.
 */
export async function chooseIds(
  credentials: readonly DocumentCredential[],
  taken: Set<string>,
  store: ResourceStore,
): Promise<readonly string[]> {
  const ids = credentials.map((): string | null => null);
  for (let first = 1; ids.includes(null); first += CANDIDATES) {
    const open = credentials.flatMap((credential, index) =>
      ids[index] === null ? [{ index, candidates: candidateIds(credential, first) }] : [],
    );
    const asked = [...new Set(open.flatMap(({ candidates }) => candidates))];
    for await (const { resource } of store.list('credential', { ids: asked })) taken.add(resource.id);
    for (const { index, candidates } of open) {
      const id = candidates.find((candidate) => !taken.has(candidate));
      if (id === undefined) continue;
      taken.add(id);
      ids[index] = id;
    }
  }
  return ids.flatMap((id) => id ?? []);
}

function candidateIds({ consumerId, methods }: DocumentCredential, first: number): readonly string[] {
  const base = `${consumerId.slice(0, MAX_CONSUMER_CHARACTERS)}-${methods[0] ?? 'key'}`;
  const numbers = Array.from({ length: CANDIDATES }, (_, index) => first + index);
  return numbers.map((number) => (number === 1 ? base : `${base}-${String(number)}`));
}
