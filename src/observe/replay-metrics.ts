import { Counter, Gauge, type Registry } from 'prom-client';

/** What metrics ask a process that remembers used signatures itself (`InProcessReplayGuard`). */
export interface ReplayStatus {
  /** Signatures remembered now. */
  readonly size: number;
  /** Signatures that found no room: because of their credential's share, and because of the memory as a whole. */
  readonly refused: Readonly<Record<'share' | 'memory', number>>;
}

/** Adds the metrics of used signatures that this process remembers to a registry. */
export function registerReplayMetrics(registry: Registry, status: ReplayStatus): void {
  const registers = [registry];
  new Gauge({
    name: 'postern_replay_signatures',
    help: 'Used signatures that this process remembers.',
    registers,
    collect() {
      this.set(status.size);
    },
  });
  new Counter({
    name: 'postern_replay_refused_total',
    help: 'Signatures that found no room in the memory of used ones, by what was full.',
    labelNames: ['full'],
    registers,
    collect() {
      this.reset();
      for (const full of ['share', 'memory'] as const) this.inc({ full }, status.refused[full]);
    },
  });
}
