import { type LargeBuffers, MIN_REUSED_BYTES } from './large-buffers.ts';
import { MAX_SMALL_MESSAGE_BYTES } from './first-window.ts';
import type { PoolShare } from './memory-pool.ts';
import type { ServerContext } from './server-context.ts';
import type { StalledFirstShare } from './stalled-first-pool.ts';
import type { Stream } from './stream.ts';

/** What a method that waits holds at least: the block of `Buffer.poolSize` that a small message lies in. */
export const MIN_HELD_BYTES = 8192;
/** The first memory of a message that comes in parts. */
export const MIN_PART_BYTES = 1024;
/** Memory of a message that fits the first window is at most so many times what has arrived. */
export const SMALL_GROWTH = 4;
/** Memory of a larger message is at most so many times what has arrived. */
export const LARGE_GROWTH = 16;

/** The memory that the messages of one connection hold: of what has arrived, and not of what was announced. */
export class MessageMemory {
  readonly #context: ServerContext;
  readonly #parts: StalledFirstShare;
  readonly #running: PoolShare;
  readonly #turns: PoolShare;
  readonly #buffers: LargeBuffers;

  /** @param giveUp refuses a call whose message has not come whole. */
  constructor(context: ServerContext, giveUp: (stream: Stream) => void) {
    this.#context = context;
    this.#parts = context.partPool.share(giveUp);
    this.#running = context.runningPool.share();
    this.#turns = context.turnPool.share();
    this.#buffers = context.largeBuffers;
  }

  /** Whether methods hold all that they may. */
  get exhausted(): boolean {
    return this.#running.exhausted;
  }

  /**
   * Memory for a message of which `neededBytes` are there, and what was put into it so far; that is in it then. The
   * call has made progress.
   * @returns null when there is none.
   */
  grow(stream: Stream, filled: Buffer, neededBytes: number, messageBytes: number): Buffer | null {
    const bytes = stream.turnBytes > 0 ? sizeLarge(neededBytes, messageBytes) : sizePart(neededBytes, messageBytes);
    if (bytes < neededBytes) return null;
    if (stream.turnBytes === 0 && !this.#holdPart(stream, bytes)) return null;
    const memory = bytes < MIN_REUSED_BYTES ? Buffer.allocUnsafeSlow(bytes) : this.#buffers.take(bytes);
    filled.copy(memory);
    this.#giveBack(stream);
    stream.memory = memory;
    if (stream.turnBytes > 0) this.#countLarge(stream, memory.length);
    return memory;
  }

  /** More has come of a message for which there was memory. */
  progressed(stream: Stream): void {
    if (stream.turnBytes === 0 && stream.memory !== null) this.#holdPart(stream, stream.memory.length);
  }

  /**
   * Asks that a message beyond a stream's first window may come. @param allowed called when it is its turn, now or
   * later.
   */
  askTurn(stream: Stream, length: number, allowed: () => void): void {
    stream.stopWaiting = this.#turns.whenHeld(length, () => {
      stream.turnBytes = length;
      this.#releasePart(stream);
      if (stream.memory !== null) this.#countLarge(stream, stream.memory.length);
      allowed();
    });
  }

  /** Notes the memory of a message that a method waits with. */
  hold(stream: Stream, length: number): void {
    if (stream.turnBytes > 0) return;
    stream.runningBytes = Math.max(length, MIN_HELD_BYTES);
    this.#running.hold(stream.runningBytes);
  }

  /** The message has come whole, or will not come. */
  arrived(stream: Stream): void {
    this.#releasePart(stream);
    stream.stopWaiting?.();
    stream.stopWaiting = null;
  }

  /** The message is no longer used. */
  release(stream: Stream): void {
    this.arrived(stream);
    // Before those that wait for it are let in.
    this.#giveBack(stream);
    this.#countLarge(stream, 0);
    const { runningBytes, turnBytes } = stream;
    stream.runningBytes = 0;
    stream.turnBytes = 0;
    this.#running.release(runningBytes);
    this.#turns.release(turnBytes);
  }

  /** @returns false when there is no room. */
  #holdPart(stream: Stream, bytes: number): boolean {
    const held = this.#parts.set(stream, stream.partHolding, bytes);
    if (held !== null) stream.partHolding = held;
    return held !== null;
  }

  #releasePart(stream: Stream): void {
    if (stream.partHolding !== null) this.#parts.release(stream.partHolding);
    stream.partHolding = null;
  }

  #countLarge(stream: Stream, bytes: number): void {
    this.#context.largeMemory.heldBytes += bytes - stream.largeBytes;
    stream.largeBytes = bytes;
  }

  #giveBack(stream: Stream): void {
    const { memory } = stream;
    stream.memory = null;
    if (memory !== null && memory.length >= MIN_REUSED_BYTES) this.#buffers.give(memory);
  }
}

function sizePart(neededBytes: number, messageBytes: number): number {
  const mostBytes = Math.min(messageBytes, MAX_SMALL_MESSAGE_BYTES);
  return Math.min(mostBytes, Math.max(MIN_PART_BYTES, neededBytes * SMALL_GROWTH));
}

/** All at once if possible; otherwise in few steps, of which the first is small: each one copies what is there. */
function sizeLarge(neededBytes: number, messageBytes: number): number {
  const bytes = neededBytes * LARGE_GROWTH;
  if (bytes >= messageBytes) return messageBytes;
  return neededBytes <= MAX_SMALL_MESSAGE_BYTES ? Math.min(bytes, MAX_SMALL_MESSAGE_BYTES) : bytes;
}
