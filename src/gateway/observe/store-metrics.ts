import type { Registry } from 'prom-client';
import type { Figure } from '../../stores/cache/cache-figures.ts';
import { type ReadMetric, registerMetrics } from './metric-table.ts';

type Collection = 'endpoints' | 'consumers' | 'credentials' | 'grants' | 'plans' | 'issuers';

/** What metrics ask a database store, each time they are collected. */
export interface DatabaseStatus {
  /** Whether changes come in and look-ups are answered. */
  readonly isUp: boolean;
  /** The revision of the store in force; null until it is known. */
  readonly revision: number | null;
  changeCount(collection: Collection): number;
  faultCount(collection: Collection): number;
  readonly cache: { readonly figures: readonly Figure[] };
}

/** What metrics ask about the recording of when credentials are used. */
export interface UsageStatus {
  /** Credentials whose use is still to be written. */
  readonly pending: number;
  /** Uses that were lost. */
  readonly dropped: number;
}

/** What metrics ask about the counts of requests by consumer. */
export interface TrafficStatus {
  /** Counters in memory. */
  readonly size: number;
  /** Requests that were not counted. */
  readonly dropped: number;
}

/** What metrics ask a process that remembers used signatures itself (`InProcessReplayGuard`). */
export interface ReplayStatus {
  /** Signatures remembered now. */
  readonly size: number;
  /** Signatures that found no room: because of a share, and because of the memory as a whole. */
  readonly refused: Readonly<Record<'share' | 'memory', number>>;
}

/** Adds what is shown of every store. @param ageSeconds how long ago its current state was known to be right. */
export function registerStoreAge(registry: Registry, ageSeconds: () => number): void {
  registerMetrics(registry, {
    postern_snapshot_age_seconds: [
      'Seconds since the state that decides checks was known to be that of the store.',
      ageSeconds,
    ],
  });
}

/** Registers the state of a database as a store. */
export function registerDatabaseMetrics(registry: Registry, status: DatabaseStatus, usage: UsageStatus): void {
  const byCollection = (count: (collection: Collection) => number): Record<Collection, number> => ({
    endpoints: count('endpoints'),
    consumers: count('consumers'),
    credentials: count('credentials'),
    grants: count('grants'),
    plans: count('plans'),
    issuers: count('issuers'),
  });
  const table: Record<string, ReadMetric> = {
    postern_store_up: ['Whether the database answers: 1 or 0.', () => Number(status.isUp)],
    postern_store_revision: [
      'The revision of the database in force: every change up to it decides. 0 until it is known.',
      () => status.revision ?? 0,
    ],
    postern_usage_pending: ['Credentials whose last use is still to be written.', () => usage.pending],
    postern_usage_dropped_total: ['Uses that were lost, because too many waited.', () => usage.dropped],
    postern_store_faulty_records: [
      'Documents that are faulty and ignored, by collection: all of the endpoints, of others those that were met.',
      () => byCollection((collection) => status.faultCount(collection)),
      'collection',
    ],
    postern_store_changes_total: [
      'Changes that the database reported, by collection.',
      () => byCollection((collection) => status.changeCount(collection)),
      'collection',
    ],
  };
  for (const { name, help, read } of status.cache.figures) table[name] = [help, read];
  registerMetrics(registry, table);
}

/** Registers what becomes of the counts of requests. */
export function registerTrafficMetrics(registry: Registry, status: TrafficStatus): void {
  registerMetrics(registry, {
    postern_traffic_counters: [
      'Counters of requests by consumer, endpoint and hour in memory; with a database those to be written.',
      () => status.size,
    ],
    postern_traffic_dropped_total: ['Requests that were not counted for their consumer.', () => status.dropped],
  });
}

/** Registers the memory of used signatures of one process. */
export function registerReplayMetrics(registry: Registry, status: ReplayStatus): void {
  registerMetrics(registry, {
    postern_replay_signatures: ['Used signatures that this process remembers.', () => status.size],
    postern_replay_refused_total: [
      'Signatures that found no room in the memory of used ones, by what was full.',
      () => status.refused,
      'full',
    ],
  });
}
