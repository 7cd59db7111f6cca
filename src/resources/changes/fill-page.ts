/** Some of what a list is chosen from, in its order. */
export interface Piece<T, P> {
  /** What was chosen of it. */
  readonly chosen: readonly T[];
  /** How many were looked at, of those that the reader of the list may know of. */
  readonly lookedAt: number;
  /** Behind which place the next piece begins. */
  readonly last: P;
}

/** What a page is made by. */
export interface PageWish<T, P> {
  /** Items of a page, at least 1. */
  readonly limit: number;
  readonly placeOf: (item: T) => P;
  /** A page that has something looks at about so many; one that has nothing goes on. */
  readonly maxLookedAt?: number;
  /** A page is full when its items have more than this weight together; without it, only `limit` counts. */
  readonly maxWeight?: number;
  readonly weigh?: (item: T) => number;
}

const MAX_LOOKED_AT = 5000;

/**
 * The first `limit` that were chosen, fewer where they are heavy, and behind which place the next page begins; null for
 * the last one. Holds one piece and one page. A page is empty only at the end, because an empty one would tell that
 * there is something to leave out: where next to nothing is chosen, it reads the list to its end.
 */
export async function fillPage<T, P>(
  pieces: AsyncIterable<Piece<T, P>>,
  { limit, placeOf, maxLookedAt = MAX_LOOKED_AT, maxWeight = Infinity, weigh = () => 0 }: PageWish<T, P>,
): Promise<{ readonly shown: readonly T[]; readonly next: P | null }> {
  const shown: T[] = [];
  let looked = 0;
  let weight = 0;
  for await (const { chosen, lookedAt, last } of pieces) {
    for (const item of chosen) {
      const before = shown.at(-1);
      const isFull = shown.length === limit || weight > maxWeight;
      if (isFull && before !== undefined) return { shown, next: placeOf(before) };
      shown.push(item);
      weight += weigh(item);
    }
    looked += lookedAt;
    if (looked >= maxLookedAt && shown.length > 0) return { shown, next: last };
  }
  return { shown, next: null };
}
