import { flagIn, type JsonObject, listIn, numberIn, objectIn, textIn } from './json-view.ts';

/** What a running Envoy has seen: its admin addresses `/clusters?format=json` and `/stats?format=json`. */
export interface LiveState {
  /** By the name of the cluster. */
  readonly hosts: ReadonlyMap<string, readonly LiveHost[]>;
  /** Counters by their name, since Envoy started. */
  readonly counters: Counters;
  /** What they grew by while doctor waited for health checks; null when it did not. */
  readonly growth: Counters | null;
}

/** Figures by the name of the counter. */
export type Counters = ReadonlyMap<string, number>;

/** One address of a cluster. */
export interface LiveHost {
  /** `127.0.0.1:9001`, or the path of a socket. */
  readonly address: string;
  /** Whether Envoy sends requests there. */
  readonly isHealthy: boolean;
  /** Whether its health check is why not. */
  readonly failsHealthCheck: boolean;
  /** Connections that could not be opened, since Envoy started. */
  readonly connectFailures: number;
}

/** Counters that findings are made of; Envoy is asked for these only. */
export const wantedCounters = '^(cluster\\..*\\.health_check\\.|http\\..*\\.ext_authz\\.)';

/** Reads both answers. Never throws: what is not there is not known. */
export function readLiveState(clusters: unknown, stats: unknown): LiveState {
  return {
    growth: null,
    hosts: new Map(
      listIn(clusters, 'cluster_statuses').map((status) => [
        textIn(status, 'name') ?? '',
        listIn(status, 'host_statuses').map(readHost),
      ]),
    ),
    counters: readCounters(stats),
  };
}

/** The same with what the counters grew by until a later answer of `/stats`. */
export function withGrowth(live: LiveState, laterStats: unknown): LiveState {
  const later = [...readCounters(laterStats)];
  return { ...live, growth: new Map(later.map(([name, value]) => [name, value - (live.counters.get(name) ?? 0)])) };
}

/** Whether a host is out of use, so that it is worth waiting for a health check that says why. */
export function isAnyHostDown({ hosts }: LiveState): boolean {
  return [...hosts.values()].some((each) => each.some(({ isHealthy }) => !isHealthy));
}

function readCounters(stats: unknown): Counters {
  return new Map(
    listIn(stats, 'stats').flatMap((stat) => {
      const [name, value] = [textIn(stat, 'name'), numberIn(stat, 'value')];
      return name === null || value === null ? [] : [[name, value] as const];
    }),
  );
}

/** The sum of the counters whose name begins and ends like this. */
export function sumOf(counters: Counters, prefix: string, suffix: string): number {
  let sum = 0;
  for (const [name, value] of counters) if (name.startsWith(prefix) && name.endsWith(suffix)) sum += value;
  return sum;
}

/** Names of what takes a host out of use in `health_status`; protobuf leaves out what is false. */
const FAILURES = ['failed_active_health_check', 'failed_outlier_check', 'excluded_via_immediate_hc_fail'];

function readHost(host: JsonObject): LiveHost {
  const health = objectIn(host, 'health_status');
  const sent = textIn(health, 'eds_health_status') ?? 'HEALTHY';
  const failures = listIn(host, 'stats').find((stat) => textIn(stat, 'name') === 'cx_connect_fail');
  return {
    address: addressOf(objectIn(host, 'address')),
    isHealthy: !FAILURES.some((name) => flagIn(health, name)) && ['HEALTHY', 'UNKNOWN', 'DEGRADED'].includes(sent),
    failsHealthCheck: flagIn(health, 'failed_active_health_check'),
    connectFailures: numberIn(failures, 'value') ?? 0,
  };
}

function addressOf(address: JsonObject): string {
  const socket = objectIn(address, 'socket_address');
  const host = textIn(socket, 'address');
  if (host === null) return textIn(address, 'pipe', 'path') ?? 'an address of Envoy itself';
  return `${host.includes(':') ? `[${host}]` : host}:${String(numberIn(socket, 'port_value') ?? 0)}`;
}
