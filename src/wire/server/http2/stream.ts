import type { Call, Method } from '../transport.ts';
import type { TimedCall } from '../../http2/deadlines.ts';
import { FIRST_WINDOW_BYTES } from './first-window.ts';
import type { IndexedStream } from '../../http2/stream-index.ts';
import type { Place } from '../../../base/linked-list.ts';
import type { MessageAssembler } from './message-assembler.ts';
import { type LargeBuffers, MIN_REUSED_BYTES } from './large-buffers.ts';
import type { Holding } from './stalled-first-pool.ts';

/** What an answer still has to send, and how far it is. */
export interface Outgoing {
  /** What goes before the bytes: the prefix of a message, the rest of the answer before it in a stream, or nothing. */
  readonly prefix: Uint8Array;
  readonly bytes: Uint8Array;
  /** Of both. */
  sentBytes: number;
  /** The header block behind the bytes; null while a streaming method may say more. Empty: the bytes end the stream. */
  trailers: Uint8Array | null;
}

/**
 * One stream (RFC 9113 §5.1) and the call on it. A record: {@link Connection} and its parts change it,
 * methods see it as a {@link Call}.
 */
export class Stream implements Call, IndexedStream<Stream>, TimedCall<Stream> {
  readonly id: number;
  nextInSlot: Stream | null = null;
  /** Null when the request names no method; {@link plainStatus} is then its answer. */
  readonly method: Method | null;
  readonly path: string;
  /** The HTTP status for a request that is not gRPC, given at its end; 0 for gRPC. */
  plainStatus = 0;
  /** Of `content-length`, or -1. */
  readonly contentLength: number;
  /** Infinity for none. */
  readonly deadlineAtMs: number;
  deadline: Place<Stream> | null = null;
  readonly traceParent: string | null;
  /** The peer has sent END_STREAM. */
  ended = false;
  /** DATA octets without padding. */
  receivedBytes = 0;
  receiveWindowBytes = FIRST_WINDOW_BYTES;
  /**
   * The peer's window for us, relative to the one that it gives every stream at first: a change of that touches no
   * stream.
   */
  sendOffsetBytes = 0;
  /** Made only for a message that does not come whole in one frame with END_STREAM. */
  assembler: MessageAssembler | null = null;
  /**
   * Where the message is put together when it does not come whole in one frame; others get it when the call is over.
   */
  memory: Buffer | null = null;
  /** What {@link takeMemory} took; others get it when the answer has left. */
  answerMemory: Buffer | null = null;
  /**
   * What {@link MessageMemory} counts: held by the method, the length of a large message that may come, memory for what
   * came of it.
   */
  runningBytes = 0;
  turnBytes = 0;
  largeBytes = 0;
  /** Length of a large message that has not asked for its turn, or 0. */
  awaitedBytes = 0;
  /** How much of a large message had come when it last went on as it should, and when. */
  turnReceivedBytes = 0;
  turnProgressAtMs = 0;
  /** Stops waiting for the turn of a large message. */
  stopWaiting: (() => void) | null = null;
  /** A method works on it and has not given its answer. Stays true after {@link closed} until it does. */
  running = false;
  /** How {@link OpenCalls} counts it. */
  held: 'no' | Place<OpenCall> | 'watch' = 'no';
  /** What it holds of the memory for half-received messages, and of that for answers that wait. */
  partHolding: Holding | null = null;
  answerHolding: Holding | null = null;
  /** The answer's head was sent. */
  answering = false;
  outgoing: Outgoing | null = null;
  /** Where it waits in {@link AnswerSender}. */
  waiting: Place<Stream> | null = null;
  /** When it last made progress, as the sweep sees it. */
  progressAtMs: number;
  closed = false;
  readonly #buffers: LargeBuffers | null;
  #cancelled = false;
  #abort: AbortController | null = null;

  constructor(init: {
    readonly id: number;
    readonly method: Method | null;
    readonly path: string;
    readonly contentLength: number;
    readonly timeoutMs: number;
    readonly traceParent: string | null;
    readonly nowMs: number;
    readonly buffers?: LargeBuffers;
  }) {
    this.id = init.id;
    this.method = init.method;
    this.path = init.path;
    this.contentLength = init.contentLength;
    this.deadlineAtMs = init.nowMs + init.timeoutMs;
    this.traceParent = init.traceParent;
    this.progressAtMs = init.nowMs;
    this.#buffers = init.buffers ?? null;
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#cancelled) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  takeMemory(bytes: number): Buffer {
    if (this.#buffers === null || bytes < MIN_REUSED_BYTES || this.answerMemory !== null) {
      return Buffer.allocUnsafe(bytes);
    }
    this.answerMemory = this.#buffers.take(bytes);
    return this.answerMemory;
  }

  /** Signals to the method that no caller waits any more. Only the first call has an effect. */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#abort?.abort();
  }
}

/** The calls of one connection, as the server asks them to make room. */
export interface CallOwner {
  /** Ends a call that no method works on. */
  giveUp(stream: Stream): void;
}

/** A call that counts. */
export interface OpenCall {
  readonly stream: Stream;
  readonly owner: CallOwner;
}
