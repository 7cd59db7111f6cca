import type { Clock } from '../clock.ts';
import type { Config, Environment } from '../config.ts';
import { KeyRingHolder } from '../keyring/key-ring-holder.ts';
import type { RecordUse } from '../observe/check-observer.ts';
import { createKeyRingObserver } from '../observe/key-ring-observer.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { registerDatabaseMetrics, registerStoreAge } from '../observe/store-metrics.ts';
import { createDatabaseObserver, createFileObserver } from '../observe/store-observers.ts';
import { openSnapshots, type SnapshotHolder } from '../store/snapshot-holder.ts';
import { startSystemTimer } from '../store/timer.ts';
import { UsageRecorder } from '../store/usage/usage-recorder.ts';
import { OwnedParts } from './owned-parts.ts';

/** What a gateway decides with. */
export interface GatewayStore extends AsyncDisposable {
  readonly snapshots: SnapshotHolder;
  /** Null when none is configured, which only a declarative file does without. */
  readonly keyRing: KeyRingHolder | null;
  /** Null where nobody keeps when credentials were used. */
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
 * a declarative file has no good state, or the address of a database is not understood; a database that is away is
 * waited for.
 */
export async function openGatewayStore(ports: GatewayStorePorts): Promise<GatewayStore> {
  const { config, environment, clock, logger, metrics } = ports;
  const parts = new OwnedParts();
  try {
    const keyRing = parts.own(await openConfiguredRing(ports));
    const snapshots = parts.own(
      await openSnapshots(config.store, {
        environment,
        clock,
        keyRing,
        maxCachedCredentials: config.credentialCacheEntries,
        maxStaleSeconds: config.maxStaleSeconds,
        observer: { file: createFileObserver(logger, metrics), database: createDatabaseObserver(logger, metrics) },
      }),
    );
    registerStoreAge(metrics.registry, () => snapshots.ageSeconds());
    const recorder = parts.own(snapshots.database === null ? null : openRecorder(snapshots.database, ports));
    const recordUse: RecordUse = (credentialId, secret) => {
      recorder?.used(credentialId, secret, clock.nowSeconds());
    };
    return {
      snapshots,
      keyRing,
      recordUse: recorder === null ? null : recordUse,
      [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
    };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

function openRecorder(
  database: NonNullable<SnapshotHolder['database']>,
  { logger, metrics }: GatewayStorePorts,
): UsageRecorder {
  const recorder = new UsageRecorder({
    sink: database.usage,
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
  });
  registerDatabaseMetrics(metrics.registry, database, recorder);
  return recorder;
}

async function openConfiguredRing({ config, environment, logger }: GatewayStorePorts): Promise<KeyRingHolder | null> {
  if (config.keyring === null) return null;
  return await KeyRingHolder.open(config.keyring, { environment, observer: createKeyRingObserver(logger) });
}
