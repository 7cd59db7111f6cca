/** The one element of a list; none, or more than one, is a failure. */
export function assertOne<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length > 1) throw new Error(`expected one element, there are ${String(list.length)}`);
  return first;
}
