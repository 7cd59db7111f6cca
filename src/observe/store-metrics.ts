import { Counter, Gauge, type Registry } from 'prom-client';
import type { Figure } from '../store/cache/cache-figures.ts';

const collections = ['endpoints', 'consumers', 'credentials', 'grants'] as const;

/** What metrics ask a database store, each time they are collected. */
export interface DatabaseStatus {
  /** Whether changes come in and look-ups are answered. */
  readonly isUp: boolean;
  changeCount(collection: (typeof collections)[number]): number;
  faultCount(collection: (typeof collections)[number]): number;
  readonly cache: { readonly figures: readonly Figure[] };
}

/** What metrics ask the recorder of uses. */
export interface UsageStatus {
  /** Credentials whose use is still to be written. */
  readonly pending: number;
  /** Uses that were lost. */
  readonly dropped: number;
}

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
  gauge('postern_usage_pending', 'Credentials whose last use is still to be written.', () => usage.pending);
  counter('postern_usage_dropped_total', 'Uses that were lost, because too many waited.', () => usage.dropped);
  for (const { kind, name, help, read } of status.cache.figures) {
    if (kind === 'gauge') gauge(name, help, read);
    else counter(name, help, read);
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
