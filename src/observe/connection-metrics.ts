import { Counter, Gauge, type Registry } from 'prom-client';
import { type ConnectionEnd, connectionEnds } from '../server/connection-table.ts';
import type { TransportLoad } from '../server/transport.ts';

/** The listeners, as labels and log lines name them. */
export const listenerNames = ['grpc', 'oauth2', 'admin'] as const;
export type ListenerName = (typeof listenerNames)[number];

/** The metrics of what peers hold of the listeners. */
export class ConnectionMetrics {
  readonly #ends: Counter<'listener' | 'reason'>;
  readonly #counts = new Map<ListenerName, () => number>();
  #load: (() => TransportLoad) | null = null;

  constructor(registry: Registry) {
    const registers = [registry];
    const counts = this.#counts;
    const load = (): TransportLoad => this.#load?.() ?? nothing;
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
  }

  /** Shows from now on how many connections a listener has. */
  showConnections(listener: ListenerName, count: () => number): void {
    this.#counts.set(listener, count);
  }

  /** Shows from now on what peers hold of the gRPC listener. */
  showLoad(load: () => TransportLoad): void {
    this.#load = load;
    this.showConnections('grpc', () => load().connections);
  }

  countEnd(listener: ListenerName, reason: ConnectionEnd): void {
    this.#ends.inc({ listener, reason });
  }
}

const nothing: TransportLoad = {
  connections: 0,
  calls: 0,
  watches: 0,
  unsentBytes: 0,
  refusedCalls: 0,
  refusedWatches: 0,
};
