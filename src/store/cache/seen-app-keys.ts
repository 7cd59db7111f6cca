/** 4 MiB, of which only pages that are used take memory. Of a million App Keys it can tell about two thirds. */
const SLOTS = 2 ** 20;

/**
 * Remembers which App Keys somebody was seen to hold, also long after their entries were evicted: four bytes for each,
 * the later of two in the same slot. It decides only who waits in which line, so it may forget, and may be wrong once
 * in four billion times.
 */
export class SeenAppKeys {
  readonly #fingerprints: Uint32Array;

  /** @param slots a power of two, at most 2^32. */
  constructor(slots: number = SLOTS) {
    this.#fingerprints = new Uint32Array(slots);
  }

  /** Notes that somebody holds the App Key with this hash (hex). */
  note(appKeyHash: string): void {
    this.#fingerprints[this.#slotOf(appKeyHash)] = fingerprintOf(appKeyHash);
  }

  /** Whether somebody was seen to hold it. */
  has(appKeyHash: string): boolean {
    return this.#fingerprints[this.#slotOf(appKeyHash)] === fingerprintOf(appKeyHash);
  }

  #slotOf(appKeyHash: string): number {
    return Number.parseInt(appKeyHash.slice(0, 8), 16) % this.#fingerprints.length;
  }
}

/** Never 0, which is an empty slot. */
function fingerprintOf(appKeyHash: string): number {
  return Math.max(1, Number.parseInt(appKeyHash.slice(8, 16), 16));
}
