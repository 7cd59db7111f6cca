import type { MemoryReleaser } from './memory-releaser.ts';

/** Lengths are rounded up by at most an eighth, so that messages of about the same length fit each other's memory. */
const STEPS_PER_DOUBLING = 8;

/**
 * The memory of large messages, used again for the next ones: fresh memory costs the system as much as filling it. What is
 * idle is bounded, and given back when no large message has come between two sweeps.
 */
export class LargeBuffers {
  readonly #maxIdleBytes: number;
  readonly #releaser: MemoryReleaser;
  /** Whole buffers by their length. */
  #idle = new Map<number, Buffer[]>();
  #idleBytes = 0;
  #isUsed = false;

  constructor(maxIdleBytes: number, releaser: MemoryReleaser) {
    this.#maxIdleBytes = maxIdleBytes;
    this.#releaser = releaser;
  }

  get idleBytes(): number {
    return this.#idleBytes;
  }

  /** Memory of at least this many bytes, with any content. */
  take(bytes: number): Buffer {
    this.#isUsed = true;
    const capacityBytes = roundUp(bytes);
    const idle = this.#idle.get(capacityBytes)?.pop();
    if (idle === undefined) return Buffer.allocUnsafeSlow(capacityBytes);
    this.#idleBytes -= capacityBytes;
    return idle;
  }

  /** Takes memory of {@link take} back. Views of it are worthless from here on. */
  give(buffer: Buffer): void {
    if (this.#idleBytes + buffer.length > this.#maxIdleBytes) {
      this.#releaser.release(buffer);
      return;
    }
    this.#idleBytes += buffer.length;
    const idle = this.#idle.get(buffer.length);
    if (idle === undefined) this.#idle.set(buffer.length, [buffer]);
    else idle.push(buffer);
  }

  /** To be called every few seconds. */
  sweep(): void {
    if (!this.#isUsed && this.#idleBytes > 0) {
      for (const buffers of this.#idle.values()) for (const buffer of buffers) this.#releaser.release(buffer);
      this.#idle = new Map();
      this.#idleBytes = 0;
    }
    this.#isUsed = false;
  }
}

function roundUp(bytes: number): number {
  const step = 2 ** Math.floor(Math.log2(bytes)) / STEPS_PER_DOUBLING;
  return Math.ceil(bytes / step) * step;
}
