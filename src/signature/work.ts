import type { Hash } from 'node:crypto';

/**
 * Work that may be long: it yields after each piece, so that whoever drives it can let others have a turn.
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
