/**
 * Values (`T`) by a digest of what they are known for, of those that were used last: of so many at least, of twice as
 * many at most. Two generations, of which the older one is dropped as a whole: taking single entries out of a `Map` for
 * each one that comes makes garbage that stays (`LinkedList`).
 */
export class LastUsed<T> {
  readonly #count: number;
  #latest = new Map<string, T>();
  #before = new Map<string, T>();

  constructor(count: number) {
    this.#count = count;
  }

  get(digest: string): T | undefined {
    const known = this.#latest.get(digest);
    if (known !== undefined) return known;
    const older = this.#before.get(digest);
    if (older !== undefined) this.set(digest, older);
    return older;
  }

  set(digest: string, value: T): void {
    if (this.#latest.size >= this.#count) {
      this.#before = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(digest, value);
  }

  clear(): void {
    this.#latest = new Map();
    this.#before = new Map();
  }
}
