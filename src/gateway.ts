import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.ts';
import type { Config, Environment } from './config.ts';
import { openGatewayLimiter } from './gateway-limiter.ts';
import { type GatewayStore, openGatewayStore } from './gateway-store.ts';
import { openGatewayTls } from './gateway-tls.ts';
import { createOAuth2, createProcessRing } from './oauth2/create-oauth2.ts';
import { keepRevokedTokensInProcess } from './oauth2/revoked-tokens.ts';
import { createCheckObserver } from './observe/check-observer.ts';
import { openRequestLog } from './observe/request-log.ts';
import type { Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { createOAuth2Observer } from './observe/oauth2-observer.ts';
import { openTracing } from './observe/traces/tracing.ts';
import { TlsMetrics } from './observe/tls-metrics.ts';
import { InProcessReplayGuard } from './replay/in-process.ts';
import { AdminServer } from './server/admin-server.ts';
import { createCheckHandler } from './server/check-handler.ts';
import { createTransport } from './server/create-transport.ts';
import { Health } from './server/health.ts';
import { HttpServer } from './server/http-server.ts';
import { formatListenAddress } from './server/listen-address.ts';
import { type ListenAddress, maxCheckMessageBytes, type Methods } from './server/transport.ts';
import { startSystemTimer } from './store/timer.ts';
import { readVersion } from './version.ts';

const AUTHORIZATION_SERVICE = 'envoy.service.auth.v3.Authorization';
/** Envoy asks for our health every second and gives up after two bad answers: it has moved on by then. */
const NOT_READY_MS = 2500;

/** What the gateway takes from the process it runs in. */
export interface GatewayPorts {
  readonly config: Config;
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Monotonic, in milliseconds. */
  readonly elapsedMs: () => number;
}

/** A running gateway. Disposing of it stops at once; {@link stop} stops without losing a request. */
export interface Gateway extends AsyncDisposable {
  /**
   * Not ready, drain, close (interfaces §3): Envoy is told to go elsewhere first, checks that run may end within the
   * grace period. `isHurried` skips the wait for Envoy, for people at a terminal.
   */
  stop(isHurried: boolean): Promise<void>;
}

/**
 * The composition root: builds store, pipeline and listeners from the configuration, and owns their lives.
 * Rejects, with nothing left running, when the store has no good state or an address cannot be had.
 */
export async function startGateway(ports: GatewayPorts): Promise<Gateway> {
  const { config, clock, logger, elapsedMs } = ports;
  const parts: AsyncDisposable[] = [];
  const dispose = async (): Promise<void> => {
    for (const part of parts.splice(0).reverse()) await part[Symbol.asyncDispose]();
  };
  try {
    const health = new Health([AUTHORIZATION_SERVICE]);
    const version = readVersion();
    const metrics = new Metrics(() => store.snapshots.ageSeconds(), version);
    const tracing = await openTracing({ ...ports, version, metrics });
    if (tracing !== null) parts.push(tracing);
    const budget = openRequestLog({ logger, registry: metrics.registry, elapsedMs, startTimer: startSystemTimer });
    parts.push({
      [Symbol.asyncDispose]: () => {
        budget[Symbol.dispose]();
        return Promise.resolve();
      },
    });
    const store: GatewayStore = await openGatewayStore({ ...ports, metrics });
    parts.push(store);
    const { snapshots } = store;
    const tlsMetrics = new TlsMetrics(metrics.registry);
    const limits = await openGatewayLimiter({ ...ports, metrics, tlsMetrics });
    parts.push(limits);
    const { keyRing, recordUse } = store;
    const observerPorts = { logger, metrics, budget, recordUse };
    const processRing = createProcessRing(clock.nowSeconds());
    if (keyRing === null) logger.info('access tokens live as long as this process: no key ring is configured');
    const replayGuard = snapshots.database?.replayGuard ?? new InProcessReplayGuard(clock);
    if (snapshots.database === null) {
      logger.info('used signatures are remembered by this process only, for endpoints with replayProtection');
    }
    const revokedTokens = snapshots.database?.revokedTokens ?? keepRevokedTokensInProcess(clock);
    const oauth2 = createOAuth2({
      publicUrl: config.publicUrl,
      clock,
      ring: () => keyRing?.ring ?? processRing,
      revokedTokens,
      credentials: () => snapshots.current().credentials,
      observer: createOAuth2Observer(observerPorts),
    });
    const handleCheck = createCheckHandler({
      clock,
      elapsedMs,
      snapshot: () => snapshots.current(),
      tokens: oauth2.tokens,
      revokedTokens,
      replayGuard,
      limiter: limits.limiter,
      onLimiterFailure: () => {
        metrics.countLimiterFailure();
      },
      observer: createCheckObserver(observerPorts),
      startTrace: tracing?.startTrace ?? null,
    });
    const methods: Methods = new Map([
      [
        `/${AUTHORIZATION_SERVICE}/Check`,
        { kind: 'unary', handle: handleCheck, maxMessageBytes: maxCheckMessageBytes },
      ],
      ...health.methods(),
    ]);
    const admin = new AdminServer({
      findUnreadiness: () => (health.serving ? null : (snapshots.findUnreadiness() ?? 'starting or stopping')),
      findNotice: () => snapshots.findNotice(),
      collectMetrics: async () => ({
        text: await metrics.registry.metrics(),
        contentType: metrics.registry.contentType,
      }),
    });
    parts.push(admin);
    await listen('POSTERN_ADMIN_ADDRESS', config.adminAddress, async () => {
      await admin.start(config.adminAddress, config.unixSocketMode);
    });
    const tls = await openGatewayTls({ ...ports, tlsMetrics });
    const http = new HttpServer({
      service: oauth2.service,
      address: config.httpAddress,
      ...(tls !== null && config.httpTls ? { tls: tls.identity } : {}),
      unixSocketMode: config.unixSocketMode,
      onConnectionRefused: (reason, peer) => {
        if (budget.take('connection')) logger.warn('an OAuth2 connection was closed', { reason, peer });
      },
      isReady: () => health.serving,
    });
    parts.push(http);
    await listen('POSTERN_HTTP_ADDRESS', config.httpAddress, async () => {
      await http.start();
    });
    const transport = createTransport(config.grpcTransport, {
      ...(tls === null ? {} : { tls: tls.identity }),
      unixSocketMode: config.unixSocketMode,
      address: config.grpcAddress,
      methods,
      clock,
      readsTraceParent: tracing !== null,
      observer: {
        defect: (error, path) => {
          logger.error('a gRPC method failed by a defect of this program', { path }, error);
        },
        connectionRefused: (reason, peer) => {
          if (budget.take('connection')) logger.warn('a gRPC connection was closed', { reason, peer });
        },
      },
    });
    parts.push(transport);
    if (tls !== null) {
      const following = tls.follow((identity) => {
        transport.replaceTls(identity);
        if (config.httpTls) http.replaceTls(identity);
      });
      parts.push(following);
    }
    await listen('POSTERN_GRPC_ADDRESS', config.grpcAddress, async () => {
      await transport.start();
    });
    const addresses = {
      grpc: formatListenAddress(transport.address()),
      http: formatListenAddress(http.address()),
      admin: formatListenAddress(admin.address()),
    };
    let isStopping = false;
    const serve = (): void => {
      if (isStopping) return;
      health.setServing(true);
      logger.info('ready', addresses);
    };
    if (snapshots.findUnreadiness() === null) serve();
    else {
      logger.info('listening; every check is refused with 503 until the database was read', addresses);
      void snapshots.ready.then(serve);
    }
    return {
      [Symbol.asyncDispose]: dispose,
      stop: async (isHurried) => {
        isStopping = true;
        health.setServing(false);
        const graceMs = config.shutdownGraceSeconds * 1000;
        const notReadyMs = isHurried ? 0 : Math.min(NOT_READY_MS, graceMs / 2);
        logger.info('stopping', { graceSeconds: config.shutdownGraceSeconds });
        await delay(notReadyMs);
        const [cut, cutHttp] = await Promise.all([
          transport.drain(graceMs - notReadyMs),
          http.drain(graceMs - notReadyMs),
        ]);
        if (cut > 0) logger.warn('checks were cut at the end of the grace period', { checks: cut });
        if (cutHttp > 0) {
          logger.warn('OAuth2 requests were cut at the end of the grace period', { requests: cutHttp });
        }
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Starts one listener; what is wrong with its address is told by the name of its setting. */
async function listen(setting: string, address: ListenAddress, start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${setting}: cannot listen on ${formatListenAddress(address)}: ${reason}`, { cause: error });
  }
}
