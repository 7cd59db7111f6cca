import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Connection } from './http2/connection.ts';
import { defaultLimits, type Http2Limits } from './http2/limits.ts';
import { createServerContext, type ServerContext } from './http2/server-context.ts';
import { SocketWire } from '../http2/socket-wire.ts';
import { ConnectionTable, type Guest } from './connection-table.ts';
import {
  grpcConnectionLimits,
  type MemoryPoolName,
  type TlsIdentity,
  type Transport,
  type TransportLoad,
  type TransportOptions,
} from './transport.ts';
import type { ListenAddress } from '../net/listen-address.ts';
import { addressOf, closeServer, listenOn } from './listening.ts';
import { ListenerTls, SENT_AWAY_GRACE_MS, STARTED_IN_PLAIN_TEXT, tlsListenerOptions } from './tls-listener.ts';

const TCP_KEEPALIVE_MS = 60_000;
/** How long a peer may take to acknowledge that it saw a GOAWAY. */
const DRAIN_NOTICE_MS = 1000;

/** The native transport: gRPC's part of HTTP/2 on a socket, nothing else (docs/adr/0001-transport.md). */
export function createHttp2Transport(options: TransportOptions, limits: Http2Limits = defaultLimits): Transport {
  return new Http2Transport(options, limits);
}

class Http2Transport implements Transport {
  readonly #options: TransportOptions;
  readonly #context: ServerContext;
  readonly #server: Server;
  /** Null in plain text. */
  readonly #tls: ListenerTls | null;
  readonly #table: ConnectionTable<Http2Guest>;
  readonly #connections = new Map<Connection, Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #address: ListenAddress | null = null;
  #whenEmpty: (() => void) | null = null;
  #draining = false;

  constructor(options: TransportOptions, limits: Http2Limits) {
    this.#options = options;
    this.#context = createServerContext({ ...options, limits });
    const { connectionLimits = grpcConnectionLimits, clock, connectionObserver } = options;
    this.#table = new ConnectionTable(connectionLimits, clock, connectionObserver);
    if (options.tls === undefined) {
      this.#tls = null;
      this.#server = createServer({ noDelay: true }, (socket) => {
        if (this.#arrive(socket)) this.#accept(socket);
      });
    } else {
      const tlsOptions = tlsListenerOptions(options.tls, options.handshakeTimeoutMs);
      const server = createTlsServer({ ...tlsOptions, ALPNProtocols: ['h2'], noDelay: true });
      const tls = new ListenerTls(server, options.tls, {
        onRefused: (reason, socket) => {
          options.observer.connectionRefused(reason, this.#peerOf(socket));
        },
        wasEnded: (socket) => this.#table.wasEnded(socket),
      });
      server.on('connection', (socket: Socket) => {
        this.#arrive(socket);
      });
      server.on('secureConnection', (socket) => {
        this.#acceptTls(socket, tls);
      });
      this.#tls = tls;
      this.#server = server;
    }
  }

  async start(): Promise<void> {
    const { address } = this.#options;
    await listenOn(this.#server, address, this.#options.unixSocketMode);
    this.#server.on('error', (error) => {
      this.#options.observer.defect(error, 'listener');
    });
    this.#address = addressOf(this.#server);
    this.#table.startSweeping(() => {
      for (const connection of this.#connections.keys()) connection.sweep();
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
    if (this.#address === null) throw new Error('the transport has not been started');
    return this.#address;
  }

  load(): TransportLoad {
    const { size: calls, watches, refusedCalls, refusedWatches } = this.#context.openCalls;
    const unsentBytes = this.#context.unsent.bytes;
    return { connections: this.#table.size, calls, watches, unsentBytes, refusedCalls, refusedWatches };
  }

  replaceTls(tls: TlsIdentity): void {
    if (this.#tls === null) throw new Error(STARTED_IN_PLAIN_TEXT);
    if (this.#tls.replace(tls)) this.#sendAway();
  }

  async drain(graceMs: number): Promise<number> {
    this.#draining = true;
    this.#server.close();
    for (const connection of this.#connections.keys()) connection.drain();
    const timers = [
      setTimeout(
        () => {
          for (const connection of this.#connections.keys()) connection.finishDrain();
        },
        Math.min(DRAIN_NOTICE_MS, graceMs / 2),
      ),
    ];
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
      timers.push(setTimeout(resolve, graceMs));
      if (this.#connections.size === 0) resolve();
    });
    for (const timer of timers) clearTimeout(timer);
    let cut = 0;
    for (const connection of this.#connections.keys()) cut += connection.openCalls;
    await this[Symbol.asyncDispose]();
    return cut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#table[Symbol.dispose]();
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = closeServer(this.#server);
    for (const socket of this.#connections.values()) socket.destroy();
    this.#table.cutAll(); // those included whose TLS handshake is not done
    await closed;
  }

  /** Ends every connection that there is without losing a call; those who hold on to one are cut in the end. */
  #sendAway(): void {
    const connections = [...this.#connections];
    for (const [connection] of connections) connection.drain();
    this.#later(DRAIN_NOTICE_MS, () => {
      for (const [connection] of connections) connection.finishDrain();
    });
    this.#later(SENT_AWAY_GRACE_MS, () => {
      for (const [, socket] of connections) socket.destroy();
    });
  }

  #later(delayMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
  }

  #peerOf(socket: Socket): string {
    if (this.#options.address.kind === 'unix') return 'unix';
    return socket.remoteAddress === undefined ? 'gone' : `${socket.remoteAddress}:${String(socket.remotePort)}`;
  }

  /**
   * A connection that has just been accepted, with TLS before its handshake. @returns false when there is no room for
   * it.
   */
  #arrive(socket: Socket): boolean {
    // Resets and broken pipes are a peer's way to leave; `close` follows.
    socket.on('error', () => undefined);
    return this.#table.admitSocket(socket, new Http2Guest(socket, this.#peerOf(socket)));
  }

  #acceptTls(socket: TLSSocket, tls: ListenerTls): void {
    // An authority that let it in may be the one that was removed.
    if (tls.isFormer(socket)) socket.destroy();
    else if (!tls.admitsName(socket)) return;
    else if (socket.alpnProtocol === 'h2') this.#accept(socket);
    else tls.refuse('TLS: the peer does not offer h2 (ALPN)', socket);
  }

  #accept(socket: Socket): void {
    socket.on('error', () => undefined);
    const guest = this.#table.guestOf(socket);
    if (this.#draining || guest === undefined) {
      socket.destroy(); // its TLS handshake began before the draining
      return;
    }
    socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
    const wire = new SocketWire(socket, () => {
      connection.drained();
    });
    const connection = new Connection(this.#context, wire, this.#peerOf(socket));
    this.#connections.set(connection, socket);
    guest.connection = connection;
    socket.on('data', (chunk: Buffer) => {
      if (connection.receive(chunk)) this.#context.releaser.release(chunk);
    });
    socket.on('close', () => {
      connection.lost();
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#whenEmpty?.();
    });
  }
}

/** A connection as the table sees it. */
class Http2Guest implements Guest {
  readonly address: string | null;
  readonly peer: string;
  /** None before the end of the TLS handshake. */
  connection: Connection | null = null;
  readonly #socket: Socket;

  constructor(socket: Socket, peer: string) {
    this.#socket = socket;
    this.address = socket.remoteAddress ?? null;
    this.peer = peer;
  }

  get servedAtMs(): number | null {
    return this.connection?.servedAtMs ?? null;
  }

  get isWorking(): boolean {
    return this.connection?.isWorking ?? false;
  }

  get isOpen(): boolean {
    return (this.connection?.openCalls ?? 0) > 0;
  }

  leave(): void {
    if (this.connection === null) this.cut();
    else this.connection.drain();
  }

  finishLeaving(): void {
    this.connection?.finishDrain();
  }

  cut(): void {
    this.#socket.destroy();
  }
}
