import type { Counter, Registry } from 'prom-client';
import { connectionEnds, type ConnectionObserver } from '../../wire/server/connection-table.ts';
import {
  type MemoryPoolName,
  memoryPoolNames,
  type Transport,
  type TransportLoad,
} from '../../wire/server/transport.ts';
import type { LineBudget } from './line-budget.ts';
import type { Logger } from './logger.ts';
import { announcedCounter, registerMetrics } from './metric-table.ts';

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

const noBytes: Readonly<Record<MemoryPoolName, number>> = { 'half-received': 0, running: 0, large: 0, answers: 0 };

/** What peers hold of the listeners: connections, and calls and memory of gRPC (docs/resource-accounting.md). */
export class ListenerMetrics {
  /** Connections that a listener ended or refused. */
  readonly ends: Counter<'listener' | 'reason'>;
  /** gRPC calls that were refused or given up for lack of memory. */
  readonly memoryRefusals: Counter<'pool'>;
  readonly #counts = new Map<ListenerName, () => number>();
  #transport: Pick<Transport, 'load' | 'heldBytes'> | null = null;

  constructor(registry: Registry) {
    const load = (): TransportLoad => this.#transport?.load() ?? emptyLoad;
    registerMetrics(registry, {
      postern_connections: [
        'Open connections by listener, those included whose TLS handshake is not done.',
        () => Object.fromEntries([...this.#counts].map(([listener, count]) => [listener, count()])),
        'listener',
      ],
      postern_open_calls: [
        'Open calls of the gRPC listener by kind: call, or watch (of its health).',
        () => ({ call: load().calls, watch: load().watches }),
        'kind',
      ],
      postern_grpc_unsent_bytes: [
        'Answers of the gRPC listener that are still in sockets, because peers do not read them.',
        () => load().unsentBytes,
      ],
      postern_calls_without_room_total: [
        'Calls of the gRPC listener by kind that were refused, or ended half received, because too many were open.',
        () => ({ call: load().refusedCalls, watch: load().refusedWatches }),
        'kind',
      ],
      postern_grpc_held_bytes: [
        'Memory that gRPC calls hold: half-received messages, messages that checks wait with, large messages, answers that wait.',
        () => this.#transport?.heldBytes() ?? noBytes,
        'pool',
      ],
    });
    this.ends = announcedCounter(registry, {
      name: 'postern_connections_ended_total',
      help: 'Connections that Postern ended or refused, by listener and reason.',
      labels: { listener: listenerNames, reason: Object.keys(connectionEnds) },
    });
    this.memoryRefusals = announcedCounter(registry, {
      name: 'postern_grpc_memory_refusals_total',
      help: 'gRPC calls that were refused or given up for lack of memory.',
      labels: { pool: memoryPoolNames },
    });
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
}

/** What logging and counting ended connections needs. */
export interface ConnectionObserverPorts {
  readonly logger: Logger;
  readonly budget: Pick<LineBudget, 'take'>;
  readonly metrics: { readonly listeners: ListenerMetrics };
}

/** Counts and logs the connections that a listener ends by its own rule; idle ones are logged at debug level only. */
export function createConnectionObserver(ports: ConnectionObserverPorts, listener: ListenerName): ConnectionObserver {
  const { logger, budget, metrics } = ports;
  return {
    connectionEnded: (end, peer) => {
      metrics.listeners.ends.inc({ listener, reason: end });
      const fields = { listener, reason: connectionEnds[end], peer };
      if (end === 'idle') logger.debug('a connection was ended or refused', fields);
      else if (budget.take(`connection ${end}`)) logger.warn('a connection was ended or refused', fields);
    },
  };
}
