import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { chunksOf } from '../../../resources/changes/resource-store.ts';

/** So many writes go to the server at once: each answer comes well within the deadline of a socket. */
export const WRITES_AT_ONCE = 1000;

/**
 * Sends what is prepared of many items, {@link WRITES_AT_ONCE} at a time and one request after the other. While the
 * server works on one, the next is prepared.
 */
export async function sendInTurn<T, W>(
  items: readonly T[],
  prepare: (item: T) => W,
  send: (prepared: readonly W[]) => Promise<void>,
): Promise<void> {
  let sent: Promise<void> = Promise.resolve();
  try {
    for (const piece of chunksOf(items, WRITES_AT_ONCE)) {
      const prepared = piece.map(prepare);
      await sent;
      sent = send(prepared);
      // Until this turn of the event loop ends, nothing leaves the process.
      await Promise.race([sent, turnOfLoop()]);
    }
  } finally {
    await sent;
  }
}
