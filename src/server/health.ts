import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from '../gen/grpc/health/v1/health.ts';
import { type Call, type GrpcFailure, grpcStatus, type Method, type UnaryAnswer } from './transport.ts';

/** Service names are short; what is longer is no health question. */
const MAX_MESSAGE_BYTES = 1024;

/**
 * The gRPC health service (grpc.health.v1, gRPC health checking protocol): whether the process takes checks.
 * One state answers for every name it knows; an unknown name is NOT_FOUND to Check and SERVICE_UNKNOWN to Watch.
 */
export class Health {
  readonly #names: ReadonlySet<string>;
  readonly #watchers = new Set<(answer: Uint8Array) => void>();
  #serving = false;

  /** @param services full gRPC service names; the empty name, the process as a whole, is always known. */
  constructor(services: readonly string[]) {
    this.#names = new Set(['', ...services]);
  }

  get serving(): boolean {
    return this.#serving;
  }

  /** Changes the state and tells every watcher. Starts as NOT_SERVING. */
  setServing(serving: boolean): void {
    if (serving === this.#serving) return;
    this.#serving = serving;
    const answer = this.#answer();
    for (const send of this.#watchers) send(answer);
  }

  /** What to add to a transport's methods. */
  methods(): [string, Method][] {
    return [
      [
        '/grpc.health.v1.Health/Check',
        { kind: 'unary', handle: (m) => this.#check(m), maxMessageBytes: MAX_MESSAGE_BYTES },
      ],
      [
        '/grpc.health.v1.Health/Watch',
        { kind: 'stream', handle: (m, call, send) => this.#watch(m, call, send), maxMessageBytes: MAX_MESSAGE_BYTES },
      ],
    ];
  }

  #check(message: Uint8Array): UnaryAnswer {
    const service = readService(message);
    if (service === null) return malformed;
    return this.#names.has(service) ? this.#answer() : { status: grpcStatus.notFound, message: 'unknown service' };
  }

  #watch(message: Uint8Array, call: Call, send: (answer: Uint8Array) => void): GrpcFailure | undefined {
    const service = readService(message);
    if (service === null) return malformed;
    if (!this.#names.has(service)) {
      // The call stays open, as the protocol wants: the set of names is fixed, so nothing follows.
      send(encode(HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN));
      return undefined;
    }
    if (call.cancelled) return undefined;
    this.#watchers.add(send);
    call.signal.addEventListener('abort', () => this.#watchers.delete(send), { once: true });
    send(this.#answer());
    return undefined;
  }

  #answer(): Uint8Array {
    const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
    return encode(this.#serving ? SERVING : NOT_SERVING);
  }
}

const malformed: GrpcFailure = { status: grpcStatus.internal, message: 'the message is no HealthCheckRequest' };

function readService(message: Uint8Array): string | null {
  try {
    return HealthCheckRequest.decode(message).service;
  } catch (error) {
    if (error instanceof Error) return null; // the decoder's only answer to bytes that are no message
    throw error;
  }
}

function encode(status: HealthCheckResponse_ServingStatus): Uint8Array {
  return HealthCheckResponse.encode({ status }).finish();
}
