import { type Clock, startSystemTimer } from '../clock.ts';
import type { Config, Environment } from '../config.ts';
import { KeyRingHolder } from '../keyring/key-ring-holder.ts';
import type { RecordUse } from '../observe/request-observers.ts';
import { createDatabaseObserver, createFileObserver, createKeyRingObserver } from '../observe/store-observers.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { registerDatabaseMetrics, registerStoreAge } from '../observe/store-metrics.ts';
import type { ReplayGuard } from '../replay/replay-guard.ts';
import type { CheckStore } from '../store/check-store.ts';
import { FileStore } from '../store/file/file-store.ts';
import type { RevokedTokens } from '../tokens/revoked-tokens.ts';
import { UsageRecorder, type UsageRecorderPorts, type UsageSink } from '../store/usage-recorder.ts';
import { OwnedParts } from './owned-parts.ts';

/** What a gateway decides with. What a store does not keep for all replicas is null: a file keeps nothing. */
export interface GatewayStore extends AsyncDisposable {
  readonly checks: CheckStore;
  /** Null when none is configured, which only a declarative file does without. */
  readonly keyRing: KeyRingHolder | null;
  readonly revokedTokens: RevokedTokens | null;
  readonly replayGuard: ReplayGuard | null;
  /** Keeps when credentials were used. */
  readonly recordUse: RecordUse | null;
}

/** What opening takes. */
export interface GatewayStorePorts {
  readonly config: Pick<Config, 'store' | 'keyring' | 'maxStaleSeconds' | 'credentialCacheEntries'>;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Opens the key ring and the store of the configuration. Rejects with nothing left open when the key ring cannot be used,
 * a declarative file has no good state, or the address of a database is not understood; a database that is down is
 * waited for.
 */
export async function openGatewayStore(ports: GatewayStorePorts): Promise<GatewayStore> {
  const { config, metrics } = ports;
  const parts = new OwnedParts();
  try {
    const keyRing = parts.own(await openConfiguredRing(ports));
    const opened =
      config.store.kind === 'file'
        ? await openFile(config.store.path, ports, parts)
        : await openDatabase(config.store.uri, keyRing, ports, parts);
    registerStoreAge(metrics.registry, () => opened.checks.ageSeconds());
    return { ...opened, keyRing, [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose]() };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

type OpenedStore = Pick<GatewayStore, 'checks' | 'revokedTokens' | 'replayGuard' | 'recordUse'>;

async function openFile(path: string, ports: GatewayStorePorts, parts: OwnedParts): Promise<OpenedStore> {
  const { environment, clock, logger, metrics } = ports;
  const observer = createFileObserver(logger, metrics);
  const checks = parts.own(await FileStore.open(path, { environment, clock, observer }));
  return { checks, revokedTokens: null, replayGuard: null, recordUse: null };
}

async function openDatabase(
  uri: string,
  keyRing: KeyRingHolder | null,
  ports: GatewayStorePorts,
  parts: OwnedParts,
): Promise<OpenedStore> {
  const { config, clock, logger, metrics } = ports;
  if (keyRing === null) {
    throw new Error(
      'POSTERN_KEYRING: a MongoDB store needs the key ring that its App Secrets were sealed with; for a new store make one with "postern keyring create FILE"',
    );
  }
  // A declarative file does without the driver.
  const { MongoCheckStore } = await import('../store/mongodb/mongo-check-store.ts');
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
  const recorder = parts.own(new UsageRecorder(usagePorts(store.usage, logger)));
  registerDatabaseMetrics(metrics.registry, store, recorder);
  return {
    checks: store,
    revokedTokens: store.revokedTokens,
    replayGuard: store.replayGuard,
    recordUse: (credentialId, secret) => {
      recorder.used(credentialId, secret, clock.nowSeconds());
    },
  };
}

function usagePorts(sink: UsageSink, logger: Logger): UsageRecorderPorts {
  return {
    sink,
    startTimer: startSystemTimer,
    observer: {
      writeFailed: (error) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        logger.warn('when credentials were used cannot be written; it is kept and tried again', { reason });
      },
      writeWorks: () => {
        logger.info('when credentials were used is written again');
      },
    },
  };
}

async function openConfiguredRing({ config, environment, logger }: GatewayStorePorts): Promise<KeyRingHolder | null> {
  if (config.keyring === null) return null;
  return await KeyRingHolder.open(config.keyring, { environment, observer: createKeyRingObserver(logger) });
}
