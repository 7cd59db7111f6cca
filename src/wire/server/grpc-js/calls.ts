import type { sendUnaryData, Server, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import {
  type Call,
  callBounds,
  type GrpcFailure,
  grpcStatus,
  type Methods,
  type StreamMethod,
  tooManyWatches,
  type TransportObserver,
  type UnaryAnswer,
  type UnaryMethod,
} from '../transport.ts';

type UnaryCall = ServerUnaryCall<Buffer, Uint8Array>;
type StreamCall = ServerWritableStream<Buffer, Uint8Array>;

const stopping: GrpcFailure = { status: grpcStatus.unavailable, message: 'the server is stopping' };
const internal: GrpcFailure = { status: grpcStatus.internal, message: 'internal error' };
const tooManyCalls: GrpcFailure = { status: grpcStatus.resourceExhausted, message: 'too many calls at once' };

/** The open streams of one connection, counted by {@link GrpcJsCalls}. */
export interface ConnectionWatches {
  watches: number;
}

/** The calls of all connections, as grpc-js hands them over when their messages are whole. */
export class GrpcJsCalls {
  readonly #methods: Methods;
  readonly #observer: TransportObserver;
  /** Calls without an answer yet. */
  #running = 0;
  /** Those that go on until they are ended. */
  readonly #streams = new Set<StreamCall>();
  #refusedCalls = 0;
  #refusedWatches = 0;

  constructor(methods: Methods, observer: TransportObserver) {
    this.#methods = methods;
    this.#observer = observer;
  }

  load(): { calls: number; watches: number; refusedCalls: number; refusedWatches: number } {
    return {
      calls: this.#running,
      watches: this.#streams.size,
      refusedCalls: this.#refusedCalls,
      refusedWatches: this.#refusedWatches,
    };
  }

  /** Lets a server of grpc-js, which has this connection only, answer the methods. Bytes go in and out as they are. */
  register(server: Server, connection: ConnectionWatches): void {
    for (const [path, method] of this.#methods) {
      if (method.kind === 'unary') server.register(path, this.#unary(path, method), asBuffer, same, 'unary');
      else server.register(path, this.#stream(path, method, connection), asBuffer, same, 'serverStream');
    }
  }

  /** Ends all streams. */
  endStreams(): void {
    for (const call of this.#streams) fail(call, stopping);
  }

  #unary(path: string, { handle, maxMessageBytes }: { handle: UnaryMethod; maxMessageBytes: number }) {
    return (call: UnaryCall, callback: sendUnaryData<Uint8Array>): void => {
      const view = new GrpcJsCall(call);
      const over = this.#count();
      call.once('cancelled', over);
      const end = (answer: UnaryAnswer): void => {
        over();
        view.answered();
        if (answer instanceof Uint8Array) callback(null, answer);
        else callback(asError(answer));
      };
      if (this.#running > callBounds.maxOpenCalls) {
        this.#refusedCalls += 1;
        end(tooManyCalls);
        return;
      }
      if (call.request.length > maxMessageBytes) {
        end(tooLarge(call.request.length, maxMessageBytes));
        return;
      }
      let answer: UnaryAnswer | Promise<UnaryAnswer>;
      try {
        answer = handle(call.request, view);
      } catch (error) {
        this.#observer.defect(error, path);
        answer = internal;
      }
      if (answer instanceof Promise) {
        answer.then(end, (error: unknown) => {
          this.#observer.defect(error, path);
          end(internal);
        });
      } else end(answer);
    };
  }

  /** Counts a call that runs. @returns what ends it, once. */
  #count(): () => void {
    let isRunning = true;
    this.#running += 1;
    return () => {
      if (isRunning) this.#running -= 1;
      isRunning = false;
    };
  }

  #stream(
    path: string,
    { handle, maxMessageBytes }: { handle: StreamMethod; maxMessageBytes: number },
    connection: ConnectionWatches,
  ) {
    return (call: StreamCall): void => {
      this.#streams.add(call);
      connection.watches += 1;
      call.once('cancelled', () => {
        this.#streams.delete(call);
        connection.watches -= 1;
      });
      let failure: GrpcFailure | undefined;
      if (call.request.length > maxMessageBytes) failure = tooLarge(call.request.length, maxMessageBytes);
      else if (this.#streams.size > callBounds.maxWatches || connection.watches > callBounds.maxConnectionWatches) {
        this.#refusedWatches += 1;
        failure = tooManyWatches;
      } else {
        try {
          failure = handle(call.request, new GrpcJsCall(call), sendLatest(call));
        } catch (error) {
          this.#observer.defect(error, path);
          failure = internal;
        }
      }
      if (failure !== undefined) fail(call, failure);
    };
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

/** Sends answers of a stream; while the peer does not read, only the last one waits. */
function sendLatest(call: StreamCall): (answer: Uint8Array) => void {
  let waiting: Uint8Array | null = null;
  return (answer) => {
    if (call.cancelled || call.writableEnded) return;
    if (!call.writableNeedDrain) {
      call.write(answer);
      return;
    }
    if (waiting === null) {
      call.once('drain', () => {
        if (waiting !== null && !call.cancelled && !call.writableEnded) call.write(waiting);
        waiting = null;
      });
    }
    waiting = answer;
  };
}

function tooLarge(bytes: number, maxBytes: number): GrpcFailure {
  const message = `the message has ${String(bytes)} bytes, more than ${String(maxBytes)}`;
  return { status: grpcStatus.resourceExhausted, message };
}

/** grpc-js ends a server stream with a status when it gets an error. */
function fail(call: StreamCall, failure: GrpcFailure): void {
  call.emit('error', asError(failure));
}

/** A status in the form in which grpc-js takes it from a handler. */
function asError(failure: GrpcFailure): Error & { code: number; details: string } {
  return Object.assign(new Error(failure.message), { code: failure.status, details: failure.message });
}

class GrpcJsCall implements Call {
  readonly #call: UnaryCall | StreamCall;
  #abort: AbortController | null = null;
  #answered = false;

  constructor(call: UnaryCall | StreamCall) {
    this.#call = call;
    // grpc-js emits it at the end of every call, answered ones included.
    call.once('cancelled', () => {
      if (!this.#answered) this.#abort?.abort();
    });
  }

  get cancelled(): boolean {
    return !this.#answered && this.#call.cancelled;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.cancelled) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  /** The end of the call is no longer signalled. */
  answered(): void {
    this.#answered = true;
  }

  get traceParent(): string | null {
    const values = this.#call.metadata.get('traceparent');
    return values.length === 1 && typeof values[0] === 'string' ? values[0] : null;
  }
}
