import type { Http2Limits } from './limits.ts';
import type { ErrorCode } from './frame.ts';

/** Where a peer's conduct is judged: by its connection, which ends on a breach. */
export interface Conduct {
  /** Nothing more is read from the peer. */
  readonly over: boolean;
  /** A frame has been worked on, which cost as much as `frames` usual ones. @returns whether the next may follow at once. */
  frameDone(frames: number): boolean;
  /** The time of the input that is being worked on. */
  readonly nowMs: number;
  /** Calls that the peer opens from now on are refused: it was sent a GOAWAY. */
  readonly closing: boolean;
  /** A connection error (RFC 9113 §5.4.1). `reason` holds nothing of the peer's. @returns false: go no further. */
  breach(code: ErrorCode, reason: string): false;
  /** Charges the peer for what brings no call. @returns whether to go on; else it was a breach. */
  spend(tokens: number): boolean;
  /** The peer has acknowledged the ping of a drain. */
  sawDrain(): void;
}

/** What a peer pays for a frame that brings no call, and for a reset. */
export const IDLE_FRAME_COST = 1;
export const RESET_COST = 5;
/** What an answered call earns it. */
export const ANSWER_EARNS = 4;

/** Bytes of a header block that cost as much as a usual frame. */
const HEADER_BYTES_OF_FRAME = 256;

/** What a HEADERS or CONTINUATION frame costs in usual frames. */
export function headerFrames(bytes: number): number {
  return 1 + Math.floor(bytes / HEADER_BYTES_OF_FRAME);
}

/** What a peer that has just come may make its windows cost us: enough for a few answers in crumbs. */
const FIRST_WINDOW_STEPS = 64;

/**
 * Measures what costs us work and brings no call. Two buckets:
 * frames such as resets (CVE-2023-44487), pings, settings, empty DATA, priorities take tokens, which time and answered calls
 * bring back; what windows make us do takes steps, which received bytes bring: however many answers wait, the work is
 * bounded by what the peer has sent.
 */
export class FloodGuard {
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #maxSteps: number;
  readonly #stepsPerByte: number;
  #tokens: number;
  #filledAtMs: number;
  #steps: number;

  constructor(limits: Http2Limits, nowMs: number) {
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
