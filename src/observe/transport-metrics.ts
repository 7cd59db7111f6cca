import { Counter, Gauge, type Registry } from 'prom-client';
import { type MemoryPoolName, memoryPoolNames } from '../server/transport.ts';

/** Metrics of the gRPC listener's memory, by pool (docs/resource-accounting.md). */
export class TransportMetrics {
  readonly #refusals: Counter<'pool'>;

  /** @param heldBytes what calls hold now. */
  constructor(registry: Registry, heldBytes: () => Readonly<Record<MemoryPoolName, number>>) {
    const registers = [registry];
    new Gauge({
      name: 'postern_grpc_held_bytes',
      help: 'Memory that gRPC calls hold: half-received messages, messages that checks wait with, large messages, answers that wait.',
      labelNames: ['pool'],
      registers,
      collect() {
        const held = heldBytes();
        for (const pool of memoryPoolNames) this.set({ pool }, held[pool]);
      },
    });
    this.#refusals = new Counter({
      name: 'postern_grpc_memory_refusals_total',
      help: 'gRPC calls that were refused or given up for want of memory.',
      labelNames: ['pool'],
      registers,
    });
    for (const pool of memoryPoolNames) this.#refusals.inc({ pool }, 0);
  }

  /** Counts a call that was refused, or given up. */
  countMemoryRefusal(pool: MemoryPoolName): void {
    this.#refusals.inc({ pool });
  }
}
