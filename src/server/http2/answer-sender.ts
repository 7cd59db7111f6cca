import type { GrpcFailure } from '../transport.ts';
import { acceptsIdentity, answerHead, failureTrailers, okTrailers, plainHead } from './answer-block.ts';
import { errorCode, INITIAL_WINDOW_BYTES, MAX_FRAME_BYTES, MAX_WINDOW_BYTES } from './frame.ts';
import { type FrameWriter, MESSAGE_PREFIX_BYTES } from './frame-writer.ts';
import type { PoolShare } from './memory-pool.ts';
import { compressedMessage } from './message-assembler.ts';
import type { Outgoing, Stream } from './stream.ts';

/** What the sender needs of its connection. */
export interface SenderHost {
  /** The answer is complete: the stream is over. */
  answered(stream: Stream): void;
  /** The stream cannot go on: RST_STREAM with this code. */
  abort(stream: Stream, code: (typeof errorCode)['enhanceYourCalm' | 'cancel']): void;
  /** Whether more may be written now; when that changes, {@link AnswerSender.pump} is called. */
  readonly writable: boolean;
  readonly nowMs: number;
}

/** Sends the answers of a connection within the peer's flow-control windows (RFC 9113 §5.2, §6.9). */
export class AnswerSender {
  readonly #writer: FrameWriter;
  readonly #host: SenderHost;
  readonly #pool: PoolShare;
  /** Streams with bytes that wait for a window or for the wire, in the order in which they began to wait. */
  readonly #waiting = new Set<Stream>();
  #windowBytes = INITIAL_WINDOW_BYTES;
  /** What the peer gives every new stream (SETTINGS_INITIAL_WINDOW_SIZE). */
  #initialWindowBytes = INITIAL_WINDOW_BYTES;

  constructor(writer: FrameWriter, pool: PoolShare, host: SenderHost) {
    this.#writer = writer;
    this.#pool = pool;
    this.#host = host;
  }

  get initialWindowBytes(): number {
    return this.#initialWindowBytes;
  }

  /** The answer of a unary call. */
  unary(stream: Stream, message: Uint8Array): void {
    const bytes = MESSAGE_PREFIX_BYTES + message.length;
    if (
      bytes <= MAX_FRAME_BYTES &&
      bytes <= stream.sendWindowBytes &&
      bytes <= this.#windowBytes &&
      this.#host.writable
    ) {
      this.#windowBytes -= bytes;
      this.#writer.unaryAnswer(stream.id, message);
      this.#ended(stream);
      return;
    }
    this.#head(stream);
    this.#enqueue(stream, { prefix: messagePrefix(message.length), bytes: message, trailers: okTrailers });
  }

  /** One more answer of a streaming call. */
  streamed(stream: Stream, message: Uint8Array): void {
    this.#head(stream);
    const waiting = stream.outgoing;
    const rest = waiting === null ? EMPTY : Buffer.concat(unsentParts(waiting, sizeOf(waiting)));
    this.#leave(stream);
    const bytes = Buffer.concat([rest, messagePrefix(message.length), message]);
    this.#enqueue(stream, { prefix: EMPTY, bytes, trailers: null });
  }

  /** Ends a call with a status, behind whatever it has sent. */
  fail(stream: Stream, failure: GrpcFailure): void {
    const trailers = failureTrailers(failure);
    if (stream.outgoing !== null) {
      stream.outgoing.trailers = trailers;
      return;
    }
    const blocks = stream.answering ? [trailers] : [answerHead, trailers];
    if (failure === compressedMessage) blocks.push(acceptsIdentity);
    this.#writer.headers(stream.id, Buffer.concat(blocks), true);
    this.#ended(stream);
  }

  /** Answers what is no gRPC request, in words. */
  plain(stream: Stream, status: number, text: string): void {
    this.#writer.headers(stream.id, plainHead(status), false);
    stream.answering = true;
    this.#enqueue(stream, { prefix: EMPTY, bytes: Buffer.from(text, 'utf8'), trailers: EMPTY });
  }

  /** WINDOW_UPDATE of the connection. @returns false when the window would be too large. */
  widen(incrementBytes: number): boolean {
    const wasClosed = this.#windowBytes <= 0; // else whoever waits does so for a window of its own
    this.#windowBytes += incrementBytes;
    if (this.#windowBytes > MAX_WINDOW_BYTES) return false;
    if (wasClosed) this.pump();
    return true;
  }

  /** WINDOW_UPDATE of a stream. @returns false when the window would be too large. */
  widenStream(stream: Stream, incrementBytes: number): boolean {
    stream.sendWindowBytes += incrementBytes;
    if (stream.sendWindowBytes > MAX_WINDOW_BYTES) return false;
    while (stream.outgoing !== null && this.#host.writable && this.#step(stream));
    return true;
  }

  /** SETTINGS_INITIAL_WINDOW_SIZE moves the windows of all streams (RFC 9113 §6.9.2); {@link pump} sends what that lets through. @returns false when one would be too large. */
  changeInitialWindow(bytes: number, streams: Iterable<Stream>): boolean {
    const difference = bytes - this.#initialWindowBytes;
    this.#initialWindowBytes = bytes;
    for (const stream of streams) {
      stream.sendWindowBytes += difference;
      if (stream.sendWindowBytes > MAX_WINDOW_BYTES) return false;
    }
    return true;
  }

  /** The stream is gone; nothing more is sent on it. */
  drop(stream: Stream): void {
    this.#leave(stream);
  }

  /** Sends what the windows let through: a frame of each stream in turn. */
  pump(): void {
    let moved = true;
    while (moved && this.#waiting.size > 0 && this.#windowBytes > 0) {
      moved = false;
      for (const stream of this.#waiting) {
        if (!this.#host.writable) return;
        if (this.#step(stream)) moved = true;
      }
    }
  }

  #head(stream: Stream): void {
    if (stream.answering) return;
    stream.answering = true;
    this.#writer.headers(stream.id, answerHead, false);
  }

  #enqueue(stream: Stream, answer: Omit<Outgoing, 'sentBytes'>): void {
    if (!this.#pool.tryHold(sizeOf(answer))) {
      this.#host.abort(stream, errorCode.enhanceYourCalm);
      return;
    }
    stream.outgoing = { ...answer, sentBytes: 0 };
    stream.progressAtMs = this.#host.nowMs;
    this.#waiting.add(stream);
    this.pump();
  }

  /** Sends one frame of a stream if its window lets it. @returns whether it did. */
  #step(stream: Stream): boolean {
    const { outgoing } = stream;
    if (outgoing === null) return false;
    const { sentBytes } = outgoing;
    const size = sizeOf(outgoing);
    const length = Math.min(size - sentBytes, MAX_FRAME_BYTES, stream.sendWindowBytes, this.#windowBytes);
    if (length <= 0) return false;
    const end = sentBytes + length;
    const last = end === size;
    const endStream = last && outgoing.trailers === EMPTY;
    const [prefix, bytes] = unsentParts(outgoing, end);
    this.#writer.data(stream.id, prefix, bytes, endStream);
    outgoing.sentBytes = end;
    stream.sendWindowBytes -= length;
    this.#windowBytes -= length;
    stream.progressAtMs = this.#host.nowMs;
    if (!last) return true;
    this.#leave(stream);
    if (outgoing.trailers === null) return true;
    if (!endStream) this.#writer.headers(stream.id, outgoing.trailers, true);
    this.#ended(stream);
    return true;
  }

  #leave(stream: Stream): void {
    if (stream.outgoing === null) return;
    this.#waiting.delete(stream);
    this.#pool.release(sizeOf(stream.outgoing));
    stream.outgoing = null;
  }

  #ended(stream: Stream): void {
    // The peer need not go on sending what nobody reads (RFC 9113 §8.1).
    if (!stream.ended) this.#writer.rstStream(stream.id, errorCode.noError);
    this.#host.answered(stream);
  }
}

/** Trailers of an answer that has none. */
const EMPTY = new Uint8Array(0);

function sizeOf({ prefix, bytes }: Pick<Outgoing, 'prefix' | 'bytes'>): number {
  return prefix.length + bytes.length;
}

/** What was not sent of the prefix and of the bytes, up to `end` of both. */
function unsentParts({ prefix, bytes, sentBytes }: Outgoing, end: number): [Uint8Array, Uint8Array] {
  const before = prefix.length;
  return [prefix.subarray(sentBytes, end), bytes.subarray(Math.max(0, sentBytes - before), Math.max(0, end - before))];
}

function messagePrefix(messageBytes: number): Buffer {
  const prefix = Buffer.alloc(MESSAGE_PREFIX_BYTES);
  prefix.writeUInt32BE(messageBytes, 1);
  return prefix;
}
