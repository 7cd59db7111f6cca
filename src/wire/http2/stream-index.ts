import { randomInt } from 'node:crypto';

/** What a {@link StreamIndex} finds by its identifier. */
export interface IndexedStream<T> {
  readonly id: number;
  /** For the index. */
  nextInSlot: T | null;
}

const FIRST_SLOTS = 16;
const UINT32_BITS = 32;
/** Not the same in every process: peers choose identifiers, and cannot make many of them share a slot. */
const multiplier = randomInt(2 ** 31) * 2 + 1;

/**
 * The open streams of a connection by their identifiers. No `Map`, for the reason that {@link LinkedList} gives.
 */
export class StreamIndex<T extends IndexedStream<T>> implements Iterable<T> {
  #slots = emptySlots<T>(FIRST_SLOTS);
  #shift = UINT32_BITS - Math.log2(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: number): T | undefined {
    let stream = this.#slots[this.#slotOf(id)] ?? null;
    while (stream !== null && stream.id !== id) stream = stream.nextInSlot;
    return stream ?? undefined;
  }

  /** Adds a stream that is not there. */
  add(stream: T): void {
    if (this.#size === this.#slots.length) this.#grow();
    this.#enter(stream);
    this.#size += 1;
  }

  delete(stream: T): void {
    const slot = this.#slotOf(stream.id);
    let before: T | null = null;
    let at = this.#slots[slot] ?? null;
    while (at !== null && at !== stream) {
      before = at;
      at = at.nextInSlot;
    }
    if (at === null) return;
    if (before === null) this.#slots[slot] = stream.nextInSlot;
    else before.nextInSlot = stream.nextInSlot;
    stream.nextInSlot = null;
    this.#size -= 1;
  }

  /** All of them, in any order. Nothing may be added or deleted meanwhile. */
  *[Symbol.iterator](): Generator<T, void, undefined> {
    for (const first of this.#slots) {
      for (let stream = first; stream !== null; stream = stream.nextInSlot) yield stream;
    }
  }

  /** All of them now, the one with the lowest identifier first. */
  inOrder(): readonly T[] {
    return [...this].sort((a, b) => a.id - b.id);
  }

  #enter(stream: T): void {
    const slot = this.#slotOf(stream.id);
    stream.nextInSlot = this.#slots[slot] ?? null;
    this.#slots[slot] = stream;
  }

  #grow(): void {
    const streams = [...this];
    this.#slots = emptySlots(2 * this.#slots.length);
    this.#shift -= 1;
    for (const stream of streams) this.#enter(stream);
  }

  #slotOf(id: number): number {
    return Math.imul(id, multiplier) >>> this.#shift;
  }
}

function emptySlots<T>(count: number): (T | null)[] {
  return Array<T | null>(count).fill(null);
}
