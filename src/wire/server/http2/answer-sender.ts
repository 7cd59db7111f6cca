import type { GrpcFailure } from '../transport.ts';
import { acceptsIdentity, answerHead, failureTrailers, okTrailers, plainHead } from './answer-block.ts';
import { CRUMB_BYTES } from '../../http2/flood-guard.ts';
import { errorCode, INITIAL_WINDOW_BYTES, MAX_FRAME_BYTES, MAX_WINDOW_BYTES } from '../../http2/frame.ts';
import { type FrameWriter, MESSAGE_PREFIX_BYTES } from '../../http2/frame-writer.ts';
import { compressedMessage } from './message-assembler.ts';
import { LinkedList } from '../../../base/linked-list.ts';
import type { StalledFirstShare } from './stalled-first-pool.ts';
import type { Outgoing, Stream } from './stream.ts';

/** What the sender needs of its connection. */
export interface SenderHost {
  /** The answer is complete: the stream is over. */
  answered(stream: Stream): void;
  /** The stream cannot go on: RST_STREAM with this code. */
  abort(stream: Stream, code: (typeof errorCode)['enhanceYourCalm' | 'cancel']): void;
  /**
   * Charges the peer for what its windows make us do. @returns false: the connection is over, and so are its streams.
   */
  spendWindowSteps(steps: number): boolean;
  /** Whether more may be written now; when that changes, {@link AnswerSender.pump} is called. */
  readonly writable: boolean;
  readonly nowMs: number;
}

/**
 * Sends the answers of a connection within the peer's flow-control windows (RFC 9113 §5.2, §6.9).
 *
 * However many answers wait, a frame of the peer makes us look at those only that it lets go on. What goes beyond that,
 * a look at a stream that cannot go on, and a crumb sent, is a window step, and charged (see `limits.ts`).
 */
export class AnswerSender {
  readonly #writer: FrameWriter;
  readonly #host: SenderHost;
  readonly #pool: StalledFirstShare;
  /**
   * Streams with bytes that wait for the connection's window or for the wire, in the order in which they are served.
   */
  readonly #ready = new LinkedList<Stream>();
  /** Streams with bytes whose own window is closed. */
  readonly #blocked = new LinkedList<Stream>();
  #windowBytes = INITIAL_WINDOW_BYTES;
  /** What the peer gives every new stream (SETTINGS_INITIAL_WINDOW_SIZE). */
  #initialWindowBytes = INITIAL_WINDOW_BYTES;
  /** No stream's {@link Stream.sendOffsetBytes} is higher. */
  #highestOffsetBytes = 0;
  /** {@link #initialWindowBytes} has grown since the blocked streams were looked at. */
  #grown = false;

  constructor(writer: FrameWriter, pool: StalledFirstShare, host: SenderHost) {
    this.#writer = writer;
    this.#pool = pool;
    this.#host = host;
  }

  /** The answer of a unary call. */
  unary(stream: Stream, message: Uint8Array): void {
    const bytes = MESSAGE_PREFIX_BYTES + message.length;
    if (
      bytes <= MAX_FRAME_BYTES &&
      bytes <= this.#windowOf(stream) &&
      bytes <= this.#windowBytes &&
      this.#host.writable
    ) {
      this.#windowBytes -= bytes;
      this.#writer.unary(stream.id, answerHead, message, okTrailers);
      this.#ended(stream);
      return;
    }
    this.#head(stream);
    this.#enqueue(stream, { prefix: messagePrefix(message.length), bytes: message, trailers: okTrailers });
  }

  /** One more answer of a streaming call; it takes the place of one that waits and was not begun. */
  streamed(stream: Stream, message: Uint8Array): void {
    this.#head(stream);
    const waiting = stream.outgoing;
    const { progressAtMs } = stream;
    this.#leave(stream);
    const bytes = Buffer.concat([messagePrefix(message.length), message]);
    this.#enqueue(stream, { prefix: waiting === null ? EMPTY : restOfBegun(waiting), bytes, trailers: null });
    // What is new does not make up for a peer that does not read.
    if (waiting !== null && stream.outgoing !== null) stream.progressAtMs = progressAtMs;
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
    const wasClosed = this.#windowBytes <= 0; // else each stream that waits does so for a window of its own
    this.#windowBytes += incrementBytes;
    if (this.#windowBytes > MAX_WINDOW_BYTES) return false;
    if (wasClosed) this.pump();
    return true;
  }

  /** WINDOW_UPDATE of a stream. @returns false when the window would be too large. */
  widenStream(stream: Stream, incrementBytes: number): boolean {
    stream.sendOffsetBytes += incrementBytes;
    const windowBytes = this.#windowOf(stream);
    if (windowBytes > MAX_WINDOW_BYTES) return false;
    this.#highestOffsetBytes = Math.max(this.#highestOffsetBytes, stream.sendOffsetBytes);
    if (windowBytes > 0 && stream.waiting !== null && this.#blocked.remove(stream.waiting)) {
      stream.waiting = this.#ready.append(stream);
      this.pump();
    }
    return true;
  }

  /**
   * SETTINGS_INITIAL_WINDOW_SIZE moves the windows of all streams (RFC 9113 §6.9.2); {@link settingsChanged} sends what
   * that lets through. @returns false when one would be too large.
   */
  changeInitialWindow(bytes: number, streams: Iterable<Stream>): boolean {
    if (bytes + this.#highestOffsetBytes > MAX_WINDOW_BYTES && !this.#findHighestOffset(streams)) return true;
    if (bytes + this.#highestOffsetBytes > MAX_WINDOW_BYTES) return false;
    if (bytes > this.#initialWindowBytes) this.#grown = true;
    this.#initialWindowBytes = bytes;
    return true;
  }

  /** Call when all settings of a frame are in force, and acknowledged. */
  settingsChanged(): void {
    if (!this.#grown) return;
    this.#grown = false;
    let stillBlocked = 0;
    for (const stream of this.#blocked.values()) {
      if (this.#windowOf(stream) > 0) this.#wait(stream);
      else stillBlocked++;
    }
    if (this.#host.spendWindowSteps(stillBlocked)) this.pump();
  }

  /** The stream is gone; nothing more is sent on it. */
  drop(stream: Stream): void {
    this.#leave(stream);
  }

  /** Sends what the windows let through: a frame of each stream in turn. */
  pump(): void {
    while (this.#ready.first !== null && this.#windowBytes > 0 && this.#host.writable) {
      this.#step(this.#ready.first.value);
    }
  }

  #head(stream: Stream): void {
    if (stream.answering) return;
    stream.answering = true;
    this.#writer.headers(stream.id, answerHead, false);
  }

  #enqueue(stream: Stream, answer: Omit<Outgoing, 'sentBytes'>): void {
    const held = this.#pool.set(stream, stream.answerHolding, sizeOf(answer));
    if (held === null) {
      this.#host.abort(stream, errorCode.enhanceYourCalm);
      return;
    }
    stream.answerHolding = held;
    stream.outgoing = { ...answer, sentBytes: 0 };
    stream.progressAtMs = this.#host.nowMs;
    this.#wait(stream);
    this.pump();
  }

  /** Sends one frame of a ready stream, which then goes to the end of its queue. */
  #step(stream: Stream): void {
    const { outgoing } = stream;
    if (outgoing === null) {
      this.#stopWaiting(stream);
      return;
    }
    const { sentBytes } = outgoing;
    const size = sizeOf(outgoing);
    const length = Math.min(size - sentBytes, MAX_FRAME_BYTES, this.#windowOf(stream), this.#windowBytes);
    if (length <= 0) {
      this.#wait(stream);
      this.#host.spendWindowSteps(1);
      return;
    }
    const end = sentBytes + length;
    const last = end === size;
    const endStream = last && outgoing.trailers === EMPTY;
    const [prefix, bytes] = unsentParts(outgoing, end);
    this.#writer.data(stream.id, prefix, bytes, endStream);
    outgoing.sentBytes = end;
    stream.sendOffsetBytes -= length;
    this.#windowBytes -= length;
    stream.progressAtMs = this.#host.nowMs;
    if (!last) {
      this.#wait(stream);
      stream.answerHolding = this.#pool.set(stream, stream.answerHolding, size);
      if (length < CRUMB_BYTES) this.#host.spendWindowSteps(1);
      return;
    }
    this.#leave(stream);
    if (outgoing.trailers === null) return;
    if (!endStream) this.#writer.headers(stream.id, outgoing.trailers, true);
    this.#ended(stream);
  }

  #windowOf(stream: Stream): number {
    return this.#initialWindowBytes + stream.sendOffsetBytes;
  }

  /** Puts a stream with bytes where it belongs, behind those that are there. */
  #wait(stream: Stream): void {
    this.#stopWaiting(stream);
    stream.waiting = (this.#windowOf(stream) > 0 ? this.#ready : this.#blocked).append(stream);
  }

  /**
   * Streams with a high offset may be gone: looks at all that there are, at the peer's cost. @returns false: it cannot
   * pay.
   */
  #findHighestOffset(streams: Iterable<Stream>): boolean {
    let looks = 0;
    this.#highestOffsetBytes = 0;
    for (const { sendOffsetBytes } of streams) {
      looks++;
      this.#highestOffsetBytes = Math.max(this.#highestOffsetBytes, sendOffsetBytes);
    }
    return this.#host.spendWindowSteps(looks);
  }

  #leave(stream: Stream): void {
    if (stream.outgoing === null) return;
    this.#stopWaiting(stream);
    if (stream.answerHolding !== null) this.#pool.release(stream.answerHolding);
    stream.answerHolding = null;
    stream.outgoing = null;
  }

  #stopWaiting(stream: Stream): void {
    if (stream.waiting !== null && !this.#ready.remove(stream.waiting)) this.#blocked.remove(stream.waiting);
    stream.waiting = null;
  }

  #ended(stream: Stream): void {
    // The peer need not go on sending what is not read (RFC 9113 §8.1).
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

/** What is left of the streamed answer of which a part was sent: the one in `prefix`, or else the one in `bytes`. */
function restOfBegun({ prefix, bytes, sentBytes }: Outgoing): Uint8Array {
  if (sentBytes < prefix.length) return prefix.subarray(sentBytes);
  return sentBytes === prefix.length ? EMPTY : bytes.subarray(sentBytes - prefix.length);
}

function messagePrefix(messageBytes: number): Buffer {
  const prefix = Buffer.alloc(MESSAGE_PREFIX_BYTES);
  prefix.writeUInt32BE(messageBytes, 1);
  return prefix;
}
