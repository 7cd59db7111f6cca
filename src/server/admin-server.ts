import { createServer, type Server, type ServerResponse } from 'node:http';
import type { ListenAddress } from './transport.ts';
import { addressOf, listenOn } from './listening.ts';

/** What the admin listener shows. */
export interface AdminPorts {
  /** Null when checks are taken; else why not, in words. */
  readonly findUnreadiness: () => string | null;
  /** Null when all is well; else what is the matter though checks are taken, in words. */
  readonly findNotice: () => string | null;
  /** The metrics and their content type. */
  readonly collectMetrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
}

/** The requests of probes and scrapers are small and quick; whatever takes longer is cut. */
const REQUEST_TIMEOUT_MS = 5000;

/**
 * The listener for operators: `/livez` (the process answers), `/readyz` (it takes checks) and `/metrics` (Prometheus).
 * It has no authentication and shows nothing about consumers, and so
 * speaks plain HTTP, which probes and scrapers need no certificates for.
 */
export class AdminServer implements AsyncDisposable {
  readonly #server: Server;

  constructor(ports: AdminPorts) {
    this.#server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 8192 }, (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        send(response, 405, 'only GET and HEAD\n');
        return;
      }
      const [path] = (request.url ?? '').split('?', 1);
      if (path === '/livez') send(response, 200, 'ok\n');
      else if (path === '/readyz') sendReadiness(response, ports);
      else if (path === '/metrics') sendMetrics(response, ports);
      else send(response, 404, 'there are /livez, /readyz and /metrics\n');
    });
  }

  /** Listens, on a unix socket with these permissions; rejects with the system's error when the address cannot be had. */
  async start(address: ListenAddress, unixSocketMode?: number): Promise<void> {
    await listenOn(this.#server, address, unixSocketMode);
  }

  /** Where it really listens: the port that was chosen for 0. */
  address(): ListenAddress {
    return addressOf(this.#server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
  }
}

function sendReadiness(response: ServerResponse, ports: AdminPorts): void {
  const unreadiness = ports.findUnreadiness();
  const notice = ports.findNotice();
  if (unreadiness !== null) send(response, 503, `not ready: ${unreadiness}\n`);
  else send(response, 200, notice === null ? 'ready\n' : `ready\n${notice}\n`);
}

function sendMetrics(response: ServerResponse, ports: AdminPorts): void {
  ports.collectMetrics().then(
    ({ text, contentType }) => {
      send(response, 200, text, contentType);
    },
    () => {
      send(response, 500, 'the metrics could not be collected\n');
    },
  );
}

function send(response: ServerResponse, status: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(text);
}
