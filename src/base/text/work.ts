import type { Hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Pending } from '../pending.ts';

/**
 * Work that may be long: it yields after each piece, so that its driver can give other work a turn.
 * Small work ends without yielding.
 */
export type Work<T> = Generator<undefined, T, undefined>;

/** What is hashed or decoded between two turns, in bytes: a fraction of a millisecond (docs/performance.md). */
export const PIECE_BYTES = 262_144;

/** Drives work to its end in one go. */
export function runAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Hashes bytes one after the other, without copying them. It yields by what was hashed, however that is cut. */
export function* updateInPieces(hash: Hash, texts: readonly Uint8Array[]): Work<void> {
  let leftBytes = PIECE_BYTES;
  for (const bytes of texts) {
    for (let at = 0; at < bytes.length; ) {
      if (leftBytes === 0) {
        yield;
        leftBytes = PIECE_BYTES;
      }
      const piece = bytes.subarray(at, at + leftBytes);
      hash.update(piece);
      at += piece.length;
      leftBytes -= piece.length;
    }
  }
}

/**
 * Drives work on a large body in turns with all other checks, so that these do not wait for its end
 * (docs/performance.md). Small work is done at once and costs no turn.
 */
export function takeTurns<T>(work: Work<T>): Pending<T> {
  const step = work.next();
  return step.done === true ? step.value : goOn(work);
}

async function goOn<T>(work: Work<T>): Promise<T> {
  for (;;) {
    await turn();
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
