import { hostname } from 'node:os';
import { startSystemTimer } from '../base/clock.ts';
import { KeyRingHolder } from '../model/keyring/key-ring-holder.ts';
import { registerEndingMetrics } from './observe/ending-metrics.ts';
import type { CountTraffic, RecordUse } from './observe/request-observers.ts';
import { createDatabaseObserver, createFileObserver, createKeyRingObserver } from './observe/store-observers.ts';
import { createWriteObserver } from './observe/write-observer.ts';
import { registerDatabaseMetrics, registerStoreAge, registerTrafficMetrics } from './observe/store-metrics.ts';
import type { ReplayGuard } from '../check/replay/replay-guard.ts';
import type { CheckStore } from '../check/store/check-store.ts';
import { FileStore } from '../stores/file/file-store.ts';
import type { ReplicaRegister, ReplicaReport } from '../stores/replica-heartbeat.ts';
import type { RevokedTokens } from '../check/tokens/revoked-tokens.ts';
import { TrafficMemory } from '../stores/traffic/traffic-memory.ts';
import { TrafficRecorder } from '../stores/traffic/traffic-recorder.ts';
import { UsageRecorder } from '../stores/usage-recorder.ts';
import { readVersion } from '../base/version.ts';
import { observeEndings } from './endings.ts';
import type { OwnedParts, PartPorts } from './parts.ts';
import { type GatewayRefusals, openGatewayRefusals } from './refusals.ts';

/** What a gateway decides with. What a store does not keep for all replicas is null: a file keeps nothing. */
export interface GatewayStore {
  readonly checks: CheckStore;
  /** Null when none is configured, which only a declarative file does without. */
  readonly keyRing: KeyRingHolder | null;
  readonly revokedTokens: RevokedTokens | null;
  readonly replayGuard: ReplayGuard | null;
  /** Keeps when credentials were used. */
  readonly recordUse: RecordUse | null;
  /** Keeps what is refused to known callers; null where that is turned off. */
  readonly refusals: GatewayRefusals | null;
  readonly countTraffic: CountTraffic;
  /** The counts of this process, where no database keeps those of all. */
  readonly traffic: TrafficMemory | null;
  /** What this process tells operators of itself, beside the other replicas. */
  readonly replica: ReplicaParts | null;
}

/** What a heartbeat is made of, as far as the store has it. */
export interface ReplicaParts {
  readonly register: ReplicaRegister;
  readonly describe: () => Pick<ReplicaReport, 'revision' | 'mode'>;
  /** Calls back whenever another revision is in force. */
  readonly onRevision: (listener: () => void) => void;
}

/**
 * Opens the key ring and the store of the configuration; what is open belongs to `parts`, also after a rejection.
 * Rejects when the key ring cannot be used, a declarative file has no good state, or the address of a database is not
 * understood; a database that is down is waited for.
 */
export async function openGatewayStore(ports: PartPorts, parts: OwnedParts): Promise<GatewayStore> {
  const { config, environment, logger, metrics } = ports;
  const keyRing =
    config.keyring === null
      ? null
      : parts.own(await KeyRingHolder.open(config.keyring, { environment, observer: createKeyRingObserver(logger) }));
  if (config.store.kind === 'api') throw new Error('POSTERN_STORE: a management API decides no requests');
  const store =
    config.store.kind === 'file'
      ? await openFile(config.store.path, keyRing, ports, parts)
      : await openDatabase(config.store.uri, keyRing, ports, parts);
  registerStoreAge(metrics.registry, () => store.checks.ageSeconds());
  return store;
}

async function openFile(
  path: string,
  keyRing: KeyRingHolder | null,
  ports: PartPorts,
  parts: OwnedParts,
): Promise<GatewayStore> {
  const { environment, clock, logger, metrics } = ports;
  const observer = observeEndings(createFileObserver(logger, metrics), ports);
  const checks = parts.own(await FileStore.open(path, { environment, clock, observer }));
  const refusals = openGatewayRefusals(ports, null, parts);
  const traffic = new TrafficMemory();
  registerTrafficMetrics(metrics.registry, traffic);
  return {
    checks,
    keyRing,
    traffic,
    refusals,
    revokedTokens: null,
    replayGuard: null,
    recordUse: null,
    replica: null,
    countTraffic: (endpointId, consumerId, code) => {
      traffic.count(endpointId, consumerId, code, clock.nowSeconds());
    },
  };
}

async function openDatabase(
  uri: string,
  keyRing: KeyRingHolder | null,
  ports: PartPorts,
  parts: OwnedParts,
): Promise<GatewayStore> {
  const { config, clock, logger, metrics } = ports;
  if (keyRing === null) {
    throw new Error(
      'POSTERN_KEYRING: a MongoDB store needs the key ring that its App Secrets were sealed with; for a new store make one with "postern keyring create FILE"',
    );
  }
  // A declarative file does without the driver.
  const { MongoCheckStore } = await import('../stores/mongodb/mongo-check-store.ts');
  const store = parts.own(
    new MongoCheckStore(uri, {
      clock,
      startTimer: startSystemTimer,
      keyRing,
      observer: createDatabaseObserver(logger, metrics),
      maxCachedCredentials: config.credentialCacheEntries,
      maxStaleSeconds: config.maxStaleSeconds,
    }),
  );
  const recorder = parts.own(
    new UsageRecorder({
      sink: store.sinks.usage,
      startTimer: startSystemTimer,
      observer: createWriteObserver(logger, 'usage'),
    }),
  );
  const traffic = parts.own(
    new TrafficRecorder({
      sink: store.sinks.traffic,
      startTimer: startSystemTimer,
      observer: createWriteObserver(logger, 'traffic'),
    }),
  );
  registerDatabaseMetrics(metrics.registry, store, recorder);
  registerEndingMetrics(metrics.registry, {
    nowSeconds: () => clock.nowSeconds(),
    current: () => store.endings.current(),
  });
  registerTrafficMetrics(metrics.registry, traffic);
  return {
    checks: store,
    keyRing,
    traffic: null,
    revokedTokens: store.revokedTokens,
    replayGuard: store.replayGuard,
    recordUse: (credentialId, secret) => {
      recorder.used(credentialId, secret, clock.nowSeconds());
    },
    refusals: openGatewayRefusals(ports, store.sinks.refusals, parts),
    countTraffic: (endpointId, consumerId, code) => {
      traffic.count(endpointId, consumerId, code, clock.nowSeconds());
    },
    replica: {
      register: store.sinks.createRegister({
        name: config.replicaName ?? hostname(),
        isOwnName: config.replicaName !== null,
        version: readVersion(),
        startedAtSeconds: clock.nowSeconds(),
      }),
      describe: () => ({ revision: store.revisionInForce, mode: store.mode ?? 'waiting' }),
      onRevision: (listener) => {
        store.onRevision(listener);
      },
    },
  };
}
