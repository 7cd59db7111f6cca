import { AppKeySet, createAppKeySeeds } from './app-key-set.ts';

/** A reading of all App Keys, while it lasts. */
export interface AppKeyReading {
  add(appKeyHash: string): void;
  /** All were read: they take the place of what was known before, unless a later reading has begun. */
  end(): void;
}

/**
 * Which App Keys somebody may hold: all of a store, after they were read once and while every new one is noted. Of those it does not
 * have, nobody holds any; those it has may be gone since (ADR 6).
 */
export class AppKeyFilter {
  readonly #seeds = createAppKeySeeds();
  #known = new AppKeySet(this.#seeds);
  #reading: AppKeySet | null = null;
  #isWhole = false;
  #gone = 0;

  /** How many App Keys it has. */
  get size(): number {
    return this.#known.size;
  }

  /** Whether it has all App Keys that were there at a moment, and those that were noted since. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** App Keys that it has though they are gone. */
  get gone(): number {
    return this.#gone;
  }

  /** Whether somebody may hold the App Key with this hash (64 hex characters). */
  has(appKeyHash: string): boolean {
    return this.#known.has(appKeyHash);
  }

  /** Somebody holds this one. */
  note(appKeyHash: string): void {
    this.#known.add(appKeyHash);
    this.#reading?.add(appKeyHash);
  }

  /** One of them is gone, nobody knows which. */
  noteGone(): void {
    this.#gone += 1;
  }

  /** Some may have been missed: it is whole only after a reading that begins after this. */
  lose(): void {
    this.#isWhole = false;
    this.#reading = null;
  }

  /** Begins a reading of all. What is noted meanwhile counts too. */
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
