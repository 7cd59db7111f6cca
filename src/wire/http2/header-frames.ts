import { type ErrorCode, errorCode, frameFlag } from './frame.ts';
import { u31, u8 } from './octets.ts';

/** SETTINGS_HEADER_TABLE_SIZE, which we leave as it is (RFC 9113 §6.5.2). */
export const HEADER_TABLE_BYTES = 4096;

/** What the flags of HEADERS put before the block (RFC 9113 §6.2). */
const PADDING_BYTES = 1;
const PRIORITY_BYTES = 5;

/** What one header block may take; more ends the connection (CVE-2024-27316 and its like). */
export interface HeaderBlockLimits {
  /** Compressed size of one header block over all its frames. */
  readonly maxHeaderBlockBytes: number;
  /** Frames of one header block. */
  readonly maxHeaderBlockFrames: number;
}

/** Where header blocks arrive: a connection, which ends on a breach. */
export interface HeaderFramesConduct {
  /** The time of the input that is being worked on. */
  readonly nowMs: number;
  /** A connection error (RFC 9113 §5.4.1). */
  breach(code: ErrorCode, reason: string): false;
}

/** Gets whole header blocks, in order. */
export interface HeaderBlockSink {
  /** The block is `bytes[start, end)`. */
  headerBlock(streamId: number, endStream: boolean, bytes: Buffer, start: number, end: number): void;
}

/** A header block whose frames are still coming (RFC 9113 §4.3): nothing else may come in between. */
interface UnfinishedBlock {
  readonly streamId: number;
  readonly endStream: boolean;
  readonly startedAtMs: number;
  readonly parts: Buffer[];
  bytes: number;
}

/** Puts the header blocks of a connection together from HEADERS and CONTINUATION (RFC 9113 §6.2, §6.10). */
export class HeaderFrames {
  readonly #limits: HeaderBlockLimits;
  readonly #conduct: HeaderFramesConduct;
  readonly #sink: HeaderBlockSink;
  #block: UnfinishedBlock | null = null;

  constructor(limits: HeaderBlockLimits, conduct: HeaderFramesConduct, sink: HeaderBlockSink) {
    this.#limits = limits;
    this.#conduct = conduct;
    this.#sink = sink;
  }

  /** When the header block began whose end has not come, or null. */
  get unfinishedSinceMs(): number | null {
    return this.#block?.startedAtMs ?? null;
  }

  /** RFC 9113 §6.2. The caller has judged the stream. */
  headers(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    let from = start;
    let to = end;
    if ((flags & frameFlag.padded) !== 0) {
      from += PADDING_BYTES;
      to -= u8(bytes, start);
    }
    const isPrioritized = (flags & frameFlag.priority) !== 0;
    if (isPrioritized) from += PRIORITY_BYTES;
    // Before the priority is looked at, which may lie behind the frame.
    if (to < from) {
      this.#conduct.breach(errorCode.protocolError, 'HEADERS is all padding and more');
      return;
    }
    if (isPrioritized && u31(bytes, from - PRIORITY_BYTES) === streamId) {
      this.#conduct.breach(errorCode.protocolError, 'a stream depends on itself');
      return;
    }
    const endStream = (flags & frameFlag.endStream) !== 0;
    if ((flags & frameFlag.endHeaders) !== 0) {
      this.#sink.headerBlock(streamId, endStream, bytes, from, to);
      return;
    }
    this.#block = { streamId, endStream, startedAtMs: this.#conduct.nowMs, parts: [], bytes: 0 };
    this.#fragment(this.#block, bytes, from, to);
  }

  /** RFC 9113 §6.10. */
  continuation(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const block = this.#block;
    if (block === null || block.streamId !== streamId) {
      this.#conduct.breach(errorCode.protocolError, 'CONTINUATION continues nothing');
      return;
    }
    if (!this.#fragment(block, bytes, start, end) || (flags & frameFlag.endHeaders) === 0) return;
    this.#block = null;
    const whole = Buffer.concat(block.parts, block.bytes);
    this.#sink.headerBlock(streamId, block.endStream, whole, 0, whole.length);
  }

  /** Takes a fragment (copied: the memory that it lies in is the next read's). */
  #fragment(block: UnfinishedBlock, bytes: Buffer, start: number, end: number): boolean {
    block.parts.push(Buffer.from(bytes.subarray(start, end)));
    block.bytes += end - start;
    const { maxHeaderBlockBytes, maxHeaderBlockFrames } = this.#limits;
    return (
      (block.bytes <= maxHeaderBlockBytes && block.parts.length <= maxHeaderBlockFrames) ||
      this.#conduct.breach(errorCode.enhanceYourCalm, 'a header block is too large')
    );
  }
}
