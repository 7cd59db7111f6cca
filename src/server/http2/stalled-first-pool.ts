import type { PoolLimits } from './limits.ts';
import type { Stream } from './stream.ts';

/** A connection's part of a {@link StalledFirstPool}. */
export interface StalledFirstShare {
  /**
   * The call holds `bytes` from now on, and has made progress. @returns false when the share is too small for it alone;
   * it then holds what it held.
   */
  set(stream: Stream, bytes: number): boolean;
  /** The call holds nothing any more. */
  release(stream: Stream): void;
}

/**
 * Bytes that calls hold while their peers are to go on: half-received messages, answers that wait. When there is no
 * room, the call that has made no progress for longest is given up: of the connection whose share is used up, or else
 * of all. So what progresses gets through, and what stalls crowds out only what stalls.
 */
export class StalledFirstPool {
  readonly #limits: PoolLimits;
  /** The call that made progress last comes last. */
  readonly #calls = new Map<Stream, Share>();
  #heldBytes = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @param giveUp ends a call of the connection, which releases what it holds. */
  share(giveUp: (stream: Stream) => void): StalledFirstShare {
    return new Share(this, this.#limits.connectionBytes, giveUp);
  }

  /** For {@link Share}. */
  change(stream: Stream, share: Share | null, bytes: number): void {
    this.#calls.delete(stream);
    if (share !== null) this.#calls.set(stream, share);
    this.#heldBytes += bytes;
  }

  /** For {@link Share}: gives up others until `bytes` more fit. */
  makeRoom(stream: Stream, bytes: number): boolean {
    for (const [other, share] of this.#calls) {
      if (this.#heldBytes + bytes <= this.#limits.serverBytes) break;
      if (other !== stream) share.giveUp(other);
    }
    return this.#heldBytes + bytes <= this.#limits.serverBytes;
  }
}

class Share implements StalledFirstShare {
  readonly #pool: StalledFirstPool;
  readonly #limitBytes: number;
  readonly #giveUp: (stream: Stream) => void;
  /** What calls hold; the one that made progress last comes last. */
  readonly #calls = new Map<Stream, number>();
  #heldBytes = 0;

  constructor(pool: StalledFirstPool, limitBytes: number, giveUp: (stream: Stream) => void) {
    this.#pool = pool;
    this.#limitBytes = limitBytes;
    this.#giveUp = giveUp;
  }

  set(stream: Stream, bytes: number): boolean {
    const more = bytes - (this.#calls.get(stream) ?? 0);
    if (bytes > this.#limitBytes) return false;
    for (const other of this.#calls.keys()) {
      if (this.#heldBytes + more <= this.#limitBytes) break;
      if (other !== stream) this.giveUp(other);
    }
    if (!this.#pool.makeRoom(stream, more)) return false;
    this.#calls.delete(stream);
    this.#calls.set(stream, bytes);
    this.#heldBytes += more;
    this.#pool.change(stream, this, more);
    return true;
  }

  release(stream: Stream): void {
    const bytes = this.#calls.get(stream);
    if (bytes === undefined) return;
    this.#calls.delete(stream);
    this.#heldBytes -= bytes;
    this.#pool.change(stream, null, -bytes);
  }

  /** For the pool. */
  giveUp(stream: Stream): void {
    this.#giveUp(stream);
    this.release(stream);
  }
}
