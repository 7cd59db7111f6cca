import type { Socket } from 'node:net';
import { Connection } from './http2/connection.ts';
import { defaultLimits, type Http2Limits } from './http2/limits.ts';
import { createServerContext, type ServerContext } from './http2/server-context.ts';
import { readSocket } from '../http2/socket-input.ts';
import { SocketWire } from '../http2/socket-wire.ts';
import type { MemoryPoolName, TlsIdentity, Transport, TransportLoad, TransportOptions } from './transport.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import { GrpcListener } from './grpc-listener.ts';

/** The native transport: gRPC's part of HTTP/2 on a socket, nothing else (docs/adr/0001-transport.md). */
export function createHttp2Transport(options: TransportOptions, limits: Http2Limits = defaultLimits): Transport {
  return new Http2Transport(options, limits);
}

class Http2Transport implements Transport {
  readonly #context: ServerContext;
  readonly #listener: GrpcListener<Connection>;

  constructor(options: TransportOptions, limits: Http2Limits) {
    this.#context = createServerContext({ ...options, limits });
    this.#listener = new GrpcListener(options, (socket, peer) => this.#serve(socket, peer));
  }

  async start(): Promise<void> {
    await this.#listener.start(() => {
      for (const connection of this.#listener.served) connection.sweep();
      this.#context.unsent.makeRoom();
      this.#context.largeBuffers.sweep();
    });
  }

  heldBytes(): Readonly<Record<MemoryPoolName, number>> {
    const { partPool, runningPool, largeMemory, answerPool } = this.#context;
    return {
      'half-received': partPool.heldBytes,
      running: runningPool.heldBytes,
      large: largeMemory.heldBytes,
      answers: answerPool.heldBytes,
    };
  }

  address(): ListenAddress {
    return this.#listener.address();
  }

  load(): TransportLoad {
    const { size: calls, watches, refusedCalls, refusedWatches } = this.#context.openCalls;
    const unsentBytes = this.#context.unsent.bytes;
    return { connections: this.#listener.size, calls, watches, unsentBytes, refusedCalls, refusedWatches };
  }

  replaceTls(tls: TlsIdentity): void {
    this.#listener.replaceTls(tls);
  }

  async drain(graceMs: number): Promise<number> {
    return await this.#listener.drain(graceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
  }

  #serve(socket: Socket, peer: string): Connection {
    const wire = new SocketWire(socket, () => {
      connection.drained();
    });
    const connection = new Connection(this.#context, wire, peer);
    readSocket(socket, (input, isFollowed) => {
      connection.receive(input, isFollowed);
    });
    // Before the socket ends its own side, after which nothing can be sent.
    socket.on('end', () => {
      connection.inputEnded();
    });
    socket.on('close', () => {
      connection.lost();
    });
    return connection;
  }
}
