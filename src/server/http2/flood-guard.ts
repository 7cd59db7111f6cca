/**
 * Measures frames that cost us work and bring no call: resets (CVE-2023-44487), pings, settings, empty DATA, priorities.
 * A bucket of tokens: full at the start, refilled by time and by calls that were answered.
 */
export class FloodGuard {
  readonly #capacity: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(capacity: number, perSecond: number, nowMs: number) {
    this.#capacity = capacity;
    this.#perMs = perSecond / 1000;
    this.#tokens = capacity;
    this.#filledAtMs = nowMs;
  }

  /** @returns whether the peer may go on. */
  spend(tokens: number, nowMs: number): boolean {
    this.#tokens -= tokens;
    if (this.#tokens >= 0) return true;
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#filledAtMs = nowMs;
    this.#tokens = Math.min(this.#capacity, this.#tokens + elapsedMs * this.#perMs);
    return this.#tokens >= 0;
  }

  /** An answered call pays for the frames that go with it. */
  earn(tokens: number): void {
    if (this.#tokens < this.#capacity) this.#tokens += tokens;
  }
}
