import type { PoolLimits } from './limits.ts';

/** A connection's part of a pool. */
export interface PoolShare {
  /** Takes `bytes` when pool and share have them. */
  tryHold(bytes: number): boolean;
  /** Takes `bytes` at any rate: for memory that is already used, so that others see it. */
  hold(bytes: number): void;
  release(bytes: number): void;
  /** Whether nothing can be held any more, here or in the whole pool. */
  readonly exhausted: boolean;
  /** Calls `granted` once `bytes` are held: now, or when others have released enough. Larger than the share: never. @returns how to stop waiting. */
  whenHeld(bytes: number, granted: () => void): () => void;
}

interface Waiter {
  readonly share: Share;
  readonly bytes: number;
  readonly granted: () => void;
}

/** Bytes that all connections of a server may hold together, and each of them alone. First come, first served. */
export class MemoryPool {
  readonly #limits: PoolLimits;
  readonly #waiters = new Set<Waiter>();
  #heldBytes = 0;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#heldBytes;
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

  /** For {@link Share}. */
  wait(waiter: Waiter): () => void {
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** For {@link Share}. One that does not fit its own share lets those behind it pass; one that waits for the pool does not. */
  serveWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!this.hasRoomFor(waiter.bytes)) return;
      if (!waiter.share.tryHold(waiter.bytes)) continue;
      this.#waiters.delete(waiter);
      waiter.granted();
    }
  }
}

class Share implements PoolShare {
  readonly #pool: MemoryPool;
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(pool: MemoryPool, limitBytes: number) {
    this.#pool = pool;
    this.#limitBytes = limitBytes;
  }

  tryHold(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#limitBytes || !this.#pool.hasRoomFor(bytes)) return false;
    this.hold(bytes);
    return true;
  }

  get exhausted(): boolean {
    return this.#heldBytes >= this.#limitBytes || !this.#pool.hasRoomFor(1);
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
    if (this.tryHold(bytes)) {
      granted();
      return () => undefined;
    }
    return this.#pool.wait({ share: this, bytes, granted });
  }
}
