import { Counter, Gauge, type Registry } from 'prom-client';
import type { CacheCounters } from '../store/cache/cache-counters.ts';
import type { CacheFigures } from '../store/credential-cache.ts';

const collections = ['endpoints', 'consumers', 'credentials', 'grants'] as const;

/** What metrics ask a database store, each time they are collected. */
export interface DatabaseStatus {
  /** Whether changes come in and look-ups are answered. */
  readonly isUp: boolean;
  changeCount(collection: (typeof collections)[number]): number;
  faultCount(collection: (typeof collections)[number]): number;
  readonly cache: CacheFigures;
}

/** What metrics ask whoever notes when credentials are used. */
export interface UsageStatus {
  /** Credentials whose use is still to be written. */
  readonly pending: number;
  /** Uses that were lost. */
  readonly dropped: number;
}

const counted: Readonly<Record<keyof CacheCounters, readonly [name: string, help: string]>> = {
  hits: ['hits', 'App Keys answered at once by an entry that is fresh enough.'],
  misses: ['misses', 'App Keys that were not in memory.'],
  stale: [
    'stale',
    'App Keys answered by an entry older than it should be, because the database was unreachable or slow.',
  ],
  filtered: ['filtered', 'App Keys refused without a look-up, because nobody holds them.'],
  negativeHits: ['negative_hits', 'App Keys refused from memory, because nobody held them a moment ago.'],
  evictions: ['evictions', 'Entries that made room for others.'],
  refusedLookUps: ['refused_look_ups', 'Look-ups that were not made, because too many were asked for.'],
  reads: ['reads', 'Look-ups that were sent to the database.'],
  repeatedReads: ['repeated_reads', 'Look-ups made once more, because what they read was changed meanwhile.'],
  invalidations: ['invalidations', 'Entries that a change dropped.'],
};

/** Adds what is shown of every store. @param ageSeconds how long ago its current state was known to be right. */
export function registerStoreAge(registry: Registry, ageSeconds: () => number): void {
  new Gauge({
    name: 'postern_snapshot_age_seconds',
    help: 'Seconds since the state that decides checks was known to be that of the store.',
    registers: [registry],
    collect() {
      this.set(ageSeconds());
    },
  });
}

/** Adds the metrics of a database store (interfaces §6) to a registry. */
export function registerDatabaseMetrics(registry: Registry, status: DatabaseStatus, usage: UsageStatus): void {
  const registers = [registry];
  gauge('postern_store_up', 'Whether the database answers: 1 or 0.', () => (status.isUp ? 1 : 0));
  gauge('postern_credential_cache_entries', 'Credentials held in memory.', () => status.cache.size);
  gauge(
    'postern_credential_cache_unknown_entries',
    'App Keys remembered that nobody held a moment ago.',
    () => status.cache.unknownSize,
  );
  gauge(
    'postern_credential_cache_look_ups_under_way',
    'Look-ups that run or wait for their turn.',
    () => status.cache.lookUpsUnderWay,
  );
  gauge('postern_app_key_filter_entries', 'App Keys that somebody may hold.', () => status.cache.filterSize);
  gauge('postern_app_key_filter_current', 'Whether all other App Keys are refused without a look-up: 1 or 0.', () =>
    status.cache.isFilterCurrent ? 1 : 0,
  );
  gauge('postern_usage_pending', 'Credentials whose last use is still to be written.', () => usage.pending);
  counter('postern_usage_dropped_total', 'Uses that were lost, because too many waited.', () => usage.dropped);
  for (const key of Object.keys(counted) as (keyof CacheCounters)[]) {
    const [name, help] = counted[key];
    counter(`postern_credential_cache_${name}_total`, help, () => status.cache.counters[key]);
  }
  new Gauge({
    name: 'postern_store_faulty_records',
    help: 'Documents that say nothing, by collection: all of the endpoints, of others those that were met.',
    labelNames: ['collection'],
    registers,
    collect() {
      for (const collection of collections) this.set({ collection }, status.faultCount(collection));
    },
  });
  new Counter({
    name: 'postern_store_changes_total',
    help: 'Changes that the database told, by collection.',
    labelNames: ['collection'],
    registers,
    collect() {
      this.reset();
      for (const collection of collections) this.inc({ collection }, status.changeCount(collection));
    },
  });

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  function counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }
}
