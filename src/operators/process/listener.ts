import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer, type TLSSocket } from 'node:tls';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Peer } from '../api/ports.ts';
import type { Clock } from '../../base/clock.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import { callerOf, sourceOf } from '../../gateway/oauth2/messages.ts';
import { HttpListener } from '../../wire/server/http-listener.ts';
import {
  identityNamesOf,
  ListenerTls,
  STARTED_IN_PLAIN_TEXT,
  tlsListenerOptions,
} from '../../wire/server/tls-listener.ts';
import type { TlsIdentity } from '../../wire/server/transport.ts';
import { findRequestFault } from './request-fault.ts';
import { answerSocket, answerUnread, type Refuse } from './unread-answer.ts';
import { MAX_HEADER_BYTES } from '../api/document-headers.ts';

/** What one connection, and all of them together, may take. Browsers and programs of operators are few. */
export const manageConnectionLimits = {
  maxConnections: 512,
  /** Of one address. */
  maxOfAddress: 256,
  /** Without an answered request. */
  unusedMs: 30_000,
  idleMs: 90_000,
} as const;

const httpOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  keepAliveTimeout: 60_000,
  // Its own answer to such a request would have neither a body nor a line in the log.
  requireHostHeader: false,
} as const;

/** How long the parts of a request may take to arrive, and how often that is looked at; Node's names, milliseconds. */
export interface ArrivalTimes {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}

const arrivalTimes: ArrivalTimes = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
};

/** What the listener serves. */
export interface ApiListenerPorts {
  readonly fetch: (request: Request, bindings: HttpBindings & Peer) => Response | Promise<Response>;
  /** Answers, and tells the log, what is no request that `fetch` could look at. */
  readonly refuse: Refuse;
  /** Whether what a peer says in `x-envoy-external-address` is believed, by its address. */
  readonly isTrustedAddress: (address: string) => boolean;
  readonly clock: Clock;
  /** None: plain text. With `ca`, clients are asked for a certificate, and served without one too. */
  readonly tls?: TlsIdentity;
  /** 10 s for the head and 30 s for the whole unless given. */
  readonly times?: ArrivalTimes;
}

/** The listener of the management API: HTTP/1.1, bounded in time and connections. */
export class ApiListener implements AsyncDisposable {
  readonly #listener: HttpListener;
  /** Null in plain text. */
  readonly #tls: ListenerTls | null;
  readonly #running = new Set<ServerResponse>();
  readonly #isTrustedAddress: (address: string) => boolean;

  constructor({ fetch, refuse, isTrustedAddress, clock, tls, times = arrivalTimes }: ApiListenerPorts) {
    this.#isTrustedAddress = isTrustedAddress;
    const options = { ...httpOptions, ...times };
    const answer = getRequestListener((request, bindings) => {
      const { incoming, outgoing } = bindings as HttpBindings;
      return fetch(request, { incoming, outgoing, ...this.#peerOf(incoming) });
    });
    const refuseUnread = async (request: IncomingMessage, response: ServerResponse, reason: string): Promise<void> => {
      await answerUnread(response, refuse({ method: request.method ?? '', status: 400, reason }));
    };
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#running.add(response);
      response.once('close', () => this.#running.delete(response));
      // Whom an authority vouched for that was removed has to show a certificate again.
      if (this.#tls?.isFormer(request.socket) === true) response.setHeader('connection', 'close');
      const fault = findRequestFault(request);
      void this.#listener.during(request, async () => {
        if (fault === null) await answer(request, response);
        else await refuseUnread(request, response, fault);
      });
    };
    const server =
      tls === undefined
        ? createServer(options, serve)
        : createTlsServer({ ...options, ...tlsListenerOptions(tls), rejectUnauthorized: false }, serve);
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      void refuseUnread(request, response, 'the expectation cannot be met');
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      void answerSocket(error, socket, refuse);
    });
    this.#listener = new HttpListener({ server, limits: manageConnectionLimits, clock });
    this.#tls =
      tls === undefined || !(server instanceof TlsServer)
        ? null
        : new ListenerTls(server, tls, {
            onRefused: () => undefined,
            wasEnded: (socket) => this.#listener.wasEnded(socket),
          });
  }

  /** Listens; rejects with the system's error when the address cannot be had. */
  async start(address: ListenAddress, unixSocketMode: number): Promise<void> {
    await this.#listener.start(address, unixSocketMode);
  }

  /** Open connections. */
  get connections(): number {
    return this.#listener.connections;
  }

  /** Where it really listens. */
  address(): ListenAddress {
    return this.#listener.address();
  }

  /**
   * New connections take this identity; those that exist keep theirs. When an authority of `ca` is gone, their
   * certificates count no more. Throws and keeps the old identity as `Transport.replaceTls` does.
   */
  replaceTls(tls: TlsIdentity): void {
    if (this.#tls === null) throw new Error(STARTED_IN_PLAIN_TEXT);
    this.#tls.replace(tls);
  }

  /** Takes no new connections, lets running requests end, and gives how many were cut after the grace period. */
  async drain(graceMs: number): Promise<number> {
    let cut = 0;
    await this.#listener.drain(graceMs, () => {
      cut = this.#running.size;
    });
    return cut;
  }

  #peerOf({ socket, headersDistinct }: IncomingMessage): Peer {
    const { remoteAddress = null } = socket;
    const sourced = {
      headerValues: (name: string) => headersDistinct[name] ?? [],
      peerAddress: remoteAddress,
      // Without an address: on a Unix socket there is a proxy of this machine.
      isPeerTrusted: remoteAddress === null || this.#isTrustedAddress(remoteAddress),
    };
    return {
      certificateNames: this.#namesOf(socket),
      address: callerOf(sourced) ?? 'unix',
      source: sourceOf(sourced),
    };
  }

  /** Of a certificate that an authority of now vouches for; one of anybody else's counts like none. */
  #namesOf(socket: Socket | TLSSocket): readonly string[] {
    if (this.#tls === null || !('authorized' in socket) || !socket.authorized) return [];
    return this.#tls.isFormer(socket) ? [] : identityNamesOf(socket.getPeerX509Certificate());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
  }
}
