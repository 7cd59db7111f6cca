import { CLIENT_PREFACE, type ErrorCode, FRAME_HEADER_BYTES, frameFlag, frameType } from './frame.ts';
import type { Wire } from './socket-wire.ts';

const BLOCK_BYTES = 16 * 1024;
/** From here on, a view of bytes in the list costs less than a copy of them. */
const MIN_VIEW_BYTES = 4096;
const NOTHING = Buffer.alloc(0);
/** Compressed flag and length before a message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export const MESSAGE_PREFIX_BYTES = 5;

/** Writes frames one behind the other into memory, and all of them to the wire at {@link flush}. */
export class FrameWriter {
  readonly #wire: Wire;
  #block: Buffer = NOTHING;
  #used = 0;
  #full: Buffer[] = [];
  #fullBytes = 0;
  /** Goes before the next header block. */
  #beforeHeaders: Uint8Array;

  /**
   * @param beforeHeaders goes before the first header block: an update of the table's size (RFC 7541 §4.2), or nothing.
   */
  constructor(wire: Wire, beforeHeaders: Uint8Array = NOTHING) {
    this.#wire = wire;
    this.#beforeHeaders = beforeHeaders;
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
    if (!left) this.#block = NOTHING;
    this.#full = [];
    this.#fullBytes = 0;
    this.#used = 0;
  }

  /**
   * A whole side of a unary call: its head, its message, and the trailers, without which the message ends the stream.
   * The message fits one frame.
   */
  unary(streamId: number, head: Uint8Array, message: Uint8Array, trailers: Uint8Array | null): void {
    const dataBytes = MESSAGE_PREFIX_BYTES + message.length;
    const headBytes = this.#beforeHeaders.length + head.length;
    const trailerBytes = trailers === null ? 0 : FRAME_HEADER_BYTES + trailers.length;
    const block = this.#room(2 * FRAME_HEADER_BYTES + headBytes + dataBytes + trailerBytes);
    let at = this.#frame(headBytes, frameType.headers, frameFlag.endHeaders, streamId);
    if (this.#beforeHeaders.length > 0) at = this.#putBeforeHeaders(block, at);
    block.set(head, at);
    this.#used = at + head.length;
    at = this.#frame(dataBytes, frameType.data, trailers === null ? frameFlag.endStream : 0, streamId);
    writePrefix(block, at, message.length);
    block.set(message, at + MESSAGE_PREFIX_BYTES);
    this.#used = at + dataBytes;
    if (trailers === null) return;
    at = this.#frame(trailers.length, frameType.headers, frameFlag.endHeaders | frameFlag.endStream, streamId);
    block.set(trailers, at);
    this.#used = at + trailers.length;
  }

  /** One header block. */
  headers(streamId: number, header: Uint8Array, endStream: boolean): void {
    const length = this.#beforeHeaders.length + header.length;
    const block = this.#room(FRAME_HEADER_BYTES + length);
    const flags = frameFlag.endHeaders | (endStream ? frameFlag.endStream : 0);
    let at = this.#frame(length, frameType.headers, flags, streamId);
    if (this.#beforeHeaders.length > 0) at = this.#putBeforeHeaders(block, at);
    block.set(header, at);
    this.#used = at + header.length;
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

  /** What a client sends before its first frame (RFC 9113 §3.4). */
  preface(): void {
    const block = this.#room(CLIENT_PREFACE.length);
    block.set(CLIENT_PREFACE, this.#used);
    this.#used += CLIENT_PREFACE.length;
  }

  /** The first frame of a connection (RFC 9113 §3.4): settings that differ from HTTP/2's own values. */
  settings(values: readonly (readonly [identifier: number, value: number])[]): void {
    const block = this.#room(FRAME_HEADER_BYTES + 6 * values.length);
    let at = this.#frame(6 * values.length, frameType.settings, 0, 0);
    for (const [identifier, value] of values) {
      at = block.writeUInt16BE(identifier, at);
      at = block.writeUInt32BE(value, at);
    }
    this.#used = at;
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

  #putBeforeHeaders(block: Buffer, at: number): number {
    const { length } = this.#beforeHeaders;
    block.set(this.#beforeHeaders, at);
    this.#beforeHeaders = NOTHING;
    return at + length;
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
