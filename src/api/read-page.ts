import { pagesOf } from '../manage/resource-store.ts';

/** Items that are looked at together. */
const AT_ONCE = 500;
/** A page looks at so many items; it may then have fewer than were asked for, and a next one. */
const MAX_LOOKED_AT = 10_000;

/**
 * The first `limit` of a stream that `choose` keeps, and the item behind which the next page begins; null for the last
 * page. Reads no further than it must, and never everything to find few.
 */
export async function readPage<T>(
  items: AsyncIterable<T>,
  limit: number,
  choose: (some: readonly T[]) => Promise<readonly T[]>,
): Promise<{ readonly shown: readonly T[]; readonly last: T | null }> {
  const shown: T[] = [];
  let looked = 0;
  for await (const some of pagesOf(items, AT_ONCE)) {
    for (const item of await choose(some)) {
      if (shown.length === limit) return { shown, last: shown.at(-1) ?? null };
      shown.push(item);
    }
    looked += some.length;
    if (looked >= MAX_LOOKED_AT) return { shown, last: some.at(-1) ?? null };
  }
  return { shown, last: null };
}
