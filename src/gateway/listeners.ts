import { setTimeout as delay } from 'node:timers/promises';
import type { OAuth2Service } from './oauth2/oauth2-service.ts';
import type { LineBudget } from './observe/line-budget.ts';
import { createConnectionObserver } from './observe/listener-metrics.ts';
import { AdminServer } from './serving/admin-server.ts';
import type { CreateTransport } from '../wire/server/create-transport.ts';
import { HttpServer } from './serving/http-server.ts';
import { formatListenAddress, type ListenAddress } from '../base/net/listen-address.ts';
import { createPeerTrust, knowsNoOtherMachine } from '../base/net/networks.ts';
import type { Methods, TlsIdentity, Transport } from '../wire/server/transport.ts';
import type { TlsMaterial } from '../wire/tls/tls-files.ts';
import type { PartPorts } from './parts.ts';
import type { Readiness } from './readiness.ts';
import type { GatewayStore } from './store.ts';
import type { FollowedTls } from './tls.ts';

/** Envoy asks for health every second and gives up after two bad answers: by then it calls other replicas. */
const NOT_READY_MS = 2500;

/** What every listener needs. */
export interface ListenerPorts extends PartPorts {
  readonly budget: Pick<LineBudget, 'take'>;
  readonly readiness: Readiness;
}

/** What the listeners for Envoy and for clients of OAuth2 need. */
export interface CallerListenersPorts extends ListenerPorts {
  readonly tls: FollowedTls | null;
  /** Of the gRPC listener. */
  readonly createTransport: CreateTransport;
  readonly methods: Methods;
  readonly readsTraceParent: boolean;
  /** Of the OAuth2 listener. */
  readonly service: OAuth2Service;
}

/** What the listener for operators needs. */
export interface AdminListenerPorts extends ListenerPorts {
  readonly store: Pick<GatewayStore, 'refusals' | 'traffic'>;
}

/** Makes the listener for operators: health, metrics, and what this process remembers of refusals and usage. */
export function createAdminServer(ports: AdminListenerPorts): AdminServer {
  const { clock, readiness, metrics, store } = ports;
  const remembered = store.refusals?.memory ?? null;
  const { registry } = metrics;
  const server = new AdminServer({
    clock,
    connectionObserver: createConnectionObserver(ports, 'admin'),
    findUnreadiness: () => readiness.findUnreadiness(),
    findNotice: () => readiness.findNotice(),
    selectRefusals: remembered === null ? null : (selection) => remembered.select(selection),
    describeRevision: () => readiness.describeRevision(),
    collectMetrics: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
    traffic: store.traffic,
  });
  metrics.listeners.showConnections('admin', () => server.connections);
  return server;
}

/** Where they listen: the ports that were chosen for 0. */
export interface OpenListeners {
  readonly grpc: string;
  readonly http: string;
}

/**
 * The two listeners that Envoy calls: gRPC, and OAuth2 over HTTP. They open together, once checks can be decided: until
 * then a connection is refused, and Envoy asks another replica, which an answer of 503 would prevent.
 */
export class CallerListeners implements AsyncDisposable {
  readonly #ports: CallerListenersPorts;
  readonly #http: HttpServer;
  readonly #transport: Transport;
  readonly #following: AsyncDisposable | null;
  #opening: Promise<unknown> | null = null;

  constructor(ports: CallerListenersPorts) {
    this.#ports = ports;
    const { config, tls, metrics } = ports;
    const identityOf = (material: TlsMaterial): TlsIdentity => tlsIdentity(material, config.tlsClientNames);
    const identity = tls === null ? null : identityOf(tls.material);
    this.#http = createHttpServer(ports, identity);
    this.#transport = createGrpcTransport(ports, identity);
    metrics.listeners.showConnections('oauth2', () => this.#http.connections);
    metrics.listeners.showTransport(this.#transport);
    this.#following =
      tls?.follow((material) => {
        const identity = identityOf(material);
        this.#transport.replaceTls(identity);
        if (config.httpTls) this.#http.replaceTls(identity);
      }) ?? null;
  }

  /** Opens both, once, and gives where they listen. Rejects, naming the setting, when an address cannot be had. */
  async open(): Promise<OpenListeners> {
    const opening = this.#open();
    this.#opening = opening;
    return await opening;
  }

  /**
   * Gives Envoy the time to see that health says NOT_SERVING, then closes both and lets running requests end, all
   * within the grace period. `isHurried` skips the wait for Envoy.
   */
  async drain(isHurried: boolean): Promise<void> {
    if (this.#opening === null) return;
    const { config, logger } = this.#ports;
    const graceMs = config.shutdownGraceSeconds * 1000;
    const notReadyMs = isHurried ? 0 : Math.min(NOT_READY_MS, graceMs / 2);
    await delay(notReadyMs);
    const [cut, cutHttp] = await Promise.all([
      this.#transport.drain(graceMs - notReadyMs),
      this.#http.drain(graceMs - notReadyMs),
    ]);
    if (cut > 0) logger.warn('checks were cut at the end of the grace period', { checks: cut });
    if (cutHttp > 0) logger.warn('OAuth2 requests were cut at the end of the grace period', { requests: cutHttp });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opening?.catch(() => undefined); // its caller was given the error
    await this.#following?.[Symbol.asyncDispose]();
    await this.#transport[Symbol.asyncDispose]();
    await this.#http[Symbol.asyncDispose]();
  }

  async #open(): Promise<OpenListeners> {
    const { httpAddress, grpcAddress } = this.#ports.config;
    await listen('POSTERN_HTTP_ADDRESS', httpAddress, async () => {
      await this.#http.start();
    });
    await listen('POSTERN_GRPC_ADDRESS', grpcAddress, async () => {
      await this.#transport.start();
    });
    return { grpc: formatListenAddress(this.#transport.address()), http: formatListenAddress(this.#http.address()) };
  }
}

function createHttpServer(ports: CallerListenersPorts, identity: TlsIdentity | null): HttpServer {
  const { config, logger, budget, readiness } = ports;
  const tls = config.httpTls ? identity : null;
  const isMutual = tls?.ca !== undefined;
  if (!isMutual && knowsNoOtherMachine(config.httpAddress, config.trustedProxies)) {
    logger.warn('callers of the OAuth2 endpoints through an Envoy on another machine all count as that Envoy');
  }
  return new HttpServer({
    service: ports.service,
    address: config.httpAddress,
    ...(tls === null ? {} : { tls }),
    unixSocketMode: config.unixSocketMode,
    isTrustedAddress: createPeerTrust(config.trustedProxies),
    clock: ports.clock,
    connectionObserver: createConnectionObserver(ports, 'oauth2'),
    onConnectionRefused: (reason, peer) => {
      if (budget.take('connection')) logger.warn('an OAuth2 connection was closed', { reason, peer });
    },
    isReady: () => readiness.canDecideEveryone(),
  });
}

function createGrpcTransport(ports: CallerListenersPorts, tls: TlsIdentity | null): Transport {
  const { config, logger, budget, metrics } = ports;
  return ports.createTransport({
    ...(tls === null ? {} : { tls }),
    unixSocketMode: config.unixSocketMode,
    address: config.grpcAddress,
    methods: ports.methods,
    clock: ports.clock,
    readsTraceParent: ports.readsTraceParent,
    connectionObserver: createConnectionObserver(ports, 'grpc'),
    observer: {
      defect: (error, path) => {
        logger.error('a gRPC method failed by a defect of this program', { path }, error);
      },
      connectionRefused: (reason, peer) => {
        if (budget.take('connection')) logger.warn('a gRPC connection was closed', { reason, peer });
      },
      memoryRefused: (pool, peer) => {
        metrics.listeners.memoryRefusals.inc({ pool });
        if (budget.take('memory')) logger.warn('a gRPC call was refused for lack of memory', { pool, peer });
      },
    },
  });
}

/** What a listener shows of itself, and whom it trusts. Throws for files without a certificate: they were checked. */
export function tlsIdentity({ certificate, key, ca }: TlsMaterial, clientNames: readonly string[] | null): TlsIdentity {
  if (certificate === null || key === null) throw new Error('a listener needs a certificate and its key');
  const own = { cert: certificate, key };
  if (ca === null) return own;
  return clientNames === null ? { ...own, ca } : { ...own, ca, clientNames };
}

/** Starts one listener; what is wrong with its address is reported by the name of its setting. */
export async function listen(setting: string, address: ListenAddress, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${setting}: cannot listen on ${formatListenAddress(address)}: ${reason}`, { cause: error });
  }
}
