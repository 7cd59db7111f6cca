import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import type { Clock } from '../clock.ts';
import { type ConnectionLimits, type ConnectionObserver, ConnectionTable, type Guest } from './connection-table.ts';
import { socketBelow } from './tls-listener.ts';

/** How often connections are looked over. */
const SWEEP_MS = 2000;

/**
 * The {@link ConnectionTable} of a grpc-js server, which has no bound of connections of its own. It reaches into the server as
 * `grpc-js-windows.ts` does. What a call is waiting for cannot be seen from here, so that a half-received one counts as worked on.
 */
export class GrpcJsConnections implements Disposable {
  readonly #clock: Clock;
  readonly #table: ConnectionTable;
  readonly #guests = new WeakMap<Socket, GrpcJsGuest>();
  readonly #sweeper: NodeJS.Timeout;
  /** Whose session is made in this turn. */
  #arriving: GrpcJsGuest | undefined;

  constructor(limits: ConnectionLimits, clock: Clock, observer?: ConnectionObserver) {
    this.#clock = clock;
    this.#table = new ConnectionTable(limits, clock, observer);
    this.#sweeper = setInterval(() => {
      this.#table.sweep();
    }, SWEEP_MS);
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#table.size;
  }

  /** Call after `bindAsync`. */
  watch(server: Server): void {
    const listeners: unknown = Reflect.get(server, 'http2Servers');
    if (!(listeners instanceof Map)) return;
    for (const listener of listeners.keys() as Iterable<NetServer>) this.#watch(listener);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweeper);
  }

  #watch(listener: NetServer): void {
    listener.prependListener('connection', (socket: Socket) => {
      this.#arriving = new GrpcJsGuest(socket);
      this.#guests.set(socket, this.#arriving);
    });
    // Node's own listener comes between, and must not find a socket that is closed.
    listener.on('connection', (socket: Socket) => {
      const guest = this.#guests.get(socket);
      if (guest === undefined) return;
      if (!this.#table.admit(guest)) {
        socket.destroy();
        return;
      }
      socket.once('close', () => {
        this.#table.left(guest);
      });
    });
    listener.prependListener('secureConnection', (socket: Socket) => {
      this.#arriving = this.#guests.get(socketBelow(socket));
    });
    listener.on('session', (session: ServerHttp2Session) => {
      this.#arriving?.introduce(session, this.#clock);
      this.#arriving = undefined;
    });
  }
}

class GrpcJsGuest implements Guest {
  readonly address: string | null;
  readonly peer: string;
  servedAtMs: number | null = null;
  readonly #socket: Socket;
  #session: ServerHttp2Session | null = null;
  #calls = 0;
  #watches = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.address = socket.remoteAddress ?? null;
    this.peer = this.address === null ? 'unix' : `${this.address}:${String(socket.remotePort)}`;
  }

  get isWorking(): boolean {
    return this.#calls > 0;
  }

  get isOpen(): boolean {
    return this.#calls + this.#watches > 0;
  }

  introduce(session: ServerHttp2Session, clock: Clock): void {
    this.#session = session;
    session.on('stream', (stream: ServerHttp2Stream, headers) => {
      const isWatch = headers[':path']?.endsWith('/Watch') === true;
      if (isWatch) this.#watches += 1;
      else this.#calls += 1;
      stream.once('close', () => {
        if (isWatch) this.#watches -= 1;
        else this.#calls -= 1;
        this.servedAtMs = clock.nowMs();
      });
    });
  }

  /** Node's GOAWAY refuses what is on its way; Envoy sends that again (`retry_on: refused-stream`). */
  leave(): void {
    if (this.#session === null) this.cut();
    else this.#session.close();
  }

  finishLeaving(): void {
    // There is nothing between GOAWAY and the end.
  }

  cut(): void {
    this.#socket.destroy();
  }
}
