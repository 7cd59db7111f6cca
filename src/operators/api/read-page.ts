import { fillPage, type Piece } from '../../resources/changes/fill-page.ts';
import { MAX_PAGE_CHARACTERS } from './shapes.ts';

/** Items that are looked at together, and the weight from which they are fewer. */
const AT_ONCE = 500;
const MAX_WEIGHT_AT_ONCE = MAX_PAGE_CHARACTERS / 4;
const MAX_LOOKED_AT = 10_000;

/**
 * A page of a stream of items, each of which `choose` keeps or not (see {@link fillPage}), and the item behind which
 * the next one begins; null for the last page. Reads no further than it must, and for few no more than it may.
 *
 * @param weigh about how many characters an item has in JSON
 * @param atOnce so many items are looked at together at most
 */
export async function readPage<T>(
  items: AsyncIterable<T>,
  limit: number,
  choose: (some: readonly T[]) => Promise<readonly T[]>,
  weigh: (item: T) => number,
  atOnce = AT_ONCE,
): Promise<{ readonly shown: readonly T[]; readonly last: T | null }> {
  const { shown, next } = await fillPage(piecesOf(items, choose, { weigh, atOnce }), {
    limit,
    placeOf: (item) => item,
    maxLookedAt: MAX_LOOKED_AT,
    maxWeight: MAX_PAGE_CHARACTERS,
    weigh,
  });
  // Behind what is shown, not behind what was looked at: the operator may know of the one alone.
  return { shown, last: next === null ? null : (shown.at(-1) ?? null) };
}

async function* piecesOf<T>(
  items: AsyncIterable<T>,
  choose: (some: readonly T[]) => Promise<readonly T[]>,
  { weigh, atOnce }: { readonly weigh: (item: T) => number; readonly atOnce: number },
): AsyncGenerator<Piece<T, T>> {
  let some: T[] = [];
  let weight = 0;
  const pieceTo = async (last: T): Promise<Piece<T, T>> => ({
    chosen: await choose(some),
    lookedAt: some.length,
    last,
  });
  for await (const item of items) {
    some.push(item);
    weight += weigh(item);
    if (some.length < atOnce && weight < MAX_WEIGHT_AT_ONCE) continue;
    yield await pieceTo(item);
    some = [];
    weight = 0;
  }
  const last = some.at(-1);
  if (last !== undefined) yield await pieceTo(last);
}
