import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { type Clock, type StartTimer, startSystemTimer } from '../../base/clock.ts';
import type { ServiceAddress } from '../../base/config-values.ts';
import { Deadlines } from '../http2/deadlines.ts';
import { readSocket } from '../http2/socket-input.ts';
import { SocketWire } from '../http2/socket-wire.ts';
import { CallFailure, callStatus } from './call-failure.ts';
import { ClientCall } from './client-call.ts';
import { ClientConnection, type ClientContext, type ConnectionHost } from './client-connection.ts';
import { BACKOFF_FACTOR, BACKOFF_JITTER, type ClientLimits, clientLimits } from './client-limits.ts';
import { dial } from './dial.ts';

/** What a channel leads to. */
export interface ChannelOptions {
  readonly address: ServiceAddress;
  /** `/package.Service/Method`, the one method that is called. */
  readonly path: string;
  readonly userAgent: string;
  /** Null: plain text. */
  readonly tls: SecureContext | null;
  readonly clock: Clock;
  readonly startTimer?: StartTimer;
  readonly limits?: ClientLimits;
}

/**
 * Makes unary gRPC calls over one HTTP/2 connection, which is there from the start and made again whenever it must be:
 * at once after one that was of use, else with growing pauses. Calls wait for a connection that is being made, and fail
 * while the last try failed. Each ends by its deadline.
 */
export class Channel implements ConnectionHost, Disposable {
  readonly #address: ServiceAddress;
  readonly #tls: SecureContext | null;
  readonly #context: ClientContext;
  readonly #deadlines: Deadlines<ClientCall>;
  /** In the order in which they go on. */
  readonly #waiting = new Set<ClientCall>();
  readonly #sockets = new Set<Socket>();
  readonly #old = new Set<ClientConnection>();
  /** The one that takes calls. */
  #current: ClientConnection | null = null;
  /** Why the last connection failed; null from the next one on that is ready. */
  #fault: string | null = null;
  #failures = 0;
  #stopPause: (() => void) | null = null;
  #onReady: (() => void)[] = [];
  #isClosing = false;

  constructor({
    address,
    path,
    userAgent,
    tls,
    clock,
    startTimer = startSystemTimer,
    limits = clientLimits,
  }: ChannelOptions) {
    this.#address = address;
    this.#tls = tls;
    const scheme = tls === null ? 'http' : 'https';
    this.#context = { fields: { scheme, authority: authorityOf(address), path, userAgent }, limits, clock, startTimer };
    this.#deadlines = new Deadlines(clock, startTimer, (call) => {
      const failure = new CallFailure(callStatus.deadlineExceeded, 'no answer came in time');
      if (call.connection === null) call.fail(failure);
      else call.connection.cancel(call, failure);
    });
    this.#dial();
  }

  /**
   * Calls the method. `message` must not change until the call has ended. Rejects with {@link CallFailure} for whatever
   * is not one complete message with `grpc-status: 0` by `deadlineAtMs`, on the scale of the clock.
   */
  call(message: Uint8Array, deadlineAtMs: number): Promise<Buffer> {
    return new Promise<Buffer>((resolve, reject) => {
      const call = new ClientCall({ message, deadlineAtMs, resolve, reject, ended: this.#ended });
      if (this.#isClosing) call.fail(closed());
      else {
        this.#deadlines.add(call);
        this.#place(call);
      }
    });
  }

  /** Calls back when there is a connection that takes calls; at once when there is one. */
  onceReady(then: () => void): void {
    if (this.#current === null) this.#onReady.push(then);
    else then();
  }

  /** Takes no more calls, and ends when those that it has come to their end. */
  close(): void {
    this.#isClosing = true;
    this.#onReady = [];
    this.#endWhenIdle();
  }

  /** Ends at once; calls fail. */
  [Symbol.dispose](): void {
    this.#isClosing = true;
    this.#onReady = [];
    this.#stop();
    for (const call of this.#deadlines.all()) call.fail(closed());
    for (const connection of [...this.#old, ...(this.#current === null ? [] : [this.#current])]) {
      connection.destroy('the client has ended');
    }
    for (const socket of this.#sockets) socket.destroy();
  }

  /** For the connections. */
  ready(connection: ClientConnection): void {
    this.#fault = null;
    this.#current = connection;
    this.hasRoom(connection);
    for (const then of this.#onReady.splice(0)) then();
  }

  /** For the connections. */
  hasRoom(connection: ClientConnection): void {
    if (this.#waiting.size === 0 || connection !== this.#current) return;
    for (const call of this.#waiting) {
      if (!connection.admits) return;
      this.#waiting.delete(call);
      this.#begin(call, connection);
    }
  }

  /** For the connections. */
  unprocessed(call: ClientCall): void {
    call.connection = null;
    this.#place(call);
  }

  /** For the connections. */
  leaving(connection: ClientConnection): void {
    if (connection !== this.#current) return;
    this.#current = null;
    this.#old.add(connection);
    const [oldest] = this.#old;
    if (this.#old.size > this.#context.limits.maxOldConnections) oldest?.destroy('it did not end in time');
    this.#dialAgain(connection, 'the connection is being closed');
  }

  /** For the connections. */
  lost(connection: ClientConnection, reason: string): void {
    if (this.#old.delete(connection)) return;
    if (connection === this.#current) this.#current = null;
    this.#dialAgain(connection, reason);
  }

  /** A call has ended; shared by all of them. */
  readonly #ended = (call: ClientCall): void => {
    this.#deadlines.delete(call);
    call.connection = null;
    this.#waiting.delete(call);
    if (this.#isClosing) this.#endWhenIdle();
  };

  #place(call: ClientCall): void {
    if (this.#current?.admits === true) this.#begin(call, this.#current);
    else if (this.#current === null && this.#fault !== null) call.fail(this.#unreachable(this.#fault));
    else if (this.#waiting.size < this.#context.limits.maxWaitingCalls) this.#waiting.add(call);
    else call.fail(new CallFailure(callStatus.resourceExhausted, 'too many calls wait'));
  }

  #begin(call: ClientCall, connection: ClientConnection): void {
    call.connection = connection;
    connection.begin(call);
  }

  #unreachable(reason: string): CallFailure {
    return new CallFailure(callStatus.unavailable, `no connection: ${reason}`);
  }

  #dialAgain(connection: ClientConnection, reason: string): void {
    if (this.#isClosing || !connection.isProven) this.#failed(reason);
    else {
      this.#failures = 0;
      this.#dial();
    }
  }

  #dial(): void {
    let connection: ClientConnection | null = null;
    const { socket, reason } = dial(this.#address, this.#tls, () => {
      const wire = new SocketWire(socket, () => connection?.drained());
      connection = new ClientConnection(this.#context, wire, this);
      readSocket(socket, (input) => connection?.receive(input));
    });
    this.#sockets.add(socket);
    const { connectMs } = this.#context.limits;
    const stopWaiting = this.#context.startTimer(connectMs, () => {
      if (connection === null) socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
      else if (!connection.isReady) connection.destroy('it did not introduce itself in time');
    });
    socket.once('close', () => {
      stopWaiting();
      this.#sockets.delete(socket);
      if (connection !== null) connection.wireLost(reason());
      else this.#failed(reason());
    });
  }

  #failed(reason: string): void {
    this.#fault = reason;
    this.#failures += 1;
    for (const call of this.#waiting) call.fail(this.#unreachable(reason));
    if (this.#isClosing) return;
    const { firstBackoffMs, maxBackoffMs } = this.#context.limits;
    const pauseMs = Math.min(maxBackoffMs, firstBackoffMs * BACKOFF_FACTOR ** (this.#failures - 1));
    const jitter = Math.floor(pauseMs * BACKOFF_JITTER);
    this.#stopPause = this.#context.startTimer(pauseMs + randomInt(-jitter, jitter + 1), () => {
      this.#stopPause = null;
      this.#dial();
    });
  }

  #endWhenIdle(): void {
    if (this.#deadlines.size > 0) return;
    this.#stop();
    if (this.#current === null) for (const socket of this.#sockets) socket.destroy();
    else this.#current.leave();
  }

  #stop(): void {
    this.#deadlines.stop();
    this.#stopPause?.();
    this.#stopPause = null;
  }
}

/** RFC 3986 §3.2. */
function authorityOf({ host, port }: ServiceAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

function closed(): CallFailure {
  return new CallFailure(callStatus.unavailable, 'the client has ended');
}
