import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as TlsServer } from 'node:tls';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Clock } from '../clock.ts';
import type { ListenAddress } from '../net/listen-address.ts';
import { HttpListener } from '../server/http-listener.ts';
import { listenerContext, STARTED_IN_PLAIN_TEXT, tlsListenerOptions } from '../server/tls-listener.ts';
import type { TlsIdentity } from '../server/transport.ts';

/** What one connection, and all of them together, may take. Browsers and programs of operators are few. */
const limits = {
  maxConnections: 512,
  /** Of one address. */
  maxOfAddress: 256,
  /** Without an answered request. */
  unusedMs: 30_000,
  idleMs: 90_000,
} as const;

const httpOptions = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1000,
} as const;

/** What the listener serves. */
export interface ApiListenerPorts {
  readonly fetch: (request: Request, bindings: HttpBindings) => Response | Promise<Response>;
  readonly clock: Clock;
  /** None: plain text. */
  readonly tls?: TlsIdentity;
}

/** The listener of the management API: HTTP/1.1, bounded in time and connections. */
export class ApiListener implements AsyncDisposable {
  readonly #server: ReturnType<typeof createServer>;
  readonly #listener: HttpListener;
  readonly #running = new Set<ServerResponse>();

  constructor({ fetch, clock, tls }: ApiListenerPorts) {
    const answer = getRequestListener((request, bindings) => fetch(request, bindings as HttpBindings));
    const serve = (request: IncomingMessage, response: ServerResponse): void => {
      this.#running.add(response);
      response.once('close', () => this.#running.delete(response));
      void this.#listener.during(request, async () => {
        await answer(request, response);
      });
    };
    this.#server =
      tls === undefined
        ? createServer(httpOptions, serve)
        : createTlsServer({ ...httpOptions, ...tlsListenerOptions(tls) }, serve);
    this.#listener = new HttpListener({ server: this.#server, limits, clock });
  }

  /** Listens; rejects with the system's error when the address cannot be had. */
  async start(address: ListenAddress, unixSocketMode: number): Promise<void> {
    await this.#listener.start(address, unixSocketMode);
  }

  /** Where it really listens. */
  address(): ListenAddress {
    return this.#listener.address();
  }

  /** New connections take this identity; those that exist keep theirs. */
  replaceTls(tls: TlsIdentity): void {
    if (!(this.#server instanceof TlsServer)) throw new Error(STARTED_IN_PLAIN_TEXT);
    this.#server.setSecureContext(listenerContext(tls));
  }

  /** Takes no new connections, lets running requests end, and gives how many were cut after the grace period. */
  async drain(graceMs: number): Promise<number> {
    let cut = 0;
    await this.#listener.drain(graceMs, () => {
      cut = this.#running.size;
    });
    return cut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
  }
}
