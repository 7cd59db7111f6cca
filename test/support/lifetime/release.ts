/**
 * Disposes resources one after the other, last acquired first, and rejects with the first failure when all are done.
 */
export async function release(...resources: readonly (AsyncDisposable | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const resource of resources.toReversed()) {
    try {
      await resource?.[Symbol.asyncDispose]();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Acquires resources in order with `acquire`, which hands each one to `keep` as soon as it is there; when a later one
 * cannot be had, those kept are disposed before the failure is passed on.
 */
export async function acquireAll<T extends object>(
  acquire: (keep: <R extends AsyncDisposable>(resource: R) => R) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const kept: AsyncDisposable[] = [];
  const keep = <R extends AsyncDisposable>(resource: R): R => {
    kept.push(resource);
    return resource;
  };
  try {
    const acquired = await acquire(keep);
    return Object.assign(acquired, { [Symbol.asyncDispose]: () => release(...kept) });
  } catch (error) {
    await release(...kept);
    throw error;
  }
}
