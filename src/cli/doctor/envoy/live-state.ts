import { fault, type Finding, warning } from '../../../base/finding.ts';
import { flagIn, type JsonObject, listIn, numberIn, objectIn, textIn } from '../../../model/document/json.ts';
import { clustersOf, isOwn, leadsOn, type PosternChain, posternCluster } from './filter-chain.ts';

/** What a running Envoy has seen: its admin addresses `/clusters?format=json` and `/stats?format=json`. */
export interface LiveState {
  readonly hosts: ReadonlyMap<string, readonly LiveHost[]>;
  /** Counters by their name, since Envoy started. */
  readonly counters: Counters;
  /** What they grew by while doctor waited for health checks; null when it did not. */
  readonly growth: Counters | null;
}

type Counters = ReadonlyMap<string, number>;

/** One address of a cluster. */
interface LiveHost {
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
function sumOf(counters: Counters, prefix: string, suffix: string): number {
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

const NOT_READY = 'fails its health check: what answers there cannot look up credentials now, or is not Postern';

/** Above this share of failed checks something is wrong that single restarts do not explain. */
const MOST_FAILED = 0.01;

/** Whether Envoy reaches Postern now, and whether checks were answered. */
export function inspectLiveState(chain: PosternChain, live: LiveState): readonly Finding[] {
  const grpc = posternCluster(chain);
  const own = chain.manager.routes.filter((route) => isOwn(route) && leadsOn(route)).flatMap(clustersOf);
  return [
    ...(grpc === null ? [] : inspectHosts(grpc, live, 'every request gets 503', 'POSTERN_GRPC_ADDRESS')),
    ...[...new Set(own)]
      .filter((name) => name !== grpc)
      .flatMap((name) => inspectHosts(name, live, 'partners get no tokens', 'POSTERN_HTTP_ADDRESS')),
    ...inspectChecks(chain, live),
  ];
}

function inspectHosts(name: string, live: LiveState, effect: string, setting: string): readonly Finding[] {
  const subject = `cluster ${name}`;
  const hosts = live.hosts.get(name);
  if (hosts === undefined) return [];
  if (hosts.length === 0) {
    const message = `it has no address to call: ${effect}`;
    return [
      fault(subject, message, 'check whether its name resolves, and whether a Service with ready pods is behind it'),
    ];
  }
  const down = hosts.filter((host) => !host.isHealthy);
  // Envoy has only just started, and nothing is known yet.
  const isUnknown = down.every((host) => host.failsHealthCheck) && attemptsOf(name, live.counters) === 0;
  if (down.length === 0 || isUnknown) return [];
  const advice = `start Postern, or compare the address with ${setting} and the health check with envoy.yaml`;
  const reason = reasonOf(name, down, live);
  const which = `${down.map(({ address }) => address).join(', ')} ${reason}`;
  // Envoy still asks replicas when none is healthy: one that runs without its database serves the callers it knows.
  const known = reason === NOT_READY ? `${effect}, except to callers whom replicas know` : effect;
  return down.length === hosts.length
    ? [fault(subject, `${known}: ${which}`, advice)]
    : [
        warning(
          subject,
          `${String(down.length)} of ${String(hosts.length)} replicas get no requests: ${which}`,
          'check the log and /readyz of that replica',
        ),
      ];
}

function reasonOf(name: string, down: readonly LiveHost[], live: LiveState): string {
  if (!down.some(({ failsHealthCheck }) => failsHealthCheck)) return 'was taken out of use after errors';
  const failures = live.growth?.get(`cluster.${name}.health_check.failure`) ?? 0;
  const unreached = live.growth?.get(`cluster.${name}.health_check.network_failure`) ?? 0;
  if (failures === 0) return 'fails its health check';
  return unreached >= failures ? 'fails its health check: nothing answers there in this protocol' : NOT_READY;
}

/** Health checks that had an outcome, since Envoy started. */
function attemptsOf(name: string, counters: Counters): number {
  const outcomes = ['success', 'failure'].map((each) => counters.get(`cluster.${name}.health_check.${each}`) ?? 0);
  return outcomes.reduce((sum, count) => sum + count, 0);
}

function inspectChecks({ manager }: PosternChain, live: LiveState): readonly Finding[] {
  const prefix = `http.${textIn(manager.settings, 'stat_prefix') ?? ''}.`;
  const count = (outcome: string): number => sumOf(live.counters, prefix, `ext_authz.${outcome}`);
  const [failed, invalid] = [count('error'), count('invalid')];
  const answered = count('ok') + count('denied');
  const findings: Finding[] = [];
  if (failed > 0 && failed > MOST_FAILED * (failed + answered)) {
    const message = `${String(failed)} of ${String(failed + answered)} checks since Envoy started had no answer in time: their callers got 503`;
    const advice = 'check the health of Postern, its address and its log; the counter is ext_authz.error';
    findings.push((answered === 0 ? fault : warning)(`${manager.name}: checks`, message, advice));
  }
  if (invalid > 0) {
    const message = `${String(invalid)} answers since Envoy started were not accepted by it: their callers got 500`;
    findings.push(
      warning(`${manager.name}: checks`, message, 'report it, with the log of Envoy: Postern must not send such'),
    );
  }
  return findings;
}
