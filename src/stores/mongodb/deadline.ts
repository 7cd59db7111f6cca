import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FindCursor } from 'mongodb';

/** How long a command waits for MongoDB by default. */
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

/** A batch has up to 16 MiB, and once it is read takes several times as much memory: so many are read at once. */
const READ_TOGETHER = 20;

/** The documents of a cursor, some at a time. Each batch of the server has to come within `timeoutMs`. */
export async function* batchesInTime<T>(
  cursor: FindCursor<T>,
  timeoutMs: number,
): AsyncGenerator<readonly T[], void, undefined> {
  try {
    while (await byDeadline(AbortSignal.timeout(timeoutMs), async () => await cursor.hasNext())) {
      while (cursor.bufferedCount() > 0) yield cursor.readBufferedDocuments(READ_TOGETHER);
    }
  } finally {
    // The server may be frozen.
    cursor.close().catch(() => undefined);
  }
}

/** Waits; an abort of the signal ends the wait. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** A pause that {@link end} ends early. */
export class EndablePause {
  #end: () => void = () => undefined;

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    this.#end = () => {
      ended.abort();
    };
    await pause(ms, AbortSignal.any([signal, ended.signal]));
  }

  end(): void {
    this.#end();
  }
}

/** Whether a signal is aborted by now: the compiler takes an answer from before an `await` for still true. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

const FIRST_BACK_OFF_MS = 100;
const MOST_BACK_OFF_MS = 3000;

/**
 * How long to wait before attempt `attempt`, counted from 0: twice as long each time, from 0.1 s to 3 s, less up to a
 * half by chance, so that replicas that lost a server at once do not come back at once.
 */
export function backOffMs(attempt: number): number {
  const most = Math.min(MOST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** Math.min(attempt, 10));
  return randomInt(most / 2, most + 1);
}
