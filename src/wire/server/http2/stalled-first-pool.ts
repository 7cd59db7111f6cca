import { LinkedList, type Place } from '../../../base/linked-list.ts';
import type { Stream } from './stream.ts';

/** How much calls may hold together, and those of one connection. Bytes. */
export interface PoolLimits {
  readonly serverBytes: number;
  readonly connectionBytes: number;
}

/** What a call holds of a {@link StalledFirstPool}. A record that the pool changes. */
export class Holding {
  readonly stream: Stream;
  readonly share: Share;
  bytes = 0;
  placeInShare: Place<Holding> | null = null;
  placeInPool: Place<Holding> | null = null;

  constructor(stream: Stream, share: Share) {
    this.stream = stream;
    this.share = share;
  }
}

/** A connection's part of a {@link StalledFirstPool}. */
export interface StalledFirstShare {
  /**
   * The call holds `bytes` from now on in place of what it `held`, and has made progress. @returns null when the share
   * is too small for it alone; it then holds what it held.
   */
  set(stream: Stream, held: Holding | null, bytes: number): Holding | null;
  /** The call holds nothing any more. */
  release(held: Holding): void;
}

/**
 * Bytes that calls hold while their peers are to go on: half-received messages, answers that wait. When there is no
 * room, the call that has made no progress for longest is given up: of the connection whose share is used up, or else
 * of all. So what progresses gets through, and what stalls crowds out only what stalls.
 */
export class StalledFirstPool {
  readonly #limits: PoolLimits;
  /** The call that made progress last comes last. */
  readonly #held = new LinkedList<Holding>();
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
  progressed(held: Holding, moreBytes: number): void {
    if (held.placeInPool === null) held.placeInPool = this.#held.append(held);
    else this.#held.moveToEnd(held.placeInPool);
    this.#heldBytes += moreBytes;
  }

  /** For {@link Share}. */
  released(held: Holding): void {
    if (held.placeInPool !== null) this.#held.remove(held.placeInPool);
    held.placeInPool = null;
    this.#heldBytes -= held.bytes;
  }

  /** For {@link Share}: gives up others until `bytes` fit in place of what it holds. */
  makeRoom(own: Holding, bytes: number): boolean {
    return giveUpOthers(this.#held, own, () => this.#heldBytes + bytes - own.bytes <= this.#limits.serverBytes);
  }
}

class Share implements StalledFirstShare {
  readonly #pool: StalledFirstPool;
  readonly #limitBytes: number;
  readonly #giveUp: (stream: Stream) => void;
  /** The call that made progress last comes last. */
  readonly #held = new LinkedList<Holding>();
  #heldBytes = 0;

  constructor(pool: StalledFirstPool, limitBytes: number, giveUp: (stream: Stream) => void) {
    this.#pool = pool;
    this.#limitBytes = limitBytes;
    this.#giveUp = giveUp;
  }

  set(stream: Stream, before: Holding | null, bytes: number): Holding | null {
    const held = before ?? new Holding(stream, this);
    if (bytes > this.#limitBytes) return null;
    giveUpOthers(this.#held, held, () => this.#heldBytes + bytes - held.bytes <= this.#limitBytes);
    if (!this.#pool.makeRoom(held, bytes)) return null;
    const more = bytes - held.bytes;
    if (held.placeInShare === null) held.placeInShare = this.#held.append(held);
    else this.#held.moveToEnd(held.placeInShare);
    held.bytes = bytes;
    this.#heldBytes += more;
    this.#pool.progressed(held, more);
    return held;
  }

  release(held: Holding): void {
    if (held.placeInShare === null) return;
    this.#held.remove(held.placeInShare);
    held.placeInShare = null;
    this.#heldBytes -= held.bytes;
    this.#pool.released(held);
    held.bytes = 0;
  }

  /** For the pool. */
  giveUp(held: Holding): void {
    this.#giveUp(held.stream);
    this.release(held);
  }
}

/** Gives up calls, the one that stands first first, but not the own one. @returns whether there is room then. */
function giveUpOthers(calls: LinkedList<Holding>, own: Holding, hasRoom: () => boolean): boolean {
  while (!hasRoom()) {
    const { first } = calls;
    const other = first?.value === own ? first.next : first;
    if (other === null) return false;
    other.value.share.giveUp(other.value);
  }
  return true;
}
