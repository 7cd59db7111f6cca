import type { Clock } from '../../base/clock.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import type { ConnectionLimits, ConnectionObserver } from './connection-table.ts';

/**
 * The port between Postern's methods and whatever speaks gRPC on the wire (docs/adr/0001-transport.md).
 * A method sees message bytes and gives answer bytes: frames, headers, compression and deadlines stay in the transport.
 */

/** The gRPC status codes that methods and transports of Postern answer with (gRPC statuscodes). */
export const grpcStatus = {
  ok: 0,
  cancelled: 1,
  deadlineExceeded: 4,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;
export type GrpcStatus = (typeof grpcStatus)[keyof typeof grpcStatus];

/** An answer that is a gRPC status and no message. `message` goes to the peer: no secrets, no internals. */
export interface GrpcFailure {
  readonly status: Exclude<GrpcStatus, 0>;
  readonly message: string;
}

/** What a method may know of its call besides the message. */
export interface Call {
  /**
   * Whether no caller waits for the answer any more: cancelled by the peer, past its deadline, or the connection is
   * gone. Reading it costs nothing; look at it before work that costs others something.
   */
  readonly cancelled: boolean;
  /**
   * {@link cancelled} as a signal, made on first use. Of a unary call it never aborts after the answer was given;
   * of a streaming call it aborts at the end, however that comes.
   */
  readonly signal: AbortSignal;
  /**
   * The header `traceparent` as it came (W3C Trace Context §3.2); null without one, or when the transport does not read
   * it.
   */
  readonly traceParent: string | null;
  /**
   * Memory of at least so many bytes for the answer, with any content. It is the call's until the answer has left, and
   * then another one's: nothing else may look at it.
   */
  takeMemory?(bytes: number): Buffer;
}

/** Message bytes of an answer, or a status. */
export type UnaryAnswer = Uint8Array | GrpcFailure;

/**
 * One unary method: from the request message's bytes to the answer's bytes, or a promise of them only when something
 * must be waited for (a promise costs a turn of the event loop and a write of its own).
 *
 * `message` is the method's until it has given its answer, also when no caller waits for that any more: until then
 * parts of it may be used without a copy. Afterwards the transport may put another message into the same memory. The
 * method does not change the answer after giving it. A method should neither throw nor reject; a transport that sees it
 * happen answers INTERNAL without detail and reports the defect.
 */
export type UnaryMethod = (message: Uint8Array, call: Call) => UnaryAnswer | Promise<UnaryAnswer>;

/**
 * One server-streaming method: `send` may be called at once and as often as there is something to say. The call ends
 * when the peer goes away ({@link Call.signal}), when the server drains (UNAVAILABLE), or at once with a returned
 * failure. `send` after the end does nothing, and an answer that the peer has not begun to take gives way to the next
 * one: a stream gives the present state, so that a peer that does not read piles nothing up. `message` is the method's
 * until the end, and no longer.
 */
export type StreamMethod = (
  message: Uint8Array,
  call: Call,
  send: (answer: Uint8Array) => void,
) => GrpcFailure | undefined;

/** A method and the largest request message it takes, in bytes; a larger one is RESOURCE_EXHAUSTED. */
export type Method =
  | { readonly kind: 'unary'; readonly handle: UnaryMethod; readonly maxMessageBytes: number }
  | { readonly kind: 'stream'; readonly handle: StreamMethod; readonly maxMessageBytes: number };

/** Methods by their `:path`, such as `/grpc.health.v1.Health/Check`. Every other path is UNIMPLEMENTED. */
export type Methods = ReadonlyMap<string, Method>;

/** Largest CheckRequest: a body of 10 MiB and what surrounds it (headers, context), in bytes. */
export const maxCheckMessageBytes = 12 * 1024 * 1024;

/** Calls that a peer may have open on one connection (SETTINGS_MAX_CONCURRENT_STREAMS, RFC 9113 §6.5.2). */
export const maxConcurrentCalls = 2048;

/**
 * Calls that all peers together may have open: as many as eight Envoys send whose `max_requests` is 2048. Watches are
 * calls of a {@link StreamMethod}, which stay open and are counted apart; Envoy and the kubelet ask Health/Check, other
 * clients watch once or twice.
 */
export const callBounds = { maxOpenCalls: 16_384, maxWatches: 1024, maxConnectionWatches: 4 } as const;

/**
 * Connections of the gRPC listener. Every Envoy worker thread holds one, and each Envoy one more for health checks,
 * which it asks every second. One that said hello and made no call is of no use to anybody; one that did is Envoy's,
 * and stays for a quarter of an hour without a call, until GOAWAY.
 */
export const grpcConnectionLimits: ConnectionLimits = {
  maxConnections: 4096,
  maxOfAddress: 2048,
  unusedMs: 30_000,
  idleMs: 900_000,
};

/** What a watch beyond {@link callBounds} is answered with. */
export const tooManyWatches: GrpcFailure = {
  status: grpcStatus.resourceExhausted,
  message: 'too many watches: use Health/Check',
};

/** PEM texts of the listener. With `ca`, peers must show a certificate that it signed (mutual TLS). */
export interface TlsIdentity {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  readonly ca?: string | Buffer;
  /**
   * With `ca`: names of which a peer's certificate must be for one, as DNS name or URI. None: any certificate will do.
   */
  readonly clientNames?: readonly string[];
}

/**
 * What calls hold memory for: messages that have not come whole (as far as they have come), those that methods wait
 * with, large ones (as far as they have come), and answers that wait for their peers.
 */
export const memoryPoolNames = ['half-received', 'running', 'large', 'answers'] as const;
export type MemoryPoolName = (typeof memoryPoolNames)[number];

/** What a transport reports about itself. Implementations log or count; they do not throw. */
export interface TransportObserver {
  /** A method threw or rejected, or the transport itself is wrong: a defect of ours. `path` is the method's. */
  defect(error: unknown, path: string): void;
  /**
   * A connection was closed because the peer broke the protocol or a limit. `reason` is for people and holds no data of
   * the peer.
   */
  connectionRefused(reason: string, peer: string): void;
  /** A call was refused, or given up, for lack of memory of this pool. */
  memoryRefused(pool: MemoryPoolName, peer: string): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly address: ListenAddress;
  readonly methods: Methods;
  readonly observer: TransportObserver;
  /** For deadlines. */
  readonly clock: Clock;
  /** Notified of connections that end or are refused for lack of room or use. */
  readonly connectionObserver?: ConnectionObserver;
  /** {@link grpcConnectionLimits} unless given. */
  readonly connectionLimits?: ConnectionLimits;
  /** None: plain text, HTTP/2 with prior knowledge. */
  readonly tls?: TlsIdentity;
  /** How long a peer may take until its TLS handshake is done; 10 s unless given. */
  readonly handshakeTimeoutMs?: number;
  /** Permissions of the file, where the address is a unix socket; what the process's umask leaves unless given. */
  readonly unixSocketMode?: number;
  /** Whether {@link Call.traceParent} is wanted; reading what is not used would cost every call something. */
  readonly readsTraceParent?: boolean;
}

/** What peers hold of a transport now, and what it had no room for since its start. */
export interface TransportLoad {
  readonly connections: number;
  readonly calls: number;
  readonly watches: number;
  /** Bytes of answers that lie in sockets, because peers do not read them. */
  readonly unsentBytes: number;
  /** Calls that were refused, or ended to make room for others. */
  readonly refusedCalls: number;
  readonly refusedWatches: number;
}

/** A gRPC listener. Disposing of it closes everything at once; {@link drain} first for a graceful stop. */
export interface Transport extends AsyncDisposable {
  /** Listens. Rejects when the address cannot be had, with the system's error. Once only. */
  start(): Promise<void>;
  /** Bytes that calls hold now. */
  heldBytes(): Readonly<Record<MemoryPoolName, number>>;
  /** Where it really listens (the port that was chosen for 0). Throws a defect before {@link start}. */
  address(): ListenAddress;
  load(): TransportLoad;
  /**
   * New connections take this identity; those that exist keep theirs. When an authority of `ca` is gone, they are ended
   * as by {@link drain}, so that no peer stays whom only that one vouched for. Throws and keeps the old identity when
   * key and certificate do not fit each other, when `ca` is no whole list of certificates, or when it would change
   * whether peers need one.
   */
  replaceTls(tls: TlsIdentity): void;
  /**
   * Stops accepting, sends every peer elsewhere (GOAWAY), lets running calls finish, then closes. Streams of
   * {@link StreamMethod} end with UNAVAILABLE.
   * @returns how many calls were still running after `graceMs` and were cut.
   */
  drain(graceMs: number): Promise<number>;
}
