import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from '../../gen/grpc/health/v1/health.ts';
import { type Call, type GrpcFailure, grpcStatus, type Method, type UnaryAnswer } from './transport.ts';

/** Service names are short; what is longer is no health question. */
const MAX_MESSAGE_BYTES = 1024;

/**
 * The gRPC health service (grpc.health.v1, gRPC health checking protocol). Each service has a state of its own; the
 * empty name is the process as a whole. An unknown name is NOT_FOUND to Check and SERVICE_UNKNOWN to Watch.
 */
export class Health {
  readonly #states: Map<string, ServiceState>;

  /** @param services full gRPC service names; the empty name is always known. All start as NOT_SERVING. */
  constructor(services: readonly string[]) {
    this.#states = new Map(['', ...services].map((name) => [name, { serving: false, watchers: new Set() }]));
  }

  /** Whether a service is SERVING; false for an unknown one. */
  serving(service: string): boolean {
    return this.#states.get(service)?.serving ?? false;
  }

  /** Changes the state of a known service and notifies its watchers. */
  setServing(service: string, serving: boolean): void {
    const state = this.#states.get(service);
    if (state === undefined || state.serving === serving) return;
    state.serving = serving;
    const answer = encodeState(state);
    for (const send of state.watchers) send(answer);
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
    const state = this.#states.get(service);
    return state === undefined ? { status: grpcStatus.notFound, message: 'unknown service' } : encodeState(state);
  }

  #watch(message: Uint8Array, call: Call, send: (answer: Uint8Array) => void): GrpcFailure | undefined {
    const service = readService(message);
    if (service === null) return malformed;
    const state = this.#states.get(service);
    if (state === undefined) {
      // The call stays open, as the protocol wants: the set of names is fixed, so nothing follows.
      send(encode(HealthCheckResponse_ServingStatus.SERVICE_UNKNOWN));
      return undefined;
    }
    if (call.cancelled) return undefined;
    state.watchers.add(send);
    call.signal.addEventListener('abort', () => state.watchers.delete(send), { once: true });
    send(encodeState(state));
    return undefined;
  }
}

interface ServiceState {
  serving: boolean;
  readonly watchers: Set<(answer: Uint8Array) => void>;
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

function encodeState({ serving }: ServiceState): Uint8Array {
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
  return encode(serving ? SERVING : NOT_SERVING);
}

function encode(status: HealthCheckResponse_ServingStatus): Uint8Array {
  return HealthCheckResponse.encode({ status }).finish();
}
