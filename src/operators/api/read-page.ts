import { MAX_PAGE_CHARACTERS } from './shapes.ts';

/** Items that are looked at together, and the weight from which they are fewer. */
const AT_ONCE = 500;
const MAX_WEIGHT_AT_ONCE = MAX_PAGE_CHARACTERS / 4;
/** A page with something in it looks at so many items; one with nothing goes on. */
const MAX_LOOKED_AT = 10_000;

/**
 * The first `limit` of a stream that `choose` keeps, fewer where they are large, and the item behind which the next
 * page begins; null for the last page. Reads no further than it must, and for few no more than it may; a page is empty
 * only at the end, because an empty one would tell that there is something to leave out.
 *
 * @param weigh about how many characters an item has in JSON
 */
export async function readPage<T>(
  items: AsyncIterable<T>,
  limit: number,
  choose: (some: readonly T[]) => Promise<readonly T[]>,
  weigh: (item: T) => number,
): Promise<{ readonly shown: readonly T[]; readonly last: T | null }> {
  const shown: T[] = [];
  let looked = 0;
  let weight = 0;
  for await (const some of piecesOf(items, weigh)) {
    for (const item of await choose(some)) {
      const isFull = shown.length === limit || weight > MAX_PAGE_CHARACTERS;
      if (isFull) return { shown, last: shown.at(-1) ?? null };
      shown.push(item);
      weight += weigh(item);
    }
    looked += some.length;
    if (looked >= MAX_LOOKED_AT && shown.length > 0) return { shown, last: shown.at(-1) ?? null };
  }
  return { shown, last: null };
}

async function* piecesOf<T>(items: AsyncIterable<T>, weigh: (item: T) => number): AsyncGenerator<readonly T[]> {
  let piece: T[] = [];
  let weight = 0;
  for await (const item of items) {
    piece.push(item);
    weight += weigh(item);
    if (piece.length < AT_ONCE && weight < MAX_WEIGHT_AT_ONCE) continue;
    yield piece;
    piece = [];
    weight = 0;
  }
  if (piece.length > 0) yield piece;
}
