/**
 * The items of a stream, of which the next is read while one is used: no more than one waits. A failure comes where its
 * item would. When the reader stops early, the stream is closed once what is being read is there.
 */
export async function* readAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const source = items[Symbol.asyncIterator]();
  const read = async (): Promise<IteratorResult<T>> => await source.next();
  let next = read();
  try {
    for (let item = await next; item.done !== true; item = await next) {
      next = read();
      // Awaited where its item would come; until then nobody looks at it.
      next.catch(() => undefined);
      yield item.value;
    }
  } finally {
    await next.catch(() => undefined);
    await source.return?.();
  }
}
