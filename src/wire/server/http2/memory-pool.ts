import type { PoolLimits } from './stalled-first-pool.ts';

/** A connection's part of a pool. */
export interface PoolShare {
  /** Takes `bytes` at any rate: for memory that is already used, so that others see it. */
  hold(bytes: number): void;
  release(bytes: number): void;
  /** Whether nothing can be held any more, here or in the whole pool. */
  readonly exhausted: boolean;
  /**
   * Calls `granted` once `bytes` are held: now, or when others have released enough. Larger than the share: never.
   * @returns how to stop waiting.
   */
  whenHeld(bytes: number, granted: () => void): () => void;
}

interface Waiter {
  readonly bytes: number;
  readonly granted: () => void;
}

/**
 * Bytes that all connections of a server may hold together, and each of them alone. Who waits for some is served in the
 * order of its connection; connections take turns, so that one with many waiters does not keep others waiting.
 */
export class MemoryPool {
  readonly #limits: PoolLimits;
  /** With waiters, the next one to be served first. */
  readonly #waiting = new Set<Share>();
  #heldBytes = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether a call waits whose connection has not got its share. */
  get isAwaited(): boolean {
    for (const share of this.#waiting) if (share.couldBeServed) return true;
    return false;
  }

  share(): PoolShare {
    return new Share(this, this.#limits.connectionBytes);
  }

  /** For {@link Share}. */
  hasRoomFor(bytes: number): boolean {
    return this.#heldBytes + bytes <= this.#limits.serverBytes;
  }

  /** For {@link Share}. */
  change(bytes: number): void {
    this.#heldBytes += bytes;
  }

  /** For {@link Share}: whether it has waiters. */
  note(share: Share, waits: boolean): void {
    if (waits) this.#waiting.add(share);
    else this.#waiting.delete(share);
  }

  /**
   * For {@link Share}. One that does not fit its own share lets other connections pass; one that waits for the pool
   * does not.
   */
  serveWaiters(): void {
    for (const share of this.#waiting) {
      if (!share.couldBeServed) continue;
      if (!share.serveFirst()) return;
      this.#waiting.delete(share);
      if (share.waits) this.#waiting.add(share); // behind the others
    }
  }
}

class Share implements PoolShare {
  readonly #pool: MemoryPool;
  readonly #limitBytes: number;
  readonly #waiters = new Set<Waiter>();
  #heldBytes = 0;

  constructor(pool: MemoryPool, limitBytes: number) {
    this.#pool = pool;
    this.#limitBytes = limitBytes;
  }

  get exhausted(): boolean {
    return this.#heldBytes >= this.#limitBytes || !this.#pool.hasRoomFor(1);
  }

  get waits(): boolean {
    return this.#waiters.size > 0;
  }

  /** Whether the first waiter fits the share. */
  get couldBeServed(): boolean {
    const [first] = this.#waiters;
    return first !== undefined && this.#heldBytes + first.bytes <= this.#limitBytes;
  }

  /** @returns false when the pool has no room for the first waiter. */
  serveFirst(): boolean {
    const [first] = this.#waiters;
    if (first === undefined || !this.#pool.hasRoomFor(first.bytes)) return false;
    this.#waiters.delete(first);
    this.hold(first.bytes);
    first.granted();
    return true;
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#pool.change(bytes);
  }

  release(bytes: number): void {
    if (bytes === 0) return;
    this.#heldBytes -= bytes;
    this.#pool.change(-bytes);
    this.#pool.serveWaiters();
  }

  whenHeld(bytes: number, granted: () => void): () => void {
    const fits = this.#heldBytes + bytes <= this.#limitBytes && this.#pool.hasRoomFor(bytes);
    if (fits && !this.waits && !this.#pool.isAwaited) {
      this.hold(bytes);
      granted();
      return () => undefined;
    }
    const waiter = { bytes, granted };
    this.#waiters.add(waiter);
    this.#pool.note(this, true);
    return () => {
      const isLast = this.#waiters.delete(waiter) && !this.waits;
      if (isLast) this.#pool.note(this, false);
      this.#pool.serveWaiters();
    };
  }
}
