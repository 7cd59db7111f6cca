import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { isPromise, type Pending } from '../../base/pending.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import { type ConnectionLimits, type ConnectionObserver, ConnectionTable, type Guest } from './connection-table.ts';
import { addressOf, closeServer, listenOn } from './listening.ts';

/** What a listener of Node's HTTP/1.1 is made of. */
export interface HttpListenerPorts {
  /** Not listening yet. */
  readonly server: Server;
  readonly limits: ConnectionLimits;
  readonly clock: Clock;
  readonly observer?: ConnectionObserver | undefined;
}

/**
 * A listener of Node's HTTP/1.1 with a {@link ConnectionTable}. The time for headers, bodies and the next request are
 * Node's to watch; the table counts, makes room, and ends what those leave over, such as a peer that does not read its
 * answer.
 */
export class HttpListener implements AsyncDisposable {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #table: ConnectionTable<HttpGuest>;

  constructor({ server, limits, clock, observer }: HttpListenerPorts) {
    this.#server = server;
    this.#clock = clock;
    this.#table = new ConnectionTable(limits, clock, observer);
    server.on('connection', (socket: Socket) => {
      this.#table.admitSocket(socket, new HttpGuest(socket));
    });
    server.on('secureConnection', (socket: Socket) => {
      const guest = this.#table.guestOf(socket);
      if (guest !== undefined) guest.socket = socket;
    });
    this.#table.startSweeping();
  }

  /**
   * Listens, on a unix socket with these permissions; rejects with the system's error when the address cannot be had.
   */
  async start(address: ListenAddress, unixSocketMode?: number): Promise<void> {
    await listenOn(this.#server, address, unixSocketMode);
  }

  /** Where it really listens: the port that was chosen for 0. */
  address(): ListenAddress {
    return addressOf(this.#server);
  }

  /** Open connections. */
  get connections(): number {
    return this.#table.size;
  }

  /** Whether the connection was ended, or not taken, by the table. */
  wasEnded(socket: Socket): boolean {
    return this.#table.wasEnded(socket);
  }

  /** Runs what answers a whole request. */
  during<T>(request: IncomingMessage, work: () => Pending<T>): Pending<T> {
    const guest = this.#table.guestOf(request.socket);
    if (guest !== undefined) guest.running += 1;
    const end = (): void => {
      if (guest !== undefined) guest.running -= 1;
      this.#noteServed(guest);
    };
    let result: Pending<T>;
    try {
      result = work();
    } catch (error) {
      end();
      throw error;
    }
    if (isPromise(result)) return result.finally(end);
    end();
    return result;
  }

  /** A request got its answer. */
  served(request: IncomingMessage): void {
    this.#noteServed(this.#table.guestOf(request.socket));
  }

  #noteServed(guest: HttpGuest | undefined): void {
    if (guest !== undefined) guest.servedAtMs = this.#clock.nowMs();
  }

  /** Stops accepting, waits for running requests, and calls `onLate` before it ends them after so long. */
  async drain(graceMs: number, onLate: () => void): Promise<void> {
    if (!this.#server.listening) return;
    const timer = setTimeout(() => {
      onLate();
      this.#table.cutAll();
    }, graceMs);
    await closeServer(this.#server);
    clearTimeout(timer);
    await this[Symbol.asyncDispose]();
  }

  /** Ends all at once, those included that Node's server does not know yet: their TLS handshake is not done. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#server.listening ? closeServer(this.#server) : undefined;
    this.#table.cutAll();
    this.#table[Symbol.dispose]();
    await closed;
  }
}

class HttpGuest implements Guest {
  readonly address: string | null;
  readonly peer: string;
  /** Node's timeouts are for what is open. */
  readonly isOpen = false;
  servedAtMs: number | null = null;
  running = 0;
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
    if (this.servedAtMs === null) this.socket.destroy();
    else this.socket.destroySoon();
  }

  finishLeaving(): void {
    this.socket.destroy();
  }

  cut(): void {
    this.socket.destroy();
  }
}
