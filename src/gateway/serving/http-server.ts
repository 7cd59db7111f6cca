import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  invalidRequest,
  type OAuth2Answer,
  type OAuth2Refusal,
  refusalAnswer,
  refuseOAuth2,
} from '../oauth2/messages.ts';
import type { OAuth2Service } from '../oauth2/oauth2-service.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { whenReady } from '../../base/pending.ts';
import type { ConnectionObserver } from '../../wire/server/connection-table.ts';
import { HttpListener } from '../../wire/server/http-listener.ts';
import type { TlsIdentity } from '../../wire/server/transport.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import {
  HANDSHAKE_TIMEOUT_MS,
  ListenerTls,
  STARTED_IN_PLAIN_TEXT,
  tlsListenerOptions,
} from '../../wire/server/tls-listener.ts';

/** What one request and all of them together may take. */
export const httpLimits = {
  /** Below the 16384 of `envoy.yaml`, so that clients get our own answer. */
  maxBodyBytes: 12_288,
  maxHeaderBytes: 16_384,
  maxConnections: 2048,
  /** Of one address. */
  maxOfAddress: 1024,
  /** Without an answered request; longer than one may take. */
  unusedMs: 30_000,
  /** Beyond {@link keepAliveTimeoutMs}: who takes no answer. */
  idleMs: 90_000,
  /** From connecting to the end of the TLS handshake. */
  handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
  headersTimeoutMs: 10_000,
  /** For the whole request. */
  requestTimeoutMs: 15_000,
  /** Longer than Envoy keeps an idle connection, so that it never sends on one that is being closed. */
  keepAliveTimeoutMs: 75_000,
  /** How often the timeouts are looked at. */
  checkIntervalMs: 1000,
} as const;

/** The limits of an HTTP listener; tests take others. */
export type HttpLimits = { readonly [K in keyof typeof httpLimits]: number };

/** What the listener needs. */
export interface HttpServerPorts {
  readonly service: OAuth2Service;
  readonly address: ListenAddress;
  /** Whether the address of a peer is that of an Envoy; unix sockets and clients with a certificate are one anyway. */
  readonly isTrustedAddress: (address: string) => boolean;
  /** What `/readyz` says to Envoy's health checks; always ready unless given. */
  readonly isReady?: () => boolean;
  readonly limits?: HttpLimits;
  /** None: plain text. */
  readonly tls?: TlsIdentity;
  /** A TLS connection was closed because of what the peer did. `reason` is for people and holds no data of the peer. */
  readonly onConnectionRefused?: (reason: string, peer: string) => void;
  /** Notified of connections that end or are refused for lack of room or use. */
  readonly connectionObserver?: ConnectionObserver;
  /** For how long connections are idle; the machine's unless given. */
  readonly clock?: Clock;
  /** Permissions of the file, where the address is a unix socket. */
  readonly unixSocketMode?: number;
}

/** Where Envoy asks whether requests may be sent here. `envoy.yaml` leads no caller to it. */
const READINESS_PATH = '/readyz';

/**
 * The listener of the OAuth2 endpoints: HTTP/1.1, bounded in bytes, time and connections. Whatever it answers has the
 * form of RFC 6749 §5.2, but for its readiness.
 */
export class HttpServer implements AsyncDisposable {
  readonly #listener: HttpListener;
  /** Null in plain text. */
  readonly #tls: ListenerTls | null;
  readonly #unixSocketMode: number | undefined;
  readonly #service: OAuth2Service;
  readonly #address: ListenAddress;
  readonly #isTrustedAddress: (address: string) => boolean;
  readonly #isReady: () => boolean;
  readonly #limits: HttpLimits;
  /** Whether connections are those of an Envoy. */
  readonly #trust = new WeakMap<Socket, boolean>();
  #running = 0;
  #isDraining = false;

  constructor(ports: HttpServerPorts) {
    const { limits = httpLimits, tls, clock = systemClock, connectionObserver: observer, onConnectionRefused } = ports;
    this.#service = ports.service;
    this.#address = ports.address;
    this.#isTrustedAddress = ports.isTrustedAddress;
    this.#isReady = ports.isReady ?? (() => true);
    this.#limits = limits;
    this.#unixSocketMode = ports.unixSocketMode;
    const options = {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      // Its own answer to such a request would have no body.
      requireHostHeader: false,
    };
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#serve(request, response);
    };
    const server =
      tls === undefined
        ? createServer(options, serve)
        : createTlsServer({ ...options, ...tlsListenerOptions(tls, limits.handshakeTimeoutMs) }, serve);
    this.#listener = new HttpListener({ server, limits, clock, observer });
    if (tls === undefined || !(server instanceof TlsServer)) this.#tls = null;
    else {
      const listenerTls = new ListenerTls(server, tls, {
        onRefused: (reason, socket) => onConnectionRefused?.(reason, socket.remoteAddress ?? 'unix or gone'),
        wasEnded: (socket) => this.#listener.wasEnded(socket),
      });
      server.prependListener('secureConnection', (socket: TLSSocket) => {
        listenerTls.admitsName(socket);
      });
      this.#tls = listenerTls;
    }
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      const refusal = refuseOAuth2(417, 'invalid_request', 'The expectation cannot be met.');
      this.#send(request, response, refusalAnswer(refusal));
    });
    server.on('clientError', answerUnread);
  }

  /** Listens; rejects with the system's error when the address cannot be had. */
  async start(): Promise<void> {
    await this.#listener.start(this.#address, this.#unixSocketMode);
  }

  /**
   * New connections take this identity; those that exist keep theirs. When an authority of `ca` is gone, they end with
   * their next answer. Throws and keeps the old identity as `Transport.replaceTls` does.
   */
  replaceTls(tls: TlsIdentity): void {
    if (this.#tls === null) throw new Error(STARTED_IN_PLAIN_TEXT);
    this.#tls.replace(tls);
  }

  /** Where it really listens: the port that was chosen for 0. */
  address(): ListenAddress {
    return this.#listener.address();
  }

  /** Open connections. */
  get connections(): number {
    return this.#listener.connections;
  }

  /** Takes no new connections, lets running requests end, and gives how many were cut after the grace period. */
  async drain(graceMs: number): Promise<number> {
    this.#isDraining = true;
    let cut = 0;
    await this.#listener.drain(graceMs, () => {
      cut = this.#running;
    });
    return cut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#running += 1;
    response.once('close', () => {
      this.#running -= 1;
    });
    this.#readBody(request, (body) => {
      this.#answer(request, response, body);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: Buffer | OAuth2Refusal): void {
    if (request.url === READINESS_PATH) {
      this.#send(request, response, readinessAnswer(this.#isReady()));
      return;
    }
    if (!Buffer.isBuffer(body)) {
      this.#send(request, response, refusalAnswer(body), { connection: 'close' });
      return;
    }
    const { headersDistinct, method = '', url: target = '', socket } = request;
    const answered = this.#listener.during(request, () =>
      this.#service({
        method,
        target,
        headerValues: (name) => headersDistinct[name] ?? [],
        body,
        peerAddress: socket.remoteAddress ?? null,
        isPeerTrusted: this.#isTrusted(socket),
      }),
    );
    // Not after a promise, where there is none to wait for.
    void whenReady(answered, (answer) => {
      this.#send(request, response, answer);
    });
  }

  #isTrusted(socket: Socket | TLSSocket): boolean {
    if (this.#address.kind === 'unix') return true;
    let isTrusted = this.#trust.get(socket);
    if (isTrusted === undefined) {
      // Only with mutual TLS does a listener ask for a certificate.
      isTrusted = ('authorized' in socket && socket.authorized) || this.#isTrustedAddress(socket.remoteAddress ?? '');
      this.#trust.set(socket, isTrusted);
    }
    return isTrusted;
  }

  /** Goes on with the body when it is complete or too large; not at all when the client disconnected before. */
  #readBody(request: IncomingMessage, then: (body: Buffer | OAuth2Refusal) => void): void {
    const { maxBodyBytes } = this.#limits;
    if (Number(request.headersDistinct['content-length']?.[0] ?? 0) > maxBodyBytes) {
      then(tooLarge(maxBodyBytes));
      return;
    }
    const pieces: Buffer[] = [];
    let length = 0;
    request.on('data', (piece: Buffer) => {
      const wasTooLarge = length > maxBodyBytes;
      length += piece.length;
      if (length <= maxBodyBytes) pieces.push(piece);
      else if (!wasTooLarge) then(tooLarge(maxBodyBytes));
    });
    request.on('end', () => {
      if (length <= maxBodyBytes) then(pieces.length === 1 ? (pieces[0] ?? NOTHING) : Buffer.concat(pieces));
    });
    request.on('error', ignore);
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: OAuth2Answer,
    more: Readonly<Record<string, string>> = {},
  ): void {
    if (response.destroyed) return;
    this.#listener.served(request);
    const closing = this.#isDraining || this.#tls?.isFormer(request.socket) === true ? { connection: 'close' } : {};
    response.writeHead(status, { ...headers, ...closing, ...more, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

const NOTHING = Buffer.alloc(0);

function ignore(): void {
  // Its connection is closed.
}

function readinessAnswer(isReady: boolean): OAuth2Answer {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return isReady ? { status: 200, headers, body: 'ready\n' } : { status: 503, headers, body: 'not ready\n' };
}

function tooLarge(maxBodyBytes: number): OAuth2Refusal {
  return refuseOAuth2(413, 'invalid_request', `The body must have at most ${String(maxBodyBytes)} bytes.`);
}

/** Answers what could not be read as a request, and closes the connection. */
function answerUnread({ code }: NodeJS.ErrnoException, socket: Socket): void {
  const isOfHttp = code?.startsWith('HPE_') === true || code?.startsWith('ERR_HTTP_') === true;
  if (!isOfHttp || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalAnswer(unreadRefusal(code));
  const fields = Object.entries({ ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${String(status)} Refused`, ...fields.map(([name, value]) => `${name}: ${value}`), '', ''];
  socket.end(head.join('\r\n') + body);
}

function unreadRefusal(code: string | undefined): OAuth2Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return refuseOAuth2(431, 'invalid_request', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuseOAuth2(408, 'invalid_request', 'The request took too long.');
  return invalidRequest('The request is not well formed.');
}
