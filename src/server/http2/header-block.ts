import type { Http2Limits } from './limits.ts';

/** A header block whose frames are still coming (RFC 9113 §4.3): nothing else may come in between. */
export class HeaderBlock {
  readonly streamId: number;
  readonly endStream: boolean;
  readonly startedAtMs: number;
  readonly #limits: Http2Limits;
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(streamId: number, endStream: boolean, nowMs: number, limits: Http2Limits) {
    this.streamId = streamId;
    this.endStream = endStream;
    this.startedAtMs = nowMs;
    this.#limits = limits;
  }

  /** Takes a fragment (copied: it is small, what it lies in may not be). @returns false when the block breaks a limit. */
  add(bytes: Buffer, start: number, end: number): boolean {
    this.#parts.push(Buffer.from(bytes.subarray(start, end)));
    this.#bytes += end - start;
    return this.#bytes <= this.#limits.maxHeaderBlockBytes && this.#parts.length <= this.#limits.maxHeaderBlockFrames;
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts, this.#bytes);
  }
}
