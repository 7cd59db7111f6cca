import type { Hash } from 'node:crypto';

/**
 * Work that may be long: it yields after each piece, so that whoever drives it can let others have a turn.
 * Small work ends without yielding.
 */
export type Work<T> = Generator<undefined, T, undefined>;

/** What is hashed between two turns, in bytes: a fraction of a millisecond. */
const PIECE_BYTES = 262_144;

/** Drives work to its end in one go. */
export function runAtOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Hashes bytes piece by piece, without copying them. */
export function* updateInPieces(hash: Hash, bytes: Uint8Array): Work<void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    if (at > 0) yield;
    hash.update(bytes.subarray(at, at + PIECE_BYTES));
  }
}
