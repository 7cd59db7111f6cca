import { randomInt } from 'node:crypto';

/** 2^12: a million App Keys have some 250 in each. */
const BUCKETS = 4096;
const BUCKET_SHIFT = 20;
const FIRST_CAPACITY = 8;
const GROWTH = 1.25;
const NONE = new Uint32Array(0);

/**
 * A set of App Keys by their hashes, in about 4.5 bytes for each: 44 bits of a second hash, 12 of which choose a sorted
 * bucket. It never denies one that was added; of others it confirms one in 17 million with a million in it.
 *
 * The second hash has secrets of this process in it, and its input is a SHA-256: App Keys that collide with others here
 * cannot be constructed. Nothing can be removed: the owner makes a new set.
 */
export class AppKeySet {
  readonly #buckets: Uint32Array[] = Array.from({ length: BUCKETS }, () => NONE);
  readonly #lengths = new Uint32Array(BUCKETS);
  readonly #seeds: AppKeySeeds;
  /** Of the current App Key: the check path makes no object for it. */
  readonly #place = { bucket: 0, fingerprint: 0 };
  #size = 0;

  constructor(seeds: AppKeySeeds) {
    this.#seeds = seeds;
  }

  /** How many there are; two that are the same here count once. */
  get size(): number {
    return this.#size;
  }

  /** Memory of the buckets, without the objects themselves. */
  get bytes(): number {
    return this.#buckets.reduce((sum, bucket) => sum + bucket.byteLength, this.#lengths.byteLength);
  }

  add(appKeyHash: string): void {
    this.#locate(appKeyHash);
    const { bucket: at, fingerprint } = this.#place;
    const length = this.#lengths[at] ?? 0;
    const index = this.#search(at, fingerprint);
    let bucket = this.#buckets[at] ?? NONE;
    if (index < length && bucket[index] === fingerprint) return;
    if (length === bucket.length) {
      const larger = new Uint32Array(Math.max(FIRST_CAPACITY, Math.ceil(length * GROWTH)));
      larger.set(bucket);
      this.#buckets[at] = bucket = larger;
    }
    bucket.copyWithin(index + 1, index, length);
    bucket[index] = fingerprint;
    this.#lengths[at] = length + 1;
    this.#size += 1;
  }

  /** Whether it was added; in rare cases also when it was not. */
  has(appKeyHash: string): boolean {
    this.#locate(appKeyHash);
    const { bucket: at, fingerprint } = this.#place;
    const index = this.#search(at, fingerprint);
    return index < (this.#lengths[at] ?? 0) && this.#buckets[at]?.[index] === fingerprint;
  }

  #search(at: number, fingerprint: number): number {
    const bucket = this.#buckets[at] ?? NONE;
    let low = 0;
    let high = this.#lengths[at] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bucket[middle] ?? 0) < fingerprint) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Computes bucket and fingerprint in one pass, like MurmurHash3 with two states, into `#place`. */
  #locate(appKeyHash: string): void {
    let one = this.#seeds.bucket;
    let other = this.#seeds.fingerprint;
    for (let at = 0; at < appKeyHash.length; at += 4) {
      const text =
        appKeyHash.charCodeAt(at) |
        (appKeyHash.charCodeAt(at + 1) << 8) |
        (appKeyHash.charCodeAt(at + 2) << 16) |
        (appKeyHash.charCodeAt(at + 3) << 24);
      let word = Math.imul(text, 0xcc_9e_2d_51);
      word = Math.imul((word << 15) | (word >>> 17), 0x1b_87_35_93);
      one ^= word;
      one = (Math.imul((one << 13) | (one >>> 19), 5) + 0xe6_54_6b_64) | 0;
      other ^= Math.imul((word << 11) | (word >>> 21), 0x85_eb_ca_6b);
      other = (Math.imul((other << 13) | (other >>> 19), 5) + 0x38_b3_4a_e5) | 0;
    }
    this.#place.bucket = finish(one) >>> BUCKET_SHIFT;
    this.#place.fingerprint = finish(other);
  }
}

/** The secrets of the second hash. */
export interface AppKeySeeds {
  readonly bucket: number;
  readonly fingerprint: number;
}

/** Other ones for each process. */
export function createAppKeySeeds(): AppKeySeeds {
  return { bucket: randomInt(2 ** 32), fingerprint: randomInt(2 ** 32) };
}

/** Lets every bit of a state change every bit of the result; 32 bits without a sign. */
function finish(state: number): number {
  let hash = state ^ (state >>> 16);
  hash = Math.imul(hash, 0x85_eb_ca_6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A reading of all App Keys, while it lasts. */
export interface AppKeyReading {
  add(appKeyHash: string): void;
  /** All were read: they replace what was known before, unless a later reading has begun. */
  end(): void;
}

/**
 * The App Keys that may have a holder: all of a store, after they were read once and while every new one is noted.
 * Others have none; the holders of some may be gone since (ADR 6).
 */
export class AppKeyFilter {
  readonly #seeds = createAppKeySeeds();
  #known = new AppKeySet(this.#seeds);
  #reading: AppKeySet | null = null;
  #isWhole = false;
  #gone = 0;

  get size(): number {
    return this.#known.size;
  }

  /** Whether it has all App Keys of one moment, and those that were noted since. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** How many it has although they are gone. */
  get gone(): number {
    return this.#gone;
  }

  /** Whether the App Key with this hash (64 hex characters) may have a holder. */
  has(appKeyHash: string): boolean {
    return this.#known.has(appKeyHash);
  }

  /** This one has a holder. */
  note(appKeyHash: string): void {
    this.#known.add(appKeyHash);
    this.#reading?.add(appKeyHash);
  }

  /** One of them is gone, it is unknown which. */
  noteGone(): void {
    this.#gone += 1;
  }

  /** Some may have been missed: it is whole only after a reading that begins after this. */
  lose(): void {
    this.#isWhole = false;
    this.#reading = null;
  }

  /** Begins a reading of all. What is noted until its end counts too. */
  begin(): AppKeyReading {
    const reading = new AppKeySet(this.#seeds);
    const goneBefore = this.#gone;
    this.#reading = reading;
    return {
      add: (appKeyHash) => {
        reading.add(appKeyHash);
      },
      end: () => {
        if (this.#reading !== reading) return;
        this.#known = reading;
        this.#reading = null;
        this.#isWhole = true;
        this.#gone -= goneBefore;
      },
    };
  }
}
