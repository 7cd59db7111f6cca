import type { Clock } from './clock.ts';
import type { Config, Environment } from './config.ts';
import { openGatewayLimiter } from './gateway-limiter.ts';
import { CallerListeners, listen } from './gateway-listeners.ts';
import { AUTHORIZATION_SERVICE, Readiness } from './gateway-readiness.ts';
import { type GatewayStore, openGatewayStore } from './gateway-store.ts';
import { openGatewayTls } from './gateway-tls.ts';
import { createOAuth2, createProcessRing } from './oauth2/create-oauth2.ts';
import { keepRevokedTokensInProcess } from './oauth2/revoked-tokens.ts';
import { createCheckObserver } from './observe/check-observer.ts';
import { openRequestLog } from './observe/request-log.ts';
import type { Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { ConnectionMetrics } from './observe/connection-metrics.ts';
import { createConnectionObserver } from './observe/connection-observer.ts';
import { createOAuth2Observer } from './observe/oauth2-observer.ts';
import { registerReplayMetrics } from './observe/replay-metrics.ts';
import { openTracing } from './observe/traces/tracing.ts';
import { TlsMetrics } from './observe/tls-metrics.ts';
import { InProcessReplayGuard } from './replay/in-process.ts';
import type { ReplayGuard } from './replay/replay-guard.ts';
import { AdminServer } from './server/admin-server.ts';
import { createCheckHandler } from './server/check-handler.ts';
import { Health } from './server/health.ts';
import { formatListenAddress } from './server/listen-address.ts';
import { maxCheckMessageBytes, type Methods } from './server/transport.ts';
import { startSystemTimer } from './store/timer.ts';
import { readVersion } from './version.ts';

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
   * Resolves when checks are taken: for a declarative file it has when the gateway is given, for a database when it was
   * read for the first time. Rejects when the address of a listener cannot be had.
   */
  readonly ready: Promise<void>;
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
    const readiness = new Readiness({ health, snapshots, logger, startTimer: startSystemTimer });
    parts.push({
      [Symbol.asyncDispose]: () => {
        readiness[Symbol.dispose]();
        return Promise.resolve();
      },
    });
    const tlsMetrics = new TlsMetrics(metrics.registry);
    const limits = await openGatewayLimiter({ ...ports, metrics, tlsMetrics });
    parts.push(limits);
    const { keyRing, recordUse } = store;
    const observerPorts = { logger, metrics, budget, recordUse };
    const processRing = createProcessRing(clock.nowSeconds());
    if (keyRing === null) logger.info('access tokens live as long as this process: no key ring is configured');
    const replayGuard = snapshots.database?.replayGuard ?? openReplayMemory(ports, metrics);
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
    const connectionMetrics = new ConnectionMetrics(metrics.registry);
    const admin = new AdminServer({
      clock,
      connectionObserver: createConnectionObserver({ logger, budget, metrics: connectionMetrics }, 'admin'),
      findUnreadiness: () => readiness.findUnreadiness(),
      findNotice: () => readiness.findNotice(),
      collectMetrics: async () => ({
        text: await metrics.registry.metrics(),
        contentType: metrics.registry.contentType,
      }),
    });
    parts.push(admin);
    connectionMetrics.showConnections('admin', () => admin.connections);
    await listen('POSTERN_ADMIN_ADDRESS', config.adminAddress, async () => {
      await admin.start(config.adminAddress, config.unixSocketMode);
    });
    const listeners = new CallerListeners({
      connectionMetrics,
      ...ports,
      budget,
      registry: metrics.registry,
      tls: await openGatewayTls({ ...ports, tlsMetrics }),
      methods,
      readsTraceParent: tracing !== null,
      service: oauth2.service,
      isReady: () => readiness.canDecideEveryone(),
    });
    parts.push(listeners);
    const adminAddress = formatListenAddress(admin.address());
    let isStopping = false;
    const open = async (): Promise<void> => {
      if (isStopping) return;
      const addresses = await listeners.open();
      readiness.open();
      logger.info('ready', { ...addresses, admin: adminAddress });
    };
    let ready: Promise<void>;
    if (snapshots.findUnreadiness() === null) {
      await open();
      ready = Promise.resolve();
    } else {
      logger.info('the gRPC and OAuth2 listeners open when the database has been read', { admin: adminAddress });
      ready = snapshots.ready.then(open);
      ready.catch(() => undefined); // for those who do not wait for it
    }
    return {
      ready,
      [Symbol.asyncDispose]: async () => {
        isStopping = true;
        await dispose();
      },
      stop: async (isHurried) => {
        isStopping = true;
        readiness.close();
        logger.info('stopping', { graceSeconds: config.shutdownGraceSeconds });
        await listeners.drain(isHurried);
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Used signatures where no database remembers them. */
function openReplayMemory({ clock, logger }: GatewayPorts, { registry }: Metrics): ReplayGuard {
  const guard = new InProcessReplayGuard(clock);
  registerReplayMetrics(registry, guard);
  logger.info('used signatures are remembered by this process only, for endpoints with replayProtection');
  return guard;
}
