import { answerHead, noTable, okTrailers } from './answer-block.ts';
import { type ErrorCode, FRAME_HEADER_BYTES, frameFlag, frameType, setting } from './frame.ts';
import type { Wire } from './socket-wire.ts';

const BLOCK_BYTES = 16 * 1024;
/** From here on, a view of bytes in the list costs less than a copy of them. */
const MIN_VIEW_BYTES = 4096;
const NO_BLOCK = Buffer.alloc(0);
/** Compressed flag and length before a message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export const MESSAGE_PREFIX_BYTES = 5;

const HEAD_BYTES = FRAME_HEADER_BYTES + answerHead.length;
const TRAILERS_BYTES = FRAME_HEADER_BYTES + okTrailers.length;
/** What a unary answer has around its message. */
const ANSWER_OVERHEAD_BYTES = HEAD_BYTES + FRAME_HEADER_BYTES + MESSAGE_PREFIX_BYTES + TRAILERS_BYTES;

/** Writes frames one behind the other into memory, and all of them to the wire at {@link flush}. */
export class FrameWriter {
  readonly #wire: Wire;
  #block: Buffer = NO_BLOCK;
  #used = 0;
  #full: Buffer[] = [];
  #fullBytes = 0;
  #saidNoTable = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Bytes that {@link flush} would send. */
  get bufferedBytes(): number {
    return this.#fullBytes + this.#used;
  }

  /** Sends what was written. */
  flush(): void {
    if (this.#used === 0 && this.#full.length === 0) return;
    const blocks = this.#full;
    if (this.#used > 0) blocks.push(this.#block.subarray(0, this.#used));
    const left = this.#wire.write(blocks);
    if (!left) this.#block = NO_BLOCK;
    this.#full = [];
    this.#fullBytes = 0;
    this.#used = 0;
  }

  /** A whole unary answer: head, message and `grpc-status: 0`. The message fits one frame. */
  unaryAnswer(streamId: number, message: Uint8Array): void {
    if (!this.#saidNoTable) {
      this.headers(streamId, answerHead, false);
      this.message(streamId, message);
      this.headers(streamId, okTrailers, true);
      return;
    }
    const dataBytes = MESSAGE_PREFIX_BYTES + message.length;
    const block = this.#room(ANSWER_OVERHEAD_BYTES + message.length);
    let at = this.#frame(answerHead.length, frameType.headers, frameFlag.endHeaders, streamId);
    block.set(answerHead, at);
    this.#used = at + answerHead.length;
    at = this.#frame(dataBytes, frameType.data, 0, streamId);
    writePrefix(block, at, message.length);
    block.set(message, at + MESSAGE_PREFIX_BYTES);
    this.#used = at + dataBytes;
    at = this.#frame(okTrailers.length, frameType.headers, frameFlag.endHeaders | frameFlag.endStream, streamId);
    block.set(okTrailers, at);
    this.#used = at + okTrailers.length;
  }

  /** One header block. */
  headers(streamId: number, header: Uint8Array, endStream: boolean): void {
    const extra = this.#saidNoTable ? 0 : 1;
    const length = header.length + extra;
    const block = this.#room(FRAME_HEADER_BYTES + length);
    const flags = frameFlag.endHeaders | (endStream ? frameFlag.endStream : 0);
    const at = this.#frame(length, frameType.headers, flags, streamId);
    if (extra === 1) block[at] = noTable;
    block.set(header, at + extra);
    this.#used = at + length;
    this.#saidNoTable = true;
  }

  /** A message and its prefix in one frame. */
  message(streamId: number, message: Uint8Array): void {
    const length = MESSAGE_PREFIX_BYTES + message.length;
    const block = this.#room(FRAME_HEADER_BYTES + length);
    const at = this.#frame(length, frameType.data, 0, streamId);
    writePrefix(block, at, message.length);
    block.set(message, at + MESSAGE_PREFIX_BYTES);
    this.#used = at + length;
  }

  /** `prefix` and `bytes` in one frame. Large `bytes` are not copied: they must not change before they have left. */
  data(streamId: number, prefix: Uint8Array, bytes: Uint8Array, endStream: boolean): void {
    const length = prefix.length + bytes.length;
    const copied = bytes.length < MIN_VIEW_BYTES ? length : prefix.length;
    const block = this.#room(FRAME_HEADER_BYTES + copied);
    const at = this.#frame(length, frameType.data, endStream ? frameFlag.endStream : 0, streamId);
    block.set(prefix, at);
    if (copied === length) block.set(bytes, at + prefix.length);
    this.#used = at + copied;
    if (copied < length) this.#append(bytes);
  }

  /** The first frame of a connection (RFC 9113 §3.4): what differs from HTTP/2's own values. */
  settings(maxConcurrentStreams: number, maxHeaderListBytes: number): void {
    const block = this.#room(FRAME_HEADER_BYTES + 12);
    let at = this.#frame(12, frameType.settings, 0, 0);
    at = block.writeUInt16BE(setting.maxConcurrentStreams, at);
    at = block.writeUInt32BE(maxConcurrentStreams, at);
    at = block.writeUInt16BE(setting.maxHeaderListSize, at);
    this.#used = block.writeUInt32BE(maxHeaderListBytes, at);
  }

  settingsAck(): void {
    this.#room(FRAME_HEADER_BYTES);
    this.#used = this.#frame(0, frameType.settings, frameFlag.ack, 0);
  }

  /** `bytes[start, start + 8)` is the opaque data. */
  ping(bytes: Uint8Array, start: number, ack: boolean): void {
    const block = this.#room(FRAME_HEADER_BYTES + 8);
    const at = this.#frame(8, frameType.ping, ack ? frameFlag.ack : 0, 0);
    block.set(bytes.subarray(start, start + 8), at);
    this.#used = at + 8;
  }

  windowUpdate(streamId: number, incrementBytes: number): void {
    const block = this.#room(FRAME_HEADER_BYTES + 4);
    this.#used = block.writeUInt32BE(incrementBytes, this.#frame(4, frameType.windowUpdate, 0, streamId));
  }

  rstStream(streamId: number, code: ErrorCode): void {
    const block = this.#room(FRAME_HEADER_BYTES + 4);
    this.#used = block.writeUInt32BE(code, this.#frame(4, frameType.rstStream, 0, streamId));
  }

  goaway(lastStreamId: number, code: ErrorCode, reason: string): void {
    const debug = Buffer.from(reason, 'latin1');
    const block = this.#room(FRAME_HEADER_BYTES + 8 + debug.length);
    let at = this.#frame(8 + debug.length, frameType.goaway, 0, 0);
    at = block.writeUInt32BE(lastStreamId, at);
    at = block.writeUInt32BE(code, at);
    block.set(debug, at);
    this.#used = at + debug.length;
  }

  /** Puts memory of others behind what is used. */
  #append(bytes: Uint8Array): void {
    this.#full.push(this.#block.subarray(0, this.#used));
    this.#full.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#fullBytes += this.#used + bytes.length;
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }

  /** Makes sure of `bytes` in one piece behind what is used. */
  #room(bytes: number): Buffer {
    if (this.#block.length - this.#used >= bytes) return this.#block;
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes));
    this.#used = 0;
    return this.#block;
  }

  /** RFC 9113 §4.1. @returns where the payload goes. */
  #frame(length: number, type: number, flags: number, streamId: number): number {
    const block = this.#block;
    const at = this.#used;
    block[at] = length >> 16;
    block[at + 1] = length >> 8;
    block[at + 2] = length;
    block[at + 3] = type;
    block[at + 4] = flags;
    block[at + 5] = streamId >> 24;
    block[at + 6] = streamId >> 16;
    block[at + 7] = streamId >> 8;
    block[at + 8] = streamId;
    return at + FRAME_HEADER_BYTES;
  }
}

/** Not compressed, and the length. */
function writePrefix(block: Uint8Array, at: number, length: number): void {
  block[at] = 0;
  block[at + 1] = length >> 24;
  block[at + 2] = length >> 16;
  block[at + 3] = length >> 8;
  block[at + 4] = length;
}
