import { fault, type Finding, warning } from '../../finding.ts';
import { posternCluster, type PosternChain } from '../filter-chain.ts';
import { textIn } from '../json-view.ts';
import { type Counters, type LiveHost, type LiveState, sumOf } from '../live-state.ts';
import { clustersOf, isOwn, leadsOn } from '../route-filters.ts';

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
      fault(subject, message, 'look whether its name resolves, and whether a Service with ready pods is behind it'),
    ];
  }
  const down = hosts.filter((host) => !host.isHealthy);
  // Envoy has only just started, and nothing is known yet.
  const isUnknown = down.every((host) => host.failsHealthCheck) && attemptsOf(name, live.counters) === 0;
  if (down.length === 0 || isUnknown) return [];
  const advice = `start Postern, or compare the address with ${setting} and the health check with envoy.yaml`;
  const reason = reasonOf(name, down, live);
  const which = `${down.map(({ address }) => address).join(', ')} ${reason}`;
  // Envoy goes on asking replicas when none is healthy: one that runs without its database serves whom it knows.
  const known = reason === NOT_READY ? `${effect}, except to callers whom replicas know` : effect;
  return down.length === hosts.length
    ? [fault(subject, `${known}: ${which}`, advice)]
    : [
        warning(
          subject,
          `${String(down.length)} of ${String(hosts.length)} replicas get no requests: ${which}`,
          'look at the log and at /readyz of that replica',
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
    const advice = 'look at the health of Postern, its address and its log; the counter is ext_authz.error';
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
