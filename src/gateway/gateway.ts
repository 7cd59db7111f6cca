import { startSystemTimer } from '../base/clock.ts';
import { Metrics } from './observe/metrics.ts';
import { openRequestLog } from './observe/line-budget.ts';
import { openTracing } from './observe/traces/tracing.ts';
import type { CheckHandler } from './serving/check-handler.ts';
import { Health } from '../wire/server/health.ts';
import { formatListenAddress } from '../base/net/listen-address.ts';
import { loadTransport } from '../wire/server/create-transport.ts';
import { maxCheckMessageBytes, type Method, type Methods } from '../wire/server/transport.ts';
import { listenerFiles } from './configured-files.ts';
import { readVersion } from '../base/version.ts';
import { openGatewayLimiter } from './limiter.ts';
import { CallerListeners, createAdminServer, listen } from './listeners.ts';
import { OwnedParts, type ProcessPorts } from './parts.ts';
import { buildPipeline } from './pipeline.ts';
import { openHeartbeat } from './heartbeat.ts';
import { AUTHORIZATION_SERVICE, Readiness } from './readiness.ts';
import { openIssuerKeys } from './open-issuer-keys.ts';
import { openGatewayStore } from './store.ts';
import { openTls } from './tls.ts';

/** A running gateway. Disposing of it stops at once; {@link stop} stops without losing a request. */
export interface Gateway extends AsyncDisposable {
  /**
   * Resolves when checks are taken: for a declarative file it has when the gateway is given, for a database when it was
   * read for the first time. Rejects when the address of a listener cannot be had.
   */
  readonly ready: Promise<void>;
  /**
   * Not ready, drain, close (interfaces §3): Envoy is sent elsewhere first; checks that run may end within the grace
   * period. `isHurried` skips the wait for Envoy, for a person at a terminal.
   */
  stop(isHurried: boolean): Promise<void>;
}

/**
 * The composition root: builds store, pipeline and listeners from the configuration, and owns their lives.
 * Rejects, with nothing left running, when the store has no good state or an address cannot be had.
 */
export async function startGateway(ports: ProcessPorts): Promise<Gateway> {
  const parts = new OwnedParts();
  try {
    return await assemble(ports, parts);
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

async function assemble(given: ProcessPorts, parts: OwnedParts): Promise<Gateway> {
  const { config, clock, logger } = given;
  const version = readVersion();
  const metrics = new Metrics(version);
  const { registry } = metrics;
  const ports = { ...given, metrics };
  const tracing = parts.own(await openTracing({ ...ports, version }));
  const budget = parts.own(openRequestLog({ logger, registry, clock, startTimer: startSystemTimer }));
  const store = await openGatewayStore(ports, parts);
  const health = new Health([AUTHORIZATION_SERVICE]);
  const readiness = parts.own(new Readiness({ health, store: store.checks, logger, startTimer: startSystemTimer }));
  openHeartbeat(store.replica, readiness, ports, parts);
  const limiter = await openGatewayLimiter(ports, parts);
  const issuerKeys = await openIssuerKeys(store.checks, ports, parts);
  const pipeline = buildPipeline({ ...ports, budget, tracing, store, limiter, issuerKeys });
  const listenerPorts = { ...ports, budget, readiness };
  const adminServer = parts.own(createAdminServer({ ...listenerPorts, store }));
  await listen('POSTERN_ADMIN_ADDRESS', config.adminAddress, async () => {
    await adminServer.start(config.adminAddress, config.unixSocketMode);
  });
  const admin = formatListenAddress(adminServer.address());
  const listeners = parts.own(
    new CallerListeners({
      ...listenerPorts,
      tls: await openTls('listeners', listenerFiles(config), ports),
      createTransport: await loadTransport(config.grpcTransport),
      methods: methodsOf(pipeline.handleCheck, health),
      readsTraceParent: tracing !== null,
      service: pipeline.oauth2,
    }),
  );
  const gateway = new RunningGateway({
    config,
    logger,
    parts,
    readiness,
    listeners,
    admin,
    storeReady: store.checks.ready,
  });
  if (store.checks.findUnreadiness() === null) await gateway.ready;
  else {
    logger.info('the gRPC and OAuth2 listeners open when the database has been read', { admin });
    gateway.ready.catch(() => undefined); // for callers that do not wait for it
  }
  return gateway;
}

interface RunningGatewayParts extends Pick<ProcessPorts, 'config' | 'logger'> {
  readonly parts: OwnedParts;
  readonly readiness: Readiness;
  readonly listeners: CallerListeners;
  readonly admin: string;
  /** Resolves when the store can decide checks. */
  readonly storeReady: Promise<void>;
}

class RunningGateway implements Gateway {
  readonly ready: Promise<void>;
  readonly #parts: RunningGatewayParts;
  #isStopping = false;

  constructor(parts: RunningGatewayParts) {
    this.#parts = parts;
    this.ready = parts.storeReady.then(() => this.#open());
  }

  async stop(isHurried: boolean): Promise<void> {
    const { config, logger, readiness, listeners } = this.#parts;
    this.#isStopping = true;
    readiness.close();
    logger.info('stopping', { graceSeconds: config.shutdownGraceSeconds });
    await listeners.drain(isHurried);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#parts.parts[Symbol.asyncDispose]();
  }

  async #open(): Promise<void> {
    if (this.#isStopping) return;
    const { listeners, readiness, logger, admin } = this.#parts;
    const addresses = await listeners.open();
    readiness.open();
    logger.info('ready', { ...addresses, admin });
  }
}

function methodsOf(handleCheck: CheckHandler, health: Health): Methods {
  const check: Method = { kind: 'unary', handle: handleCheck, maxMessageBytes: maxCheckMessageBytes };
  return new Map([[`/${AUTHORIZATION_SERVICE}/Check`, check], ...health.methods()]);
}
