import { promisify } from 'node:util';
import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { wallMs } from '../clock.ts';
import { formatListenAddress, type ListenAddress } from '../net/listen-address.ts';
import {
  type Call,
  callBounds,
  grpcConnectionLimits,
  type GrpcFailure,
  grpcStatus,
  maxCheckMessageBytes,
  maxConcurrentCalls,
  type MemoryPoolName,
  type Method,
  type Methods,
  type StreamMethod,
  type TlsIdentity,
  tooManyWatches,
  type Transport,
  type TransportLoad,
  type TransportOptions,
  type UnaryAnswer,
  type UnaryMethod,
} from './transport.ts';
import { withUnixSocket } from './listening.ts';
import {
  checkTlsReplacement,
  HANDSHAKE_TIMEOUT_MS,
  listenerContext,
  SENT_AWAY_GRACE_MS,
  tlsListenerOptions,
} from './tls-listener.ts';
import { GrpcJsConnections, widenStreamWindows } from './grpc-js-connections.ts';

type UnaryCall = ServerUnaryCall<Buffer, Uint8Array>;
type StreamCall = ServerWritableStream<Buffer, Uint8Array>;

const stopping: GrpcFailure = { status: grpcStatus.unavailable, message: 'the server is stopping' };
const internal: GrpcFailure = { status: grpcStatus.internal, message: 'internal error' };
const tooManyCalls: GrpcFailure = { status: grpcStatus.resourceExhausted, message: 'too many calls at once' };

/**
 * The transport on `@grpc/grpc-js`: slower than the native one, and the proof that the port is one
 * (docs/adr/0001-transport.md).
 */
export function createGrpcJsTransport(options: TransportOptions): Transport {
  return new GrpcJsTransport(options);
}

class GrpcJsTransport implements Transport {
  readonly #server: Server;
  readonly #credentials: ServerCredentials;
  readonly #options: TransportOptions;
  /** Calls without an answer yet, and streams that go on until they are ended. */
  readonly #running = new Set<UnaryCall>();
  readonly #streams = new Set<StreamCall>();
  readonly #connections: GrpcJsConnections;
  #refusedCalls = 0;
  #refusedWatches = 0;
  readonly #handshakeTimeoutMs: number;
  #tls: TlsIdentity | undefined;
  #secondSendAway: NodeJS.Timeout | null = null;
  #address: ListenAddress | null = null;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#tls = options.tls;
    this.#handshakeTimeoutMs = options.handshakeTimeoutMs ?? HANDSHAKE_TIMEOUT_MS;
    const { connectionLimits = grpcConnectionLimits, clock, connectionObserver } = options;
    this.#connections = new GrpcJsConnections(connectionLimits, clock, connectionObserver);
    this.#credentials =
      options.tls === undefined
        ? ServerCredentials.createInsecure()
        : new TlsCredentials(options.tls, this.#handshakeTimeoutMs);
    const largest = Math.max(maxCheckMessageBytes, ...[...options.methods.values()].map((m) => m.maxMessageBytes));
    this.#server = new Server({
      'grpc.max_receive_message_length': largest,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': maxConcurrentCalls,
    }); // channelz stays on: without it forceShutdown leaves connections open
    widenStreamWindows(this.#server);
    if (options.methods.size > 0) this.#server.addService(describe(options.methods), this.#implement(options.methods));
  }

  async start(): Promise<void> {
    const { address, unixSocketMode } = this.#options;
    const bind = promisify(this.#server.bindAsync.bind(this.#server));
    const port = await withUnixSocket(address, unixSocketMode, async () => {
      const bound = await bind(formatListenAddress(address), this.#credentials);
      this.#connections.watch(this.#server);
      return bound;
    });
    this.#address = address.kind === 'unix' ? address : { ...address, port };
  }

  /** grpc-js does not say. */
  heldBytes(): Readonly<Record<MemoryPoolName, number>> {
    return { 'half-received': 0, running: 0, large: 0, answers: 0 };
  }

  address(): ListenAddress {
    if (this.#address === null) throw new Error('the transport has not been started');
    return this.#address;
  }

  load(): TransportLoad {
    return {
      connections: this.#connections.size,
      calls: this.#running.size,
      watches: this.#streams.size,
      unsentBytes: 0, // grpc-js does not say
      refusedCalls: this.#refusedCalls,
      refusedWatches: this.#refusedWatches,
    };
  }

  replaceTls(tls: TlsIdentity): void {
    const hasLostAuthority = checkTlsReplacement(this.#tls, tls);
    if (this.#credentials instanceof TlsCredentials) this.#credentials.replace(tls);
    this.#tls = tls;
    if (!hasLostAuthority) return;
    const sendAway = (): void => {
      this.#server.drain(formatListenAddress(this.address()), SENT_AWAY_GRACE_MS);
    };
    sendAway();
    // Handshakes under way still end by the former authorities.
    if (this.#secondSendAway !== null) clearTimeout(this.#secondSendAway);
    this.#secondSendAway = setTimeout(sendAway, this.#handshakeTimeoutMs);
    this.#secondSendAway.unref();
  }

  async drain(graceMs: number): Promise<number> {
    const closed = this.#closed();
    for (const call of this.#streams) fail(call, stopping);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([closed, late]);
    clearTimeout(timer);
    const cut = this.#running.size;
    await this[Symbol.asyncDispose]();
    return cut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#secondSendAway !== null) clearTimeout(this.#secondSendAway);
    this.#connections[Symbol.dispose]();
    this.#server.forceShutdown();
    await this.#closed();
  }

  /** Stops accepting and waits until every connection has ended. */
  async #closed(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.tryShutdown(() => {
        resolve();
      });
    });
  }

  #implement(methods: Methods): UntypedServiceImplementation {
    const implementation: UntypedServiceImplementation = {};
    for (const [path, method] of methods) {
      implementation[path] = method.kind === 'unary' ? this.#unary(path, method) : this.#stream(path, method);
    }
    return implementation;
  }

  #unary(path: string, { handle, maxMessageBytes }: { handle: UnaryMethod; maxMessageBytes: number }) {
    return (call: UnaryCall, callback: sendUnaryData<Uint8Array>): void => {
      const view = new GrpcJsCall(call);
      this.#running.add(call);
      call.once('cancelled', () => this.#running.delete(call));
      const end = (answer: UnaryAnswer): void => {
        this.#running.delete(call);
        view.answered();
        if (answer instanceof Uint8Array) callback(null, answer);
        else callback(asError(answer));
      };
      if (this.#running.size > callBounds.maxOpenCalls) {
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
        this.#options.observer.defect(error, path);
        answer = internal;
      }
      if (answer instanceof Promise) {
        answer.then(end, (error: unknown) => {
          this.#options.observer.defect(error, path);
          end(internal);
        });
      } else end(answer);
    };
  }

  /** `call` is counted already. */
  #hasTooManyWatches(call: StreamCall): boolean {
    let ofConnection = 0;
    // Connections on a unix socket cannot be distinguished.
    if (this.#options.address.kind === 'tcp') {
      for (const other of this.#streams) if (other.getPeer() === call.getPeer()) ofConnection += 1;
    }
    const { maxWatches, maxConnectionWatches } = callBounds;
    if (this.#streams.size <= maxWatches && ofConnection <= maxConnectionWatches) return false;
    this.#refusedWatches += 1;
    return true;
  }

  #stream(path: string, { handle, maxMessageBytes }: { handle: StreamMethod; maxMessageBytes: number }) {
    return (call: StreamCall): void => {
      this.#streams.add(call);
      call.once('cancelled', () => this.#streams.delete(call));
      let failure: GrpcFailure | undefined;
      if (call.request.length > maxMessageBytes) failure = tooLarge(call.request.length, maxMessageBytes);
      else if (this.#hasTooManyWatches(call)) failure = tooManyWatches;
      else {
        try {
          failure = handle(call.request, new GrpcJsCall(call), sendLatest(call));
        } catch (error) {
          this.#options.observer.defect(error, path);
          failure = internal;
        }
      }
      if (failure !== undefined) fail(call, failure);
    };
  }
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

  remainingMs(): number {
    const deadline = this.#call.getDeadline();
    const atMs = typeof deadline === 'number' ? deadline : deadline.getTime();
    return Math.max(0, atMs - wallMs());
  }
}

/** grpc-js's own TLS credentials cannot be given a new certificate; its base class can. */
class TlsCredentials extends ServerCredentials {
  constructor(tls: TlsIdentity, handshakeTimeout: number) {
    const { requestCert, rejectUnauthorized } = tlsListenerOptions(tls);
    super({ requestCert, rejectUnauthorized, handshakeTimeout }, listenerContext(tls));
  }

  replace(tls: TlsIdentity): void {
    this.updateSecureContextOptions(listenerContext(tls));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Methods keyed by path: grpc-js needs names, and any name does. Bytes go in and out as they are. */
function describe(methods: Methods): ServiceDefinition {
  const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const describeOne = (path: string, method: Method) => ({
    path,
    requestStream: false,
    responseStream: method.kind === 'stream',
    requestSerialize: asBuffer,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: asBuffer,
    responseDeserialize: (bytes: Buffer) => bytes,
  });
  return Object.fromEntries([...methods].map(([path, method]) => [path, describeOne(path, method)]));
}
