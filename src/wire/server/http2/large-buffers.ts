import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Below this, giving memory back costs more than leaving it to the garbage collector. */
const MIN_BYTES = 16 * 1024;

/**
 * Gives the memory of buffers back at once. Left to the garbage collector, every large message makes it believe that
 * memory runs short, and looking for more over and over costs it more than all other work on the message.
 *
 * There is no function for this in Node.js 20; a buffer that is transferred to a closed port leaves its owner (HTML
 * §2.7.4, "transfer") and ends with the message, which is not delivered.
 */
export class MemoryReleaser {
  readonly #nowhere: MessagePort;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    port1.close();
    port2.close();
    this.#nowhere = port1;
  }

  /**
   * Call with bytes that nothing looks at any more: they are gone, with all views of them. Leaves shared memory alone.
   */
  release(bytes: Buffer): void {
    const memory = bytes.buffer;
    if (memory.byteLength < MIN_BYTES || memory.byteLength !== bytes.length) return;
    if (memory instanceof ArrayBuffer) this.#nowhere.postMessage(null, [memory]);
  }
}

/** From here on memory is used again. */
export const MIN_REUSED_BYTES = MIN_BYTES;

/** Lengths are rounded up by at most an eighth, so that messages of about the same length fit each other's memory. */
const STEPS_PER_DOUBLING = 8;

/** Idle buffers of one length. */
interface Shelf {
  readonly buffers: Buffer[];
  /** How many of them were idle all the time since the last sweep. */
  unneeded: number;
}

/**
 * The memory of large messages, used again for the next ones: fresh memory costs the system as much as filling it, and
 * the garbage collector more (docs/performance.md). What is idle is bounded, and given back when it was not needed
 * between two sweeps.
 */
export class LargeBuffers {
  readonly #maxIdleBytes: number;
  readonly #releaser = new MemoryReleaser();
  /** By length; lengths are few. */
  readonly #shelves = new Map<number, Shelf>();
  #idleBytes = 0;

  constructor(maxIdleBytes: number) {
    this.#maxIdleBytes = maxIdleBytes;
  }

  get idleBytes(): number {
    return this.#idleBytes;
  }

  /** Memory of at least this many bytes, with any content. */
  take(bytes: number): Buffer {
    const capacityBytes = roundUp(bytes);
    const shelf = this.#shelves.get(capacityBytes);
    const idle = shelf?.buffers.pop();
    if (shelf === undefined || idle === undefined) return Buffer.allocUnsafeSlow(capacityBytes);
    shelf.unneeded = Math.min(shelf.unneeded, shelf.buffers.length);
    this.#idleBytes -= capacityBytes;
    return idle;
  }

  /** Takes memory of {@link take} back, once. Views of it are worthless from here on. */
  give(buffer: Buffer): void {
    if (this.#idleBytes + buffer.length > this.#maxIdleBytes) {
      this.#releaser.release(buffer);
      return;
    }
    this.#idleBytes += buffer.length;
    const shelf = this.#shelves.get(buffer.length);
    if (shelf === undefined) this.#shelves.set(buffer.length, { buffers: [buffer], unneeded: 0 });
    else shelf.buffers.push(buffer);
  }

  /** To be called every few seconds. */
  sweep(): void {
    for (const [capacityBytes, shelf] of this.#shelves) {
      for (const buffer of shelf.buffers.splice(0, shelf.unneeded)) {
        this.#idleBytes -= capacityBytes;
        this.#releaser.release(buffer);
      }
      shelf.unneeded = shelf.buffers.length;
      if (shelf.unneeded === 0) this.#shelves.delete(capacityBytes);
    }
  }
}

function roundUp(bytes: number): number {
  const step = 2 ** Math.floor(Math.log2(bytes)) / STEPS_PER_DOUBLING;
  return Math.ceil(bytes / step) * step;
}
