import type { LargeBuffers } from './large-buffers.ts';
import { MAX_SMALL_MESSAGE_BYTES } from './limits.ts';
import type { PoolShare } from './memory-pool.ts';
import type { ServerContext } from './server-context.ts';
import type { Stream } from './stream.ts';

/** What a method that waits holds at least: its message is part of a larger read. */
const MIN_HELD_BYTES = 4096;

/** The memory that the messages of one connection hold of the server's pools. */
export class MessageMemory {
  readonly #small: PoolShare;
  readonly #large: PoolShare;
  readonly #buffers: LargeBuffers;

  constructor(context: ServerContext) {
    this.#small = context.smallPool.share();
    this.#large = context.largePool.share();
    this.#buffers = context.largeBuffers;
  }

  /** Whether there is none left for another message. */
  get exhausted(): boolean {
    return this.#small.exhausted;
  }

  /**
   * Holds memory for a message that comes in parts; call once per stream.
   * A message beyond a stream's first window holds that much, waits for its turn, and then holds its whole length.
   * @param allowed called when a large message may come, now or later; it has its {@link Stream.largeMemory} then.
   * @returns false when there is no memory.
   */
  reserve(stream: Stream, length: number, allowed: () => void): boolean {
    if (length === 0) return true;
    const smallBytes = Math.min(length, MAX_SMALL_MESSAGE_BYTES);
    if (!this.#small.tryHold(smallBytes)) return false;
    stream.smallBytes = smallBytes;
    if (length <= MAX_SMALL_MESSAGE_BYTES) return true;
    stream.stopWaiting = this.#large.whenHeld(length, () => {
      stream.largeBytes = length;
      this.#small.release(stream.smallBytes);
      stream.smallBytes = 0;
      stream.largeMemory = this.#buffers.take(length);
      allowed();
    });
    return true;
  }

  /** Notes the memory of a message that a method waits with, if it is not yet. */
  hold(stream: Stream, length: number): void {
    if (stream.smallBytes > 0 || stream.largeBytes > 0) return;
    stream.smallBytes = Math.max(length, MIN_HELD_BYTES);
    this.#small.hold(stream.smallBytes);
  }

  /** The message will not come. */
  stopWaiting(stream: Stream): void {
    stream.stopWaiting?.();
    stream.stopWaiting = null;
  }

  /** Nobody works with the message any more. */
  release(stream: Stream): void {
    // Before those that wait for it are let in.
    if (stream.largeMemory !== null) this.#buffers.give(stream.largeMemory);
    stream.largeMemory = null;
    this.#small.release(stream.smallBytes);
    this.#large.release(stream.largeBytes);
    stream.smallBytes = 0;
    stream.largeBytes = 0;
  }
}
