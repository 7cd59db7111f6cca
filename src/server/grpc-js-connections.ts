import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import type { Clock } from '../clock.ts';
import { type ConnectionLimits, type ConnectionObserver, ConnectionTable, type Guest } from './connection-table.ts';
import { socketBelow } from './listening.ts';

/** Per call: the largest message fits without a round trip. */
const STREAM_WINDOW_BYTES = 12 * 1024 * 1024;
/** Per connection: a few of the largest at once. */
const CONNECTION_WINDOW_BYTES = 64 * 1024 * 1024;

/**
 * Postern reads two private fields of grpc-js's server, here and nowhere else, because no public way leads to what they
 * hold:
 *
 * - `commonServerOptions`, the options of Node's HTTP/2 servers: `grpc-node.flow_control_window` is an option of
 *   grpc-js's clients only, and the options of `ServerCredentials` are not read without TLS.
 * - `http2Servers`, Node's servers: `createConnectionInjector` would give Postern the sockets, but neither their
 *   sessions nor their calls, so that no connection would show as idle, and none could be ended in good order.
 *
 * Throws for a version of grpc-js without them: without bounds a listener must not open.
 */
function privateField<T>(server: Server, name: string, isExpected: (value: unknown) => value is T): T {
  const value: unknown = Reflect.get(server, name);
  if (!isExpected(value)) throw new Error(`this version of @grpc/grpc-js has no ${name} as Postern knows it`);
  return value;
}

/**
 * Lets every stream send {@link STREAM_WINDOW_BYTES} (SETTINGS_INITIAL_WINDOW_SIZE, RFC 9113 §6.5.2): with HTTP/2's 64
 * KiB a 10 MiB check waits for many round trips. To be called before `bindAsync`.
 */
export function widenStreamWindows(server: Server): void {
  const options = privateField(server, 'commonServerOptions', isObject);
  const settings = options['settings'] ?? {};
  Object.assign(options, { settings: { ...settings, initialWindowSize: STREAM_WINDOW_BYTES } });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map;
}

/**
 * The {@link ConnectionTable} of a grpc-js server, which has no bound of connections of its own. What a call is waiting
 * for cannot be seen from here, so that a half-received one counts as worked on.
 */
export class GrpcJsConnections implements Disposable {
  readonly #clock: Clock;
  readonly #table: ConnectionTable<GrpcJsGuest>;
  readonly #guests = new WeakMap<Socket, GrpcJsGuest>();
  /** Whose session is made in this turn. */
  #arriving: GrpcJsGuest | undefined;

  constructor(limits: ConnectionLimits, clock: Clock, observer?: ConnectionObserver) {
    this.#clock = clock;
    this.#table = new ConnectionTable(limits, clock, observer);
    this.#table.startSweeping();
  }

  get size(): number {
    return this.#table.size;
  }

  /** Call after `bindAsync`. */
  watch(server: Server): void {
    const listeners = [...privateField(server, 'http2Servers', isMap).keys()];
    const known = listeners.filter((listener) => listener instanceof NetServer);
    if (known.length === 0 || known.length < listeners.length)
      throw new Error("grpc-js listens by other servers than Node's");
    for (const listener of known) this.#watch(listener);
  }

  [Symbol.dispose](): void {
    this.#table[Symbol.dispose]();
  }

  #watch(listener: NetServer): void {
    listener.prependListener('connection', (socket: Socket) => {
      this.#arriving = new GrpcJsGuest(socket);
      this.#guests.set(socket, this.#arriving);
    });
    // Node's own listener comes between, and must not find a socket that is closed.
    listener.on('connection', (socket: Socket) => {
      const guest = this.#guests.get(socket);
      if (guest !== undefined) this.#table.admitSocket(socket, guest);
    });
    listener.prependListener('secureConnection', (socket: Socket) => {
      this.#arriving = this.#guests.get(socketBelow(socket));
    });
    listener.on('session', (session: ServerHttp2Session) => {
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
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
