import type { FindCursor } from 'mongodb';

/** How long a command waits for MongoDB where nobody says otherwise. */
export const DEFAULT_TIMEOUT_MS = 20_000;

/**
 * Gives what work gives, or rejects with the reason of the signal when that comes first: the driver's writes take no
 * signal. Work that was left behind ends with the client's connections.
 */
export async function byDeadline<T>(deadline: AbortSignal, work: () => Promise<T>): Promise<T> {
  deadline.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const giveUp = (): void => {
      // A reason of AbortSignal.timeout is an error.
      reject(deadline.reason as Error);
    };
    deadline.addEventListener('abort', giveUp, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => {
        deadline.removeEventListener('abort', giveUp);
      });
  });
}

/** The documents of a cursor, each batch of which has to come within `timeoutMs`. */
export async function* batchesInTime<T>(cursor: FindCursor<T>, timeoutMs: number): AsyncGenerator<T, void, undefined> {
  try {
    while (await byDeadline(AbortSignal.timeout(timeoutMs), async () => await cursor.hasNext())) {
      yield* cursor.readBufferedDocuments();
    }
  } finally {
    // Nobody waits for a server that may be frozen.
    cursor.close().catch(() => undefined);
  }
}
