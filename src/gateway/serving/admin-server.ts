import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ConnectionLimits, ConnectionObserver } from '../../wire/server/connection-table.ts';
import { HttpListener } from '../../wire/server/http-listener.ts';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import { answerRefusals, REFUSALS_PATH, type SelectRefusals } from './refusals-page.ts';
import { sendUsage, USAGE_PATH } from './usage-page.ts';
import type { TrafficSource } from '../../model/traffic-count.ts';

/** What the admin listener shows. */
export interface AdminPorts {
  /** Null when checks are taken; else why not, in words. */
  readonly findUnreadiness: () => string | null;
  /** Null when all is well; else what is the matter though checks are taken, in words. */
  readonly findNotice: () => string | null;
  /** Which state of the store decides checks, in a word; null until it is known. */
  readonly describeRevision?: () => string | null;
  /** The metrics and their content type. */
  readonly collectMetrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** What this process refused to known callers; null where it does not keep that itself. */
  readonly selectRefusals?: SelectRefusals | null;
  /** The counts of this process; null where a database keeps those of all. */
  readonly traffic?: TrafficSource | null;
  /** Notified of connections that end or are refused for lack of room or use. */
  readonly connectionObserver?: ConnectionObserver;
  /** For how long connections are idle; the machine's unless given. */
  readonly clock?: Clock;
  /** {@link adminConnectionLimits} unless given. */
  readonly connectionLimits?: ConnectionLimits;
}

/** A probe comes every few seconds and leaves; a handful of scrapers stay. */
export const adminConnectionLimits: ConnectionLimits = {
  maxConnections: 128,
  maxOfAddress: 64,
  unusedMs: 10_000,
  idleMs: 90_000,
};

/** The requests of probes and scrapers are small and quick; whatever takes longer is cut. */
const REQUEST_TIMEOUT_MS = 5000;
/** How often that is looked at. */
const CHECK_INTERVAL_MS = 1000;

/**
 * The listener for operators: `/livez` (the process answers), `/readyz` (it takes checks) and `/metrics` (Prometheus).
 * It has no authentication and shows no secret, and so speaks plain HTTP, which probes and scrapers need no
 * certificates for. What is about partners (`/refusals`, and `/usage` without a database) it shows to programs of this
 * machine alone.
 */
export class AdminServer implements AsyncDisposable {
  readonly #listener: HttpListener;

  constructor(ports: AdminPorts) {
    const { clock = systemClock, connectionLimits = adminConnectionLimits, connectionObserver } = ports;
    const options = {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: 8192,
    };
    const server = createServer(options, (request, response) => {
      this.#listener.served(request);
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        send(response, 405, 'only GET and HEAD\n');
        return;
      }
      const [path] = (request.url ?? '').split('?', 1);
      if (path === '/livez') send(response, 200, 'ok\n');
      else if (path === '/readyz') sendReadiness(response, ports);
      else if (path === '/metrics') sendMetrics(response, ports);
      else if (path === REFUSALS_PATH) sendRefusals(request, response, ports.selectRefusals ?? null);
      else if (path === USAGE_PATH) sendUsage(request, response, ports.traffic ?? null);
      else send(response, 404, 'there are /livez, /readyz and /metrics\n');
    });
    this.#listener = new HttpListener({ server, limits: connectionLimits, clock, observer: connectionObserver });
  }

  /**
   * Listens, on a unix socket with these permissions; rejects with the system's error when the address cannot be had.
   */
  async start(address: ListenAddress, unixSocketMode?: number): Promise<void> {
    await this.#listener.start(address, unixSocketMode);
  }

  /** Where it really listens: the port that was chosen for 0. */
  address(): ListenAddress {
    return this.#listener.address();
  }

  /** Open connections. */
  get connections(): number {
    return this.#listener.connections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener[Symbol.asyncDispose]();
  }
}

function sendReadiness(response: ServerResponse, ports: AdminPorts): void {
  const unreadiness = ports.findUnreadiness();
  const notice = ports.findNotice();
  const revision = ports.describeRevision?.() ?? null;
  const known = revision === null ? '' : `revision ${revision}\n`;
  if (unreadiness !== null) send(response, 503, `not ready: ${unreadiness}\n${known}`);
  else send(response, 200, notice === null ? `ready\n${known}` : `ready\n${notice}\n${known}`);
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

function sendRefusals(request: IncomingMessage, response: ServerResponse, select: SelectRefusals | null): void {
  if (select === null) {
    send(response, 404, 'this process keeps no refusals itself: the database does, or POSTERN_REFUSALS is false\n');
    return;
  }
  const { status, text, contentType } = answerRefusals(request, select);
  send(response, status, text, contentType);
}

function send(response: ServerResponse, status: number, text: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(text);
}
