/** Those items of a stream that are wanted, at most so many. Reads no further than it must. */
export async function* selectFrom<T>(
  items: AsyncIterable<T>,
  isWanted: (item: T) => boolean,
  limit = Infinity,
): AsyncGenerator<T, void, undefined> {
  let selected = 0;
  for await (const item of items) {
    if (!isWanted(item)) continue;
    yield item;
    selected += 1;
    if (selected >= limit) return;
  }
}
