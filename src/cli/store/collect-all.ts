/** Everything of a stream. For what is bounded: the endpoints, or what belongs to one resource. */
export async function collectAll<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
