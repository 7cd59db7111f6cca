import { Counter, Gauge, type Registry } from 'prom-client';

/** What metrics ask a recorder of uses (`UsageRecorder`). */
export interface UsageStatus {
  readonly pending: number;
  readonly dropped: number;
}

/** Adds the metrics of the record of uses (interfaces §6) to a registry. */
export function registerUsageMetrics(registry: Registry, status: UsageStatus): void {
  const registers = [registry];
  new Gauge({
    name: 'postern_store_usage_pending',
    help: 'Credentials whose last use is still to be written.',
    registers,
    collect() {
      this.set(status.pending);
    },
  });
  new Counter({
    name: 'postern_store_usage_dropped_total',
    help: 'Uses of credentials that were lost, because too many waited to be written.',
    registers,
    collect() {
      this.reset();
      this.inc(status.dropped);
    },
  });
}
