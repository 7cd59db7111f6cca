import { type ConnectionProblem, errorCode, FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from './frame.ts';
import { u24, u31, u8 } from './octets.ts';

/** Frames from here on are put together in memory that is used again. */
const MIN_REUSED_BYTES = 4096;

/** Gets whole frames, in order. */
export interface FrameSink {
  /**
   * The payload is `bytes[start, end)`: what is kept of it must be copied. False stops the reading behind this frame:
   * see {@link FrameReader.readTo}.
   */
  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): boolean;
}

/**
 * Cuts a connection's bytes into frames. A frame that lies whole in a read is passed on where it is; only one that
 * straddles two reads is put together in a buffer of its own. Holds at most one frame, and memory for another.
 */
export class FrameReader {
  /** What the peer sends before its first frame. */
  readonly #preface: Buffer;
  #prefaceBytes = 0;
  /** The start of a frame whose rest has not come: of its header as long as {@link #partialBytes} < 9. */
  #partial: Buffer | null = null;
  #partialBytes = 0;
  /** The frame's length with its header; of the header alone before that is known. */
  #wholeBytes = 0;
  /** For the next large frame that straddles two reads. */
  #spare: Buffer | null = null;
  #readTo = 0;

  /** @param preface of a client, or empty for what a server sends. */
  constructor(preface: Buffer) {
    this.#preface = preface;
  }

  /** Whether the preface has come whole. */
  get prefaceDone(): boolean {
    return this.#prefaceBytes === this.#preface.length;
  }

  /**
   * How much of the last input was read: all of it, unless the sink stopped the reading. The rest is to be pushed
   * again.
   */
  get readTo(): number {
    return this.#readTo;
  }

  /** Reads what has come. @returns null, or what breaks the framing. */
  push(chunk: Buffer, sink: FrameSink): ConnectionProblem | null {
    let at = 0;
    this.#readTo = chunk.length;
    if (!this.prefaceDone) {
      at = this.#takePreface(chunk);
      if (at < 0) return { code: errorCode.protocolError, reason: 'the connection preface is not that of HTTP/2' };
    }
    if (this.#partial !== null) {
      at = this.#complete(this.#partial, chunk, at, sink);
      if (at === TOO_LARGE) return frameTooLarge;
      if (at === STOPPED) return null;
    }
    while (chunk.length - at >= FRAME_HEADER_BYTES) {
      const length = u24(chunk, at);
      if (length > MAX_FRAME_BYTES) return frameTooLarge;
      const start = at + FRAME_HEADER_BYTES;
      const end = start + length;
      if (end > chunk.length) break;
      if (!sink.frame(u8(chunk, at + 3), u8(chunk, at + 4), u31(chunk, at + 5), chunk, start, end)) {
        this.#readTo = end;
        return null;
      }
      at = end;
    }
    if (at < chunk.length) this.#keep(chunk, at);
    return null;
  }

  #takePreface(chunk: Buffer): number {
    const from = this.#prefaceBytes;
    const taken = Math.min(this.#preface.length - from, chunk.length);
    if (this.#preface.compare(chunk, 0, taken, from, from + taken) !== 0) return -1;
    this.#prefaceBytes += taken;
    return taken;
  }

  /** Starts a frame of its own with what is left of a read: less than a header, or less than the frame. */
  #keep(chunk: Buffer, at: number): void {
    const isHeaderWhole = chunk.length - at >= FRAME_HEADER_BYTES;
    this.#partial = this.#room(FRAME_HEADER_BYTES + (isHeaderWhole ? u24(chunk, at) : 0));
    this.#partialBytes = chunk.copy(this.#partial, 0, at);
  }

  /** Memory for a frame of this length. */
  #room(wholeBytes: number): Buffer {
    this.#wholeBytes = wholeBytes;
    if (wholeBytes < MIN_REUSED_BYTES) return Buffer.allocUnsafeSlow(wholeBytes);
    const room = this.#spare ?? Buffer.allocUnsafeSlow(FRAME_HEADER_BYTES + MAX_FRAME_BYTES);
    this.#spare = null;
    return room;
  }

  /** Goes on with a kept frame. @returns where the next frame begins in `chunk`, or one of the two marks. */
  #complete(kept: Buffer, chunk: Buffer, from: number, sink: FrameSink): number {
    let partial = kept;
    let at = from;
    if (this.#partialBytes < FRAME_HEADER_BYTES) {
      at += this.#fill(partial, FRAME_HEADER_BYTES, chunk, at);
      if (this.#partialBytes < FRAME_HEADER_BYTES) return at;
      const length = u24(partial, 0);
      if (length > MAX_FRAME_BYTES) return TOO_LARGE;
      partial = this.#room(FRAME_HEADER_BYTES + length);
      kept.copy(partial, 0, 0, FRAME_HEADER_BYTES);
      this.#partial = partial;
    }
    const wholeBytes = this.#wholeBytes;
    at += this.#fill(partial, wholeBytes, chunk, at);
    if (this.#partialBytes < wholeBytes) return at;
    this.#partial = null;
    this.#partialBytes = 0;
    const goesOn = sink.frame(u8(partial, 3), u8(partial, 4), u31(partial, 5), partial, FRAME_HEADER_BYTES, wholeBytes);
    if (wholeBytes >= MIN_REUSED_BYTES) this.#spare = partial;
    if (goesOn) return at;
    this.#readTo = at;
    return STOPPED;
  }

  #fill(target: Buffer, upTo: number, chunk: Buffer, at: number): number {
    const copied = chunk.copy(
      target,
      this.#partialBytes,
      at,
      at + Math.min(upTo - this.#partialBytes, chunk.length - at),
    );
    this.#partialBytes += copied;
    return copied;
  }
}

const STOPPED = -1;
const TOO_LARGE = -2;
const frameTooLarge: ConnectionProblem = {
  code: errorCode.frameSizeError,
  reason: 'a frame is larger than 16384 octets',
};
