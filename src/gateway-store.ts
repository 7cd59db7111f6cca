import type { Clock } from './clock.ts';
import type { Config, Environment } from './config.ts';
import { openKeyRing, type KeyRingHolder } from './keyring/key-ring-holder.ts';
import type { RecordUse } from './observe/check-observer.ts';
import { registerDatabaseMetrics } from './observe/database-metrics.ts';
import { createDatabaseObserver } from './observe/database-observer.ts';
import { createKeyRingObserver } from './observe/key-ring-observer.ts';
import type { Logger } from './observe/logger.ts';
import type { Metrics } from './observe/metrics.ts';
import { createFileObserver } from './observe/store-observer.ts';
import { openSnapshots, type SnapshotHolder } from './store/snapshot-holder.ts';
import { startSystemTimer } from './store/timer.ts';
import { UsageRecorder } from './store/usage/usage-recorder.ts';

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
  const keyRing = await openConfiguredRing(ports);
  try {
    const snapshots = await openSnapshots(config.store, {
      environment,
      clock,
      keyRing,
      maxCachedCredentials: config.credentialCacheEntries,
      maxStaleSeconds: config.maxStaleSeconds,
      observer: { file: createFileObserver(logger, metrics), database: createDatabaseObserver(logger, metrics) },
    });
    const recorder = snapshots.database === null ? null : openRecorder(snapshots.database, ports);
    return {
      snapshots,
      keyRing,
      recordUse:
        recorder === null
          ? null
          : (credentialId, secret) => {
              recorder.used(credentialId, secret, clock.nowSeconds());
            },
      [Symbol.asyncDispose]: async () => {
        await recorder?.[Symbol.asyncDispose]();
        await snapshots[Symbol.asyncDispose]();
        await keyRing?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await keyRing?.[Symbol.asyncDispose]();
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
  return await openKeyRing(config.keyring, { environment, observer: createKeyRingObserver(logger) });
}
