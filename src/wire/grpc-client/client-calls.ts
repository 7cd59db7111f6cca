import { ANSWER_EARNS, type FloodGuard, IDLE_FRAME_COST } from '../http2/flood-guard.ts';
import { type ErrorCode, errorCode, INITIAL_WINDOW_BYTES } from '../http2/frame.ts';
import { type FrameWriter, MESSAGE_PREFIX_BYTES } from '../http2/frame-writer.ts';
import { HEADER_TABLE_BYTES, type HeaderBlockSink } from '../http2/header-frames.ts';
import { HpackDecoder } from '../http2/hpack/decoder.ts';
import { createStaticTable } from '../http2/hpack/tables.ts';
import { u32 } from '../http2/octets.ts';
import { StreamIndex } from '../http2/stream-index.ts';
import { printable } from '../../base/text/printable.ts';
import { AnswerHead, classifyAnswerField } from './answer-head.ts';
import { CallFailure, callStatus, statusOfHttp } from './call-failure.ts';
import type { ClientCall } from './client-call.ts';
import type { ClientLimits } from './client-limits.ts';
import type { RequestSender } from './request-sender.ts';

/** What calls need of their connection. */
export interface CallsConduct {
  /** A connection error (RFC 9113 §5.4.1). `reason` holds nothing of the peer's. */
  breach(code: ErrorCode, reason: string): false;
  /** Charges the peer for what brings no answer. @returns whether to go on; else it was a breach. */
  spend(tokens: number): boolean;
  /** The peer has not worked on this call: it may be made again. */
  unprocessed(call: ClientCall): void;
  /** A call is over, its stream included. */
  closed(): void;
}

const staticTable = createStaticTable(classifyAnswerField);

/**
 * The open calls of one connection: what comes of their answers, judged by HTTP/2 (RFC 9113 §8.1) and gRPC. Only a
 * complete answer with one message and `grpc-status: 0` is one; whatever is in doubt fails the call, and a breach of
 * HTTP/2 that concerns the connection ends it.
 */
export class ClientCalls implements HeaderBlockSink {
  readonly #limits: ClientLimits;
  readonly #writer: FrameWriter;
  readonly #sender: RequestSender;
  readonly #flood: FloodGuard;
  readonly #conduct: CallsConduct;
  readonly #open = new StreamIndex<ClientCall>();
  readonly #hpack = new HpackDecoder({
    staticTable,
    classify: classifyAnswerField,
    tableLimitBytes: HEADER_TABLE_BYTES,
  });
  readonly #head = new AnswerHead();
  #nextId = 1;
  #heldBytes = 0;
  #answered = 0;

  constructor(
    limits: ClientLimits,
    writer: FrameWriter,
    sender: RequestSender,
    flood: FloodGuard,
    conduct: CallsConduct,
  ) {
    this.#limits = limits;
    this.#writer = writer;
    this.#sender = sender;
    this.#flood = flood;
    this.#conduct = conduct;
  }

  get size(): number {
    return this.#open.size;
  }

  /** How many calls have had a complete answer. */
  get answered(): number {
    return this.#answered;
  }

  /** What has come of answers that are not complete. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether all identifiers have been used: another connection has to go on. */
  get exhausted(): boolean {
    return this.#nextId > this.#limits.maxStreamId;
  }

  get(id: number): ClientCall | undefined {
    return this.#open.get(id);
  }

  /** The one that was begun first first. */
  all(): readonly ClientCall[] {
    return this.#open.inOrder();
  }

  /** RFC 9113 §5.1.1: our identifiers are odd and rise; servers have none, as we take no pushes. */
  isIdle(id: number): boolean {
    return id % 2 === 0 || id >= this.#nextId;
  }

  begin(call: ClientCall, head: Uint8Array): void {
    call.id = this.#nextId;
    call.receiveWindowBytes = INITIAL_WINDOW_BYTES;
    this.#nextId += 2;
    this.#open.add(call);
    this.#sender.begin(call, head);
  }

  /** The call is over for us: RST_STREAM says so to the peer (RFC 9113 §5.4.2). */
  reset(call: ClientCall, code: ErrorCode, failure: CallFailure): void {
    this.#writer.rstStream(call.id, code);
    this.#fail(call, failure);
  }

  /** The peer has ended the stream, or does not know it. @param processed whether it may have worked on the call. */
  drop(call: ClientCall, processed: boolean, failure: () => CallFailure): void {
    this.#close(call);
    if (processed || call.retried) call.fail(failure());
    else {
      call.retried = true;
      this.#conduct.unprocessed(call);
    }
    this.#conduct.closed();
  }

  /** DATA without its padding. The flow-control windows have been looked after. */
  data(call: ClientCall, bytes: Buffer, start: number, end: number, endStream: boolean): void {
    if (!call.headSeen) {
      this.reset(call, errorCode.protocolError, broken('DATA came before HEADERS'));
      return;
    }
    const { maxAnswerBytes, maxHeldBytes } = this.#limits;
    call.receivedBytes += end - start;
    const isLonger =
      call.receivedBytes > MESSAGE_PREFIX_BYTES + maxAnswerBytes ||
      (call.parts.length === 0 && end - start >= MESSAGE_PREFIX_BYTES && u32(bytes, start + 1) > maxAnswerBytes);
    if (isLonger) {
      const message = `the answer has more than ${String(maxAnswerBytes)} bytes`;
      this.reset(call, errorCode.cancel, new CallFailure(callStatus.resourceExhausted, message));
      return;
    }
    // Copied: the memory that it lies in is the next read's.
    if (end > start) call.parts.push(Buffer.from(bytes.subarray(start, end)));
    this.#heldBytes += end - start;
    if (this.#heldBytes > maxHeldBytes) {
      this.#conduct.breach(errorCode.enhanceYourCalm, 'too much has come of answers that are not complete');
      return;
    }
    if (endStream) this.#end(call, broken('the answer ends without trailers'));
  }

  /** A whole header block. Decoded in any case: the table depends on it. */
  headerBlock(streamId: number, endStream: boolean, bytes: Buffer, start: number, end: number): void {
    const head = this.#head;
    head.reset();
    const problem = this.#hpack.decode(bytes, start, end, head);
    const call = this.#open.get(streamId);
    if (problem !== null) this.#conduct.breach(errorCode.compressionError, problem);
    else if (call === undefined) this.#conduct.spend(IDLE_FRAME_COST);
    else if (head.sizeBytes > this.#limits.maxHeaderListBytes) {
      this.reset(call, errorCode.cancel, broken('the header fields are too large'));
    } else if (head.problem !== null) this.reset(call, errorCode.protocolError, broken(head.problem));
    else if (call.headSeen) this.#trailers(call, endStream);
    else this.#answerHead(call, endStream);
  }

  /** RFC 9113 §8.1; gRPC over HTTP/2, "Response-Headers" and "Trailers-Only". */
  #answerHead(call: ClientCall, endStream: boolean): void {
    const { status, contentType } = this.#head;
    if (status.startsWith('1') && !endStream) {
      this.#conduct.spend(IDLE_FRAME_COST); // an interim answer says nothing
    } else if (status === '') this.reset(call, errorCode.protocolError, broken('an answer lacks :status'));
    else if (endStream) this.#end(call, this.#findStatus() ?? broken('the answer has no message'));
    else if (status !== '200') {
      this.reset(
        call,
        errorCode.cancel,
        new CallFailure(statusOfHttp(status), `it answered with HTTP status ${status}`),
      );
    } else if (!isGrpc(contentType)) this.reset(call, errorCode.cancel, broken('the answer is not gRPC'));
    else call.headSeen = true;
  }

  /** gRPC over HTTP/2, "Trailers". */
  #trailers(call: ClientCall, endStream: boolean): void {
    if (!endStream) this.reset(call, errorCode.protocolError, broken('trailers do not end the answer'));
    else if (this.#head.status !== '') this.reset(call, errorCode.protocolError, broken('trailers hold :status'));
    else this.#end(call, this.#findStatus());
  }

  /** What the status of the block at hand says; null for OK. */
  #findStatus(): CallFailure | null {
    const { status, grpcStatus, grpcMessage } = this.#head;
    if (grpcStatus === null) {
      if (status !== '' && status !== '200') {
        return new CallFailure(statusOfHttp(status), `it answered with HTTP status ${status}`);
      }
      return new CallFailure(callStatus.unknown, 'the answer has no grpc-status');
    }
    if (grpcStatus === '0') return null;
    if (!/^[1-9]\d{0,2}$/.test(grpcStatus)) return new CallFailure(callStatus.unknown, 'grpc-status is not a status');
    return new CallFailure(Number(grpcStatus), printable(percentDecode(grpcMessage)));
  }

  /** END_STREAM has come. @param failure why there is no answer; null when `grpc-status` is 0. */
  #end(call: ClientCall, failure: CallFailure | null): void {
    // What is left of the request is of no use (RFC 9113 §8.1).
    if (call.unsent !== null) this.#writer.rstStream(call.id, errorCode.noError);
    const outcome = failure ?? readMessage(call);
    if (outcome instanceof CallFailure) {
      this.#fail(call, outcome);
      return;
    }
    this.#answered += 1;
    this.#flood.earn(ANSWER_EARNS);
    this.#close(call);
    call.succeed(outcome);
    this.#conduct.closed();
  }

  #fail(call: ClientCall, failure: CallFailure): void {
    this.#close(call);
    call.fail(failure);
    this.#conduct.closed();
  }

  #close(call: ClientCall): void {
    this.#open.delete(call);
    this.#sender.drop(call);
    for (const part of call.parts) this.#heldBytes -= part.length;
    call.parts = [];
    call.receivedBytes = 0;
    call.headSeen = false;
  }
}

/** The one message of a complete answer (gRPC over HTTP/2, "Length-Prefixed-Message"). */
function readMessage({ parts }: ClientCall): Buffer | CallFailure {
  const [first] = parts;
  if (first === undefined) return broken('the answer has no message');
  const whole = parts.length === 1 ? first : Buffer.concat(parts);
  if (whole.length < MESSAGE_PREFIX_BYTES) return broken('the message is cut off');
  if (whole[0] !== 0) return new CallFailure(callStatus.unimplemented, 'compressed messages are not supported');
  const length = u32(whole, 1);
  const message = whole.subarray(MESSAGE_PREFIX_BYTES);
  if (message.length < length) return broken('the message is cut off');
  if (message.length > length) return broken('a unary call has one message, this has more');
  return message;
}

function broken(what: string): CallFailure {
  return new CallFailure(callStatus.internal, what);
}

/** gRPC over HTTP/2, "Content-Type": `application/grpc`, with or without a message format. */
function isGrpc(contentType: string): boolean {
  return contentType === 'application/grpc' || /^application\/grpc[+;]/.test(contentType);
}

/** gRPC over HTTP/2, "Percent-Encoded"; what is not decodable stays as it is. */
function percentDecode(text: string): string {
  const bytes = Buffer.from(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
  return bytes.toString('utf8');
}
