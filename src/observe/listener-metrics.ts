import { Counter, Gauge, type Registry } from 'prom-client';
import { type ConnectionEnd, connectionEnds, type ConnectionObserver } from '../server/connection-table.ts';
import { type MemoryPoolName, memoryPoolNames, type Transport, type TransportLoad } from '../server/transport.ts';
import type { LineBudget } from './line-budget.ts';
import type { Logger } from './logger.ts';

/** The listeners, as labels and log lines name them. */
export const listenerNames = ['grpc', 'oauth2', 'admin'] as const;
export type ListenerName = (typeof listenerNames)[number];

const emptyLoad: TransportLoad = {
  connections: 0,
  calls: 0,
  watches: 0,
  unsentBytes: 0,
  refusedCalls: 0,
  refusedWatches: 0,
};

/** The metrics of what peers hold of the listeners: connections, and the calls and memory of gRPC (docs/resource-accounting.md). */
export class ListenerMetrics {
  readonly #ends: Counter<'listener' | 'reason'>;
  readonly #memoryRefusals: Counter<'pool'>;
  readonly #counts = new Map<ListenerName, () => number>();
  #transport: Pick<Transport, 'load' | 'heldBytes'> | null = null;

  constructor(registry: Registry) {
    const registers = [registry];
    const counts = this.#counts;
    const load = (): TransportLoad => this.#transport?.load() ?? emptyLoad;
    const heldBytes = (pool: MemoryPoolName): number => this.#transport?.heldBytes()[pool] ?? 0;
    new Gauge({
      name: 'postern_connections',
      help: 'Open connections by listener, those included whose TLS handshake is not done.',
      labelNames: ['listener'],
      registers,
      collect() {
        for (const [listener, count] of counts) this.set({ listener }, count());
      },
    });
    this.#ends = new Counter({
      name: 'postern_connections_ended_total',
      help: 'Connections that Postern ended or refused for want of use or room, by listener and reason.',
      labelNames: ['listener', 'reason'],
      registers,
    });
    for (const listener of listenerNames) {
      for (const reason of Object.keys(connectionEnds)) this.#ends.inc({ listener, reason }, 0);
    }
    new Gauge({
      name: 'postern_open_calls',
      help: 'Open calls of the gRPC listener by kind: call, or watch (of its health).',
      labelNames: ['kind'],
      registers,
      collect() {
        const { calls, watches } = load();
        this.set({ kind: 'call' }, calls);
        this.set({ kind: 'watch' }, watches);
      },
    });
    new Gauge({
      name: 'postern_grpc_unsent_bytes',
      help: 'Answers of the gRPC listener that lie in sockets, because peers do not read them.',
      registers,
      collect() {
        this.set(load().unsentBytes);
      },
    });
    new Counter({
      name: 'postern_calls_without_room_total',
      help: 'Calls of the gRPC listener by kind that were refused, or ended half received, because too many were open.',
      labelNames: ['kind'],
      registers,
      collect() {
        const { refusedCalls, refusedWatches } = load();
        this.reset();
        this.inc({ kind: 'call' }, refusedCalls);
        this.inc({ kind: 'watch' }, refusedWatches);
      },
    });
    new Gauge({
      name: 'postern_grpc_held_bytes',
      help: 'Memory that gRPC calls hold: half-received messages, messages that checks wait with, large messages, answers that wait.',
      labelNames: ['pool'],
      registers,
      collect() {
        for (const pool of memoryPoolNames) this.set({ pool }, heldBytes(pool));
      },
    });
    this.#memoryRefusals = new Counter({
      name: 'postern_grpc_memory_refusals_total',
      help: 'gRPC calls that were refused or given up for want of memory.',
      labelNames: ['pool'],
      registers,
    });
    for (const pool of memoryPoolNames) this.#memoryRefusals.inc({ pool }, 0);
  }

  /** Shows from now on how many connections a listener has. */
  showConnections(listener: ListenerName, count: () => number): void {
    this.#counts.set(listener, count);
  }

  /** Shows from now on what peers hold of the gRPC listener. */
  showTransport(transport: Pick<Transport, 'load' | 'heldBytes'>): void {
    this.#transport = transport;
    this.showConnections('grpc', () => transport.load().connections);
  }

  countEnd(listener: ListenerName, reason: ConnectionEnd): void {
    this.#ends.inc({ listener, reason });
  }

  /** Counts a gRPC call that was refused, or given up. */
  countMemoryRefusal(pool: MemoryPoolName): void {
    this.#memoryRefusals.inc({ pool });
  }
}

/** What the observer of connections reports to. */
export interface ConnectionObserverPorts {
  readonly logger: Logger;
  readonly budget: Pick<LineBudget, 'take'>;
  readonly metrics: ListenerMetrics;
}

/** Counts and logs the connections that a listener ends by its own rule. Who was idle for long is no news. */
export function createConnectionObserver(ports: ConnectionObserverPorts, listener: ListenerName): ConnectionObserver {
  const { logger, budget, metrics } = ports;
  return {
    connectionEnded: (end, peer) => {
      metrics.countEnd(listener, end);
      const fields = { listener, reason: connectionEnds[end], peer };
      if (end === 'idle') logger.debug('a connection was ended or refused', fields);
      else if (budget.take(`connection ${end}`)) logger.warn('a connection was ended or refused', fields);
    },
  };
}
