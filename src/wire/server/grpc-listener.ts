import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import { ConnectionTable, type Guest } from './connection-table.ts';
import { addressOf, closeServer, listenOn } from './listening.ts';
import { ListenerTls, SENT_AWAY_GRACE_MS, STARTED_IN_PLAIN_TEXT, tlsListenerOptions } from './tls-listener.ts';
import { grpcConnectionLimits, type TlsIdentity, type TransportOptions } from './transport.ts';

const TCP_KEEPALIVE_MS = 60_000;
/** How long a peer may take to acknowledge that it saw a GOAWAY. */
const DRAIN_NOTICE_MS = 1000;

/** A connection that a transport serves, as its listener sees it. */
export interface ServedConnection {
  /** When its last request was answered, on `Clock.nowMs`'s scale; null when none was. */
  readonly servedAtMs: number | null;
  /** Whether a method works on a call of it. */
  readonly isWorking: boolean;
  /** Calls that are not complete. */
  readonly openCalls: number;
  /** Ends it without losing a call, as far as the transport can: GOAWAY, the calls that run, then the end. */
  drain(): void;
  /** The peer has had time to see that {@link drain} was called. */
  finishDrain(): void;
}

/** Speaks HTTP/2 on a socket that was admitted, its TLS handshake done. `peer` is its address, for people. */
export type Serve<C extends ServedConnection> = (socket: Socket, peer: string) => C;

/**
 * The sockets of a gRPC transport: who may connect, by TLS and by the {@link ConnectionTable}, and how connections end
 * when authorities change or the listener closes. What is spoken on them is the transport's.
 */
export class GrpcListener<C extends ServedConnection> implements AsyncDisposable {
  readonly #options: TransportOptions;
  readonly #serve: Serve<C>;
  readonly #server: Server;
  /** Null in plain text. */
  readonly #tls: ListenerTls | null;
  readonly #table: ConnectionTable<GrpcGuest<C>>;
  readonly #served = new Map<C, Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #address: ListenAddress | null = null;
  #whenEmpty: (() => void) | null = null;
  #draining = false;

  constructor(options: TransportOptions, serve: Serve<C>) {
    this.#options = options;
    this.#serve = serve;
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

  /** Connections that are served: not those whose TLS handshake is still under way. */
  get served(): Iterable<C> {
    return this.#served.keys();
  }

  /** Connections, those included whose TLS handshake is not done. */
  get size(): number {
    return this.#table.size;
  }

  /** As `Transport.start`. `sweep` is called every two seconds from then on. */
  async start(sweep?: () => void): Promise<void> {
    await listenOn(this.#server, this.#options.address, this.#options.unixSocketMode);
    this.#server.on('error', (error) => {
      this.#options.observer.defect(error, 'listener');
    });
    this.#address = addressOf(this.#server);
    this.#table.startSweeping(sweep);
  }

  /** As `Transport.address`. */
  address(): ListenAddress {
    if (this.#address === null) throw new Error('the transport has not been started');
    return this.#address;
  }

  /** As `Transport.replaceTls`. */
  replaceTls(tls: TlsIdentity): void {
    if (this.#tls === null) throw new Error(STARTED_IN_PLAIN_TEXT);
    if (this.#tls.replace(tls)) this.#sendAway();
  }

  /** As `Transport.drain`. */
  async drain(graceMs: number): Promise<number> {
    this.#draining = true;
    this.#server.close();
    for (const connection of this.#served.keys()) connection.drain();
    const timers = [
      setTimeout(
        () => {
          for (const connection of this.#served.keys()) connection.finishDrain();
        },
        Math.min(DRAIN_NOTICE_MS, graceMs / 2),
      ),
    ];
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve;
      timers.push(setTimeout(resolve, graceMs));
      if (this.#served.size === 0) resolve();
    });
    for (const timer of timers) clearTimeout(timer);
    let cut = 0;
    for (const connection of this.#served.keys()) cut += connection.openCalls;
    await this[Symbol.asyncDispose]();
    return cut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#table[Symbol.dispose]();
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = closeServer(this.#server);
    for (const socket of this.#served.values()) socket.destroy();
    this.#table.cutAll(); // those included whose TLS handshake is not done
    await closed;
  }

  /** Ends every connection that there is without losing a call; those who hold on to one are cut in the end. */
  #sendAway(): void {
    const connections = [...this.#served];
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
    return this.#table.admitSocket(socket, new GrpcGuest(socket, this.#peerOf(socket)));
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
    const connection = this.#serve(socket, this.#peerOf(socket));
    this.#served.set(connection, socket);
    guest.connection = connection;
    socket.once('close', () => {
      this.#served.delete(connection);
      if (this.#served.size === 0) this.#whenEmpty?.();
    });
  }
}

/** A connection as the table sees it. */
class GrpcGuest<C extends ServedConnection> implements Guest {
  readonly address: string | null;
  readonly peer: string;
  /** None before the end of the TLS handshake. */
  connection: C | null = null;
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
