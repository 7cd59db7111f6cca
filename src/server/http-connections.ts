import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import { type ConnectionLimits, type ConnectionObserver, ConnectionTable, type Guest } from './connection-table.ts';
import { socketBelow } from './tls-listener.ts';

/**
 * The {@link ConnectionTable} of a listener of Node's HTTP/1.1. The time for headers, bodies and the next request are Node's to
 * watch; this one counts, makes room, and ends what those leave over, such as a peer that does not read its answer.
 */
export class HttpConnections implements Disposable {
  readonly #clock: Clock;
  readonly #table: ConnectionTable;
  readonly #guests = new WeakMap<Socket, HttpGuest>();

  /** To be made before the server listens. */
  constructor(server: Server, limits: ConnectionLimits, clock: Clock, observer?: ConnectionObserver) {
    this.#clock = clock;
    this.#table = new ConnectionTable(limits, clock, observer);
    server.on('connection', (socket: Socket) => {
      const guest = new HttpGuest(socket);
      if (this.#table.admitSocket(socket, guest)) this.#guests.set(socket, guest);
    });
    server.on('secureConnection', (socket: Socket) => {
      const guest = this.#guests.get(socketBelow(socket));
      if (guest !== undefined) guest.socket = socket;
    });
    this.#table.startSweeping();
  }

  get size(): number {
    return this.#table.size;
  }

  /** Whether the connection was ended, or not taken, by the table. */
  wasSentAway(socket: Socket): boolean {
    return this.#guests.get(socketBelow(socket))?.isSentAway !== false;
  }

  /** Runs what answers a whole request. */
  async during<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> {
    const guest = this.#guests.get(socketBelow(request.socket));
    if (guest !== undefined) guest.running += 1;
    try {
      return await work();
    } finally {
      if (guest !== undefined) guest.running -= 1;
      this.served(request);
    }
  }

  /** A request got its answer. */
  served(request: IncomingMessage): void {
    const guest = this.#guests.get(socketBelow(request.socket));
    if (guest !== undefined) guest.servedAtMs = this.#clock.nowMs();
  }

  /** Ends all at once, those included that Node's server does not know yet: their TLS handshake is not done. */
  [Symbol.dispose](): void {
    this.#table.cutAll();
    this.#table[Symbol.dispose]();
  }
}

class HttpGuest implements Guest {
  readonly address: string | null;
  readonly peer: string;
  /** Node's timeouts are for what is open. */
  readonly isOpen = false;
  servedAtMs: number | null = null;
  running = 0;
  isSentAway = false;
  /** With TLS: after the handshake the one above. */
  socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    this.address = socket.remoteAddress ?? null;
    this.peer = this.address ?? 'unix';
  }

  get isWorking(): boolean {
    return this.running > 0;
  }

  /** HTTP/1.1 has no word for it: the peer sees the end, and repeats what was on its way. */
  leave(): void {
    this.isSentAway = true;
    if (this.servedAtMs === null) this.socket.destroy();
    else this.socket.destroySoon();
  }

  finishLeaving(): void {
    this.socket.destroy();
  }

  cut(): void {
    this.isSentAway = true;
    this.socket.destroy();
  }
}
