/** What a peer may make us do that brings no call. */
export interface FloodLimits {
  /** Frames that do no work for a call: how many at once, and how many per second on top. */
  readonly idleFrames: number;
  readonly idleFramesPerSecond: number;
  /**
   * What a peer's windows may make us do beyond sending what they let through, in steps: crumbs of messages sent, and
   * streams looked at that cannot go on. How many at once, and the bytes received that each one takes.
   */
  readonly windowSteps: number;
  readonly bytesPerWindowStep: number;
}

/** What a peer pays for a frame that brings no call. */
export const IDLE_FRAME_COST = 1;
/** What a peer pays for a reset, which makes us do work for nothing (CVE-2023-44487). */
export const RESET_COST = 5;
/** What an answered call earns it. */
export const ANSWER_EARNS = 4;

/** DATA frames below this are no data; a frame of ours below it that does not end a message is a crumb. */
export const CRUMB_BYTES = 256;

/** What a peer that has just come may make its windows cost us: enough for a few answers in crumbs. */
const FIRST_WINDOW_STEPS = 64;

/**
 * Measures what costs us work and brings no call. Two buckets:
 * frames such as resets (CVE-2023-44487), pings, settings, empty DATA, priorities take tokens, which time and answered
 * calls bring back; what windows make us do takes steps, which received bytes bring: however many answers wait, the
 * work is bounded by what the peer has sent.
 */
export class FloodGuard {
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #maxSteps: number;
  readonly #stepsPerByte: number;
  #tokens: number;
  #filledAtMs: number;
  #steps: number;

  constructor(limits: FloodLimits, nowMs: number) {
    this.#capacity = limits.idleFrames;
    this.#perMs = limits.idleFramesPerSecond / 1000;
    this.#maxSteps = limits.windowSteps;
    this.#stepsPerByte = 1 / limits.bytesPerWindowStep;
    this.#tokens = this.#capacity;
    this.#filledAtMs = nowMs;
    this.#steps = Math.min(FIRST_WINDOW_STEPS, this.#maxSteps);
  }

  /** The peer has sent so many bytes. */
  received(bytes: number): void {
    this.#steps = Math.min(this.#maxSteps, this.#steps + bytes * this.#stepsPerByte);
  }

  /** @returns whether the peer may go on. */
  spendWindowSteps(steps: number): boolean {
    this.#steps -= steps;
    return this.#steps >= 0;
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
