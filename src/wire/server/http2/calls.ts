import { type GrpcFailure, grpcStatus, tooManyWatches, type UnaryAnswer } from '../transport.ts';
import { AnswerSender, type SenderHost } from './answer-sender.ts';
import {
  deadlineExceeded,
  internal,
  malformedTimeout,
  noMemory,
  plainTexts,
  stalled,
  stopping,
} from './call-failures.ts';
import type { Conduct } from './conduct.ts';
import { Deadlines } from '../../http2/deadlines.ts';
import { type ErrorCode, errorCode } from '../../http2/frame.ts';
import { MESSAGE_PREFIX_BYTES } from '../../http2/frame-writer.ts';
import { MAX_SMALL_MESSAGE_BYTES } from './first-window.ts';
import { MessageMemory, MIN_HELD_BYTES } from './message-memory.ts';
import { MessageAssembler, type MessageRoom, noMessage, refusePrefix } from './message-assembler.ts';
import { u32, u8 } from '../../http2/octets.ts';
import type { Output } from './output.ts';
import { type CallOwner, Stream } from './stream.ts';
import type { RequestHead } from './request-head.ts';
import type { ServerContext } from './server-context.ts';
import { StreamTable } from './stream-table.ts';

/** How much of a request's body is awaited before it is refused without having ended. */
const MAX_IGNORED_BYTES = 16 * 1024;
/** Window left behind a large message, so that a second one is seen and refused instead of waited for. */
const BEYOND_MESSAGE_BYTES = 16 * 1024;

/**
 * The calls of one connection: from a request's head and DATA to the method, and from its answer to the sender.
 * A message that comes whole in one frame is copied once, as one that comes in parts is.
 */
export class Calls implements SenderHost, CallOwner {
  readonly table = new StreamTable();
  readonly sender: AnswerSender;
  readonly #context: ServerContext;
  readonly #output: Output;
  readonly #conduct: Conduct;
  readonly #memory: MessageMemory;
  readonly #deadlines: Deadlines<Stream>;
  /** Streams opened by the input that is being worked on: those that outlive it count, and may have a deadline. */
  readonly #fresh: Stream[] = [];
  #watches = 0;
  #answeredAtMs: number | null = null;
  #stopping = false;

  constructor(context: ServerContext, output: Output, conduct: Conduct) {
    this.#context = context;
    this.#output = output;
    this.#conduct = conduct;
    this.#memory = new MessageMemory(context, (stream) => {
      this.#conduct.lacksMemory('half-received');
      this.sender.fail(stream, noMemory);
      stream.cancel();
      this.#output.wrote();
    });
    this.#deadlines = new Deadlines(context.clock, context.startTimer, (stream) => {
      this.#expire(stream, deadlineExceeded);
    });
    const answers = context.answerPool.share((stream) => {
      this.abort(stream, errorCode.enhanceYourCalm);
      this.#output.wrote();
    });
    this.sender = new AnswerSender(output.writer, answers, this);
  }

  get writable(): boolean {
    return this.#output.writable;
  }

  get nowMs(): number {
    return this.#conduct.nowMs;
  }

  /** When the last call was answered, in milliseconds since the epoch; null when none was. */
  get answeredAtMs(): number | null {
    return this.#answeredAtMs;
  }

  /** A request's head is complete and well-formed. */
  open(id: number, head: RequestHead, endStream: boolean): void {
    const grpc = isGrpc(head.contentType);
    const method = this.#context.methods.get(head.path) ?? null;
    // The peer's text is not kept with the call; a known path is no longer than ours.
    const path = method === null ? '' : head.path;
    const stream = new Stream({
      id,
      method,
      path,
      contentLength: head.contentLength,
      timeoutMs: head.timeoutMs,
      traceParent: head.traceParent,
      nowMs: this.#conduct.nowMs,
      buffers: this.#context.largeBuffers,
    });
    this.table.open(stream);
    if (head.tooLarge) stream.plainStatus = 431;
    else if (!grpc) stream.plainStatus = 415;
    else if (head.method !== 'POST') stream.plainStatus = 405;
    else if (Number.isNaN(head.timeoutMs)) {
      stream.ended = endStream;
      this.sender.fail(stream, malformedTimeout);
      return;
    } else if (method === null) {
      stream.ended = endStream;
      this.sender.fail(stream, { status: grpcStatus.unimplemented, message: `unknown method ${head.path}` });
      return;
    }
    this.#fresh.push(stream);
    if (endStream) this.end(stream);
  }

  /** DATA without its padding. The flow-control windows have been looked after. */
  data(stream: Stream, bytes: Buffer, start: number, end: number, endStream: boolean): void {
    const length = end - start;
    stream.receivedBytes += length;
    stream.progressAtMs = this.#conduct.nowMs;
    if (stream.contentLength >= 0 && stream.receivedBytes > stream.contentLength) {
      this.reset(stream, errorCode.protocolError);
      return;
    }
    if (stream.plainStatus !== 0 || stream.method === null) {
      if (endStream) this.end(stream);
      else if (stream.receivedBytes > MAX_IGNORED_BYTES) this.#plain(stream);
      return;
    }
    if (endStream && stream.assembler === null && length >= MESSAGE_PREFIX_BYTES) {
      const messageBytes = u32(bytes, start + 1);
      const rightLength = stream.contentLength < 0 || stream.receivedBytes === stream.contentLength;
      if (messageBytes === length - MESSAGE_PREFIX_BYTES && rightLength) {
        stream.ended = true;
        const refused = refusePrefix(u8(bytes, start), messageBytes, stream.method.maxMessageBytes);
        if (refused === null) {
          const message = Buffer.allocUnsafe(messageBytes);
          bytes.copy(message, 0, start + MESSAGE_PREFIX_BYTES, end);
          this.#run(stream, message);
        } else this.sender.fail(stream, refused);
        return;
      }
    }
    stream.assembler ??= new MessageAssembler(stream.method.maxMessageBytes, this.#roomOf(stream));
    const refused = stream.assembler.push(bytes, start, end);
    if (refused !== null) {
      stream.ended = endStream;
      if (refused === noMemory) this.#conduct.lacksMemory('half-received');
      this.sender.fail(stream, refused);
    } else if (endStream) this.end(stream);
    else this.#askTurn(stream);
  }

  /** END_STREAM: the request is complete (RFC 9113 §8.1.1: `content-length` must have been true). */
  end(stream: Stream): void {
    stream.ended = true;
    if (stream.contentLength >= 0 && stream.receivedBytes !== stream.contentLength) {
      this.reset(stream, errorCode.protocolError);
      return;
    }
    if (stream.plainStatus !== 0 || stream.method === null) {
      this.#plain(stream);
      return;
    }
    const message = stream.assembler?.finish() ?? noMessage;
    stream.assembler = null;
    this.#memory.arrived(stream);
    if ('status' in message) this.sender.fail(stream, message);
    else this.#run(stream, message);
  }

  /** A stream error of the peer's (RFC 9113 §5.4.2). */
  reset(stream: Stream, code: ErrorCode): void {
    this.#output.writer.rstStream(stream.id, code);
    this.drop(stream, true);
  }

  /** The call is over without an answer. @param reset whether we ended it, so that more of it may come. */
  drop(stream: Stream, reset: boolean): void {
    this.#close(stream, reset);
    stream.cancel();
  }

  /** The connection is over. */
  dropAll(): void {
    for (const stream of this.table.inOrder()) this.drop(stream, false);
    this.#deadlines.stop();
  }

  /** Call when the input at hand has been worked on. */
  settle(): void {
    if (this.#fresh.length === 0) return;
    const fresh = this.#fresh;
    for (const stream of fresh) {
      if (stream.held === 'no' && (stream.running || !stream.closed)) this.#context.openCalls.add(stream, this);
      if (!stream.closed && stream.deadlineAtMs !== Infinity) this.#deadlines.add(stream);
    }
    // Not by setting `length`, which V8 leaves to native code.
    while (fresh.length > 0) fresh.pop();
  }

  /** Ends what makes no progress. */
  sweep(nowMs: number): void {
    const { receiveStallMs, sendStallMs } = this.#context.limits;
    for (const stream of this.table.inOrder()) {
      const stalledMs = nowMs - stream.progressAtMs;
      if (!stream.ended && stalledMs > receiveStallMs) this.#expire(stream, stalled);
      else if (!stream.ended && this.#blocksOthers(stream, nowMs)) this.#expire(stream, noMemory);
      else if (stream.outgoing !== null && stalledMs > sendStallMs) this.reset(stream, errorCode.cancel);
    }
  }

  /**
   * For {@link OpenCalls}: REFUSED_STREAM lets the peer try elsewhere (RFC 9113 §8.7), unless a method has already
   * answered.
   */
  giveUp(stream: Stream): void {
    this.reset(stream, stream.answering ? errorCode.cancel : errorCode.refusedStream);
    this.#output.wrote();
  }

  /** Sends callers of streaming methods elsewhere; the others get their answers. */
  stop(): void {
    this.#stopping = true;
    for (const stream of this.table.inOrder()) {
      if (stream.method?.kind === 'stream' && stream.ended) this.sender.fail(stream, stopping);
    }
  }

  /** For the sender: there is no memory for the answer. */
  abort(stream: Stream, code: ErrorCode): void {
    this.#conduct.lacksMemory('answers');
    this.reset(stream, code);
  }

  /** For the sender. */
  spendWindowSteps(steps: number): boolean {
    return this.#conduct.spendWindowSteps(steps);
  }

  /** For the sender: the answer was written to its end. */
  answered(stream: Stream): void {
    this.#close(stream, !stream.ended);
    if (stream.method?.kind === 'stream') stream.cancel();
    this.#answeredAtMs = this.#conduct.nowMs;
    this.#conduct.answered();
  }

  #plain(stream: Stream): void {
    this.sender.plain(stream, stream.plainStatus, plainTexts[stream.plainStatus] ?? '');
  }

  /** Memory for what comes of a message, and a turn for one that is longer than the first window. */
  #roomOf(stream: Stream): MessageRoom {
    return {
      announced: (length) => {
        if (length <= MAX_SMALL_MESSAGE_BYTES) return;
        stream.awaitedBytes = length;
        this.#askTurn(stream);
      },
      grow: (filled, neededBytes, length) => this.#memory.grow(stream, filled, neededBytes, length),
      progressed: () => {
        this.#memory.progressed(stream);
      },
    };
  }

  /** Asks for the turn of a large message when enough of it has come, and opens the window when it is its turn. */
  #askTurn(stream: Stream): void {
    const length = stream.awaitedBytes;
    if (length === 0 || stream.receivedBytes < this.#context.limits.turnBytes) return;
    stream.awaitedBytes = 0;
    this.#memory.askTurn(stream, length, () => {
      stream.progressAtMs = this.#conduct.nowMs;
      stream.turnProgressAtMs = this.#context.clock.nowMs();
      stream.turnReceivedBytes = stream.receivedBytes;
      const missingBytes = MESSAGE_PREFIX_BYTES + length - stream.receivedBytes;
      const incrementBytes = missingBytes - stream.receiveWindowBytes + BEYOND_MESSAGE_BYTES;
      if (incrementBytes <= 0) return;
      stream.receiveWindowBytes += incrementBytes;
      this.#output.writer.windowUpdate(stream.id, incrementBytes);
      this.#output.wrote();
    });
  }

  /** Whether a large message has its turn, does not go on as it should, and others wait. */
  #blocksOthers(stream: Stream, nowMs: number): boolean {
    if (stream.turnBytes === 0) return false;
    const { turnBytes, turnStallMs } = this.#context.limits;
    if (stream.receivedBytes - stream.turnReceivedBytes >= turnBytes) {
      stream.turnReceivedBytes = stream.receivedBytes;
      stream.turnProgressAtMs = nowMs;
    }
    if (nowMs - stream.turnProgressAtMs <= turnStallMs || !this.#context.turnPool.isAwaited) return false;
    this.#conduct.lacksMemory('large');
    return true;
  }

  #run(stream: Stream, message: Buffer): void {
    const { method } = stream;
    if (method === null) return;
    // What takes small messages only, such as health checks, holds next to nothing and is never refused.
    if (this.#memory.exhausted && method.maxMessageBytes > MIN_HELD_BYTES) {
      this.#conduct.lacksMemory('running');
      this.sender.fail(stream, noMemory);
      return;
    }
    if (method.kind === 'stream') {
      this.#runStream(stream, message);
      return;
    }
    let answer: UnaryAnswer | Promise<UnaryAnswer>;
    try {
      answer = method.handle(message, stream);
    } catch (error) {
      this.#context.observer.defect(error, stream.path);
      answer = internal;
    }
    if (answer instanceof Promise) this.#await(stream, message, answer);
    else this.#answer(stream, answer);
  }

  #await(stream: Stream, message: Buffer, promised: Promise<UnaryAnswer>): void {
    this.table.started(stream);
    this.#memory.hold(stream, message.length);
    promised.then(
      (answer) => {
        this.#finish(stream, answer);
      },
      (error: unknown) => {
        this.#context.observer.defect(error, stream.path);
        this.#finish(stream, internal);
      },
    );
  }

  #finish(stream: Stream, answer: UnaryAnswer): void {
    this.table.finished(stream);
    if (stream.closed) {
      this.#release(stream);
      return;
    }
    this.#answer(stream, answer);
    this.#output.wrote();
  }

  #answer(stream: Stream, answer: UnaryAnswer): void {
    if (answer instanceof Uint8Array)
      this.sender.unary(stream, isIn(answer, stream.memory) ? Buffer.from(answer) : answer);
    else this.sender.fail(stream, answer);
  }

  #runStream(stream: Stream, message: Buffer): void {
    if (stream.method?.kind !== 'stream') return;
    if (this.#stopping) {
      this.sender.fail(stream, stopping);
      return;
    }
    if (!this.#context.openCalls.tryWatch(stream, this.#watches)) {
      this.sender.fail(stream, tooManyWatches);
      return;
    }
    this.#watches += 1;
    let failure: GrpcFailure | undefined;
    try {
      failure = stream.method.handle(message, stream, (answer) => {
        if (stream.closed) return;
        this.sender.streamed(stream, answer);
        this.#output.wrote();
      });
    } catch (error) {
      this.#context.observer.defect(error, stream.path);
      failure = internal;
    }
    if (failure !== undefined && !stream.closed) this.sender.fail(stream, failure);
  }

  /** No caller waits for this call any more, or it must not wait. */
  #expire(stream: Stream, failure: GrpcFailure): void {
    if (stream.closed) return;
    if (stream.plainStatus !== 0 || stream.outgoing !== null) this.reset(stream, errorCode.cancel);
    else {
      this.sender.fail(stream, failure);
      stream.cancel();
    }
    this.#output.wrote();
  }

  #close(stream: Stream, reset: boolean): void {
    this.#deadlines.delete(stream);
    this.#memory.arrived(stream);
    this.sender.drop(stream);
    this.table.close(stream, reset);
    stream.assembler = null;
    if (!stream.running) this.#release(stream);
  }

  /** Neither the peer nor a method has to do with it any more. */
  #release(stream: Stream): void {
    this.#memory.release(stream);
    if (stream.answerMemory !== null) this.#output.giveBackOnceSent(stream.answerMemory);
    stream.answerMemory = null;
    if (stream.held === 'watch') this.#watches -= 1;
    this.#context.openCalls.remove(stream);
  }
}

/** gRPC over HTTP/2, "Content-Type": `application/grpc`, with or without a message format. */
function isGrpc(contentType: string): boolean {
  return contentType === 'application/grpc' || /^application\/grpc[+;]/.test(contentType);
}

/** Whether an answer lies in memory that another message gets when the call is over, be the answer sent or not. */
function isIn(answer: Uint8Array, memory: Buffer | null): boolean {
  return memory !== null && answer.buffer === memory.buffer;
}
