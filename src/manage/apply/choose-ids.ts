import type { DocumentCredential } from '../../resources/credential.ts';
import type { ResourceStore } from '../resource-store.ts';

/** Leaves room for the longest method and a number within the 63 characters of an id. */
const MAX_CONSUMER_CHARACTERS = 36;

/** Ids that the store is asked about at once for each credential. */
const CANDIDATES = 4;

/**
 * Chooses ids for credentials without one, in their order: `acme-hmac`, then `acme-hmac-2` and so on. No id of `taken`, which
 * grows, and none that the store has.
 */
export async function chooseIds(
  credentials: readonly DocumentCredential[],
  taken: Set<string>,
  store: ResourceStore,
): Promise<readonly string[]> {
  const asked = new Set<string>();
  const ids: (string | null)[] = credentials.map(() => null);
  for (let first = 1; ids.includes(null); first += CANDIDATES) {
    const open = [...credentials.entries()].filter(([index]) => ids[index] === null);
    const candidates = open.flatMap(([, credential]) =>
      numbers(first)
        .map((number) => candidateId(credential, number))
        .filter((id) => !asked.has(id)),
    );
    for await (const { resource } of store.list('credential', { ids: candidates })) taken.add(resource.id);
    for (const id of candidates) asked.add(id);
    for (const [index, credential] of open) {
      const id = numbers(first)
        .map((number) => candidateId(credential, number))
        .find((candidate) => !taken.has(candidate));
      if (id === undefined) continue;
      taken.add(id);
      ids[index] = id;
    }
  }
  return ids.flatMap((id) => id ?? []);
}

function numbers(first: number): readonly number[] {
  return Array.from({ length: CANDIDATES }, (_, index) => first + index);
}

function candidateId({ consumerId, methods }: DocumentCredential, number: number): string {
  const base = `${consumerId.slice(0, MAX_CONSUMER_CHARACTERS)}-${methods[0] ?? 'key'}`;
  return number === 1 ? base : `${base}-${String(number)}`;
}
