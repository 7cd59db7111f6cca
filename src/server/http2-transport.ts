import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { Connection } from './http2/connection.ts';
import { defaultLimits, type Http2Limits } from './http2/limits.ts';
import { createServerContext, type ServerContext } from './http2/server-context.ts';
import { SocketWire } from './http2/socket-wire.ts';
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
import {
  describeTlsClientError,
  findUnnamed,
  HANDSHAKE_TIMEOUT_MS,
  listenerContext,
  socketBelow,
  tlsListenerOptions,
} from './tls-listener.ts';
import { checkTlsReplacement, SENT_AWAY_GRACE_MS } from './tls-replacement.ts';
import { addressOf, listenOn } from './listening.ts';
import { HandshakeEpochs } from './handshake-epochs.ts';

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
  readonly #tlsServer: TlsServer | null;
  readonly #table: ConnectionTable;
  readonly #guests = new WeakMap<Socket, Http2Guest>();
  readonly #connections = new Map<Connection, Socket>();
  readonly #epochs = new HandshakeEpochs();
  readonly #timers = new Set<NodeJS.Timeout>();
  #tls: TlsIdentity | undefined;
  #address: ListenAddress | null = null;
  #whenEmpty: (() => void) | null = null;
  #draining = false;

  constructor(options: TransportOptions, limits: Http2Limits) {
    this.#options = options;
    this.#tls = options.tls;
    this.#context = createServerContext({ ...options, limits });
    const { connectionLimits = grpcConnectionLimits, clock, connectionObserver } = options;
    this.#table = new ConnectionTable(connectionLimits, clock, connectionObserver);
    if (options.tls === undefined) {
      this.#tlsServer = null;
      this.#server = createServer({ noDelay: true }, (socket) => {
        if (this.#arrive(socket)) this.#accept(socket);
      });
    } else {
      const handshakeTimeout = options.handshakeTimeoutMs ?? HANDSHAKE_TIMEOUT_MS;
      const tlsOptions = { ...tlsListenerOptions(options.tls), ALPNProtocols: ['h2'], handshakeTimeout };
      this.#tlsServer = createTlsServer({ ...tlsOptions, noDelay: true }, (socket) => {
        this.#acceptTls(socket);
      });
      this.#tlsServer.on('connection', (socket: Socket) => {
        this.#arrive(socket);
      });
      this.#tlsServer.on('tlsClientError', (error, socket) => {
        if (this.#guests.get(socketBelow(socket))?.isCut !== false) return; // it was sent away
        options.observer.connectionRefused(describeTlsClientError(error, socket), this.#peerOf(socket));
        // Node only tells of a handshake that took too long, and would keep the connection.
        socket.destroy();
      });
      this.#epochs.watch(this.#tlsServer);
      this.#server = this.#tlsServer;
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
    const { mustComeAnew } = checkTlsReplacement(this.#tls, tls);
    this.#tlsServer?.setSecureContext(listenerContext(tls));
    this.#tls = tls;
    if (!mustComeAnew) return;
    this.#epochs.begin();
    this.#sendAway();
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
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    for (const socket of this.#connections.values()) socket.destroy();
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

  /** A connection that has just been accepted, with TLS before its handshake. @returns false when there is no room for it. */
  #arrive(socket: Socket): boolean {
    // Resets and broken pipes are a peer's way to leave; `close` follows.
    socket.on('error', () => undefined);
    const guest = new Http2Guest(socket, this.#peerOf(socket));
    const isAdmitted = this.#table.admitSocket(socket, guest);
    if (isAdmitted) this.#guests.set(socket, guest);
    return isAdmitted;
  }

  #acceptTls(socket: TLSSocket): void {
    if (this.#epochs.isFormer(socket)) {
      socket.destroy(); // an authority that let it in may be the one that was removed
      return;
    }
    const unnamed = findUnnamed(socket, this.#tls);
    if (unnamed !== null) {
      this.#options.observer.connectionRefused(unnamed, this.#peerOf(socket));
      socket.destroy();
      return;
    }
    if (socket.alpnProtocol === 'h2') {
      this.#accept(socket);
      return;
    }
    this.#options.observer.connectionRefused('TLS: the peer does not offer h2 (ALPN)', this.#peerOf(socket));
    socket.destroy();
  }

  #accept(socket: Socket): void {
    socket.on('error', () => undefined);
    const guest = this.#guests.get(socketBelow(socket));
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
  isCut = false;
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
    this.isCut = true;
    this.#socket.destroy();
  }
}
