import type { ListenAddress } from '../../base/net/listen-address.ts';
import { GrpcListener } from './grpc-listener.ts';
import { GrpcJsCalls } from './grpc-js/calls.ts';
import { GrpcJsConnection } from './grpc-js/connection.ts';
import {
  maxCheckMessageBytes,
  maxConcurrentCalls,
  type MemoryPoolName,
  type TlsIdentity,
  type Transport,
  type TransportLoad,
  type TransportOptions,
} from './transport.ts';

/**
 * The transport on `@grpc/grpc-js`: slower than the native one, and the proof that the port is one
 * (docs/adr/0001-transport.md). Sockets and TLS are Postern's own, as with the native one; grpc-js speaks on them.
 */
export function createGrpcJsTransport(options: TransportOptions): Transport {
  return new GrpcJsTransport(options);
}

class GrpcJsTransport implements Transport {
  readonly #calls: GrpcJsCalls;
  readonly #listener: GrpcListener<GrpcJsConnection>;

  constructor(options: TransportOptions) {
    const { methods, observer, clock } = options;
    const calls = new GrpcJsCalls(methods, observer);
    const largest = Math.max(maxCheckMessageBytes, ...[...methods.values()].map((m) => m.maxMessageBytes));
    const serverOptions = {
      'grpc.max_receive_message_length': largest,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': maxConcurrentCalls,
      'grpc.enable_channelz': 0,
    };
    this.#calls = calls;
    this.#listener = new GrpcListener(options, (socket) => new GrpcJsConnection(socket, serverOptions, calls, clock));
  }

  async start(): Promise<void> {
    await this.#listener.start();
  }

  /** grpc-js does not say. */
  heldBytes(): Readonly<Record<MemoryPoolName, number>> {
    return { 'half-received': 0, running: 0, large: 0, answers: 0 };
  }

  address(): ListenAddress {
    return this.#listener.address();
  }

  load(): TransportLoad {
    const unsentBytes = 0; // grpc-js does not say
    return { connections: this.#listener.size, unsentBytes, ...this.#calls.load() };
  }

  replaceTls(tls: TlsIdentity): void {
    this.#listener.replaceTls(tls);
  }

  async drain(graceMs: number): Promise<number> {
    this.#calls.endStreams();
    return await this.#listener.drain(graceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
  }
}
