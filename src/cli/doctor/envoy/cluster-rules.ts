import { type Finding, type FindingsAbout, findingsAbout } from '../../../base/finding.ts';
import { type JsonObject, listIn, numberIn, objectIn, textIn } from '../../../model/document/json.ts';
import { LOOPBACK_ADDRESS } from './envoy-config.ts';
import { type PosternChain, posternCluster } from './filter-chain.ts';

/** Below this Envoy drops the retries of a rolling restart. */
const LEAST_RETRIES = 100;
/** Above this a dead replica stays in use for long when there is no traffic, in seconds. */
const LONGEST_NO_TRAFFIC_SECONDS = 10;

/** The cluster behind which Postern stands: health checks, retries, and who can listen in between. */
export function inspectCluster(chain: PosternChain): readonly Finding[] {
  const name = posternCluster(chain);
  if (name === null) return [];
  const found = findingsAbout(`cluster ${name}`);
  const cluster = chain.config.clusters.get(name);
  if (cluster === undefined) {
    found.faultIf(true, {
      message: 'ext_authz asks it, and there is no such cluster: every request gets 503',
      advice: 'correct grpc_service.envoy_grpc.cluster_name, or copy the cluster from envoy.yaml',
    });
    return found.all;
  }
  inspectHealthChecks(found, cluster);
  const [thresholds] = listIn(cluster, 'circuit_breakers', 'thresholds');
  found.warnIf((numberIn(thresholds, 'max_retries') ?? 0) < LEAST_RETRIES, {
    message: 'max_retries is low (3 when it is not set): retries of a rolling restart are dropped',
    advice: 'set circuit_breakers.thresholds max_retries: 2048',
  });
  inspectTls(found, cluster, endpointsOf(chain, name, cluster));
  return found.all;
}

function inspectHealthChecks(found: FindingsAbout, cluster: JsonObject): void {
  const [check] = listIn(cluster, 'health_checks');
  if (check === undefined || !('grpc_health_check' in check)) {
    found.warnIf(true, {
      message: 'it has no gRPC health check: a replica that stops still gets requests, which fail with 503',
      advice: 'copy health_checks from envoy.yaml',
    });
    return;
  }
  const isNoHost = /[^A-Za-z0-9._~:-]/.test(textIn(cluster, 'name') ?? '');
  const isUnhealthy = isNoHost && textIn(check, 'grpc_health_check', 'authority') === null;
  found.faultIf(isUnhealthy, {
    message:
      'its health check has no authority, and Envoy takes the name of the cluster, which HTTP/2 servers do not accept: every replica is unhealthy',
    advice: 'set grpc_health_check: { authority: … } to the name of the Service',
  });
  const seconds = Number.parseFloat(textIn(check, 'no_traffic_interval') ?? '60s');
  found.warnIf(!isUnhealthy && !(seconds <= LONGEST_NO_TRAFFIC_SECONDS), {
    message: `no_traffic_interval is ${String(seconds)} s: a dead replica stays in use that long`,
    advice: 'set no_traffic_interval: 1s',
  });
}

/** Endpoints in the configuration, or sent by a control plane. */
function endpointsOf({ config }: PosternChain, name: string, cluster: JsonObject): readonly JsonObject[] {
  const sent = config.endpoints.get(textIn(cluster, 'eds_cluster_config', 'service_name') ?? name);
  const assignment = sent ?? objectIn(cluster, 'load_assignment');
  return listIn(assignment, 'endpoints').flatMap((locality) => listIn(locality, 'lb_endpoints'));
}

function inspectTls(found: FindingsAbout, cluster: JsonObject, endpoints: readonly JsonObject[]): void {
  const sockets = socketsOf(cluster, endpoints);
  const isTls = ({ socket }: Called): boolean => textIn(socket, 'name') === TLS_SOCKET;
  const isWithoutH2 = sockets.some((called) => isTls(called) && !JSON.stringify(called.socket).includes('"h2"'));
  const isUnhealthy = isWithoutH2 && listIn(cluster, 'health_checks').length > 0;
  found.faultIf(isUnhealthy, {
    message: 'health checks fail over TLS without alpn_protocols: [h2]; requests then go to replicas at random',
    advice: 'set common_tls_context.alpn_protocols: [h2]',
  });
  const remote = sockets
    .filter((called) => !isTls(called))
    .flatMap(({ address }) => (address === null || LOOPBACK_ADDRESS.test(address) ? [] : [address]));
  found.warnIf(!isUnhealthy && remote.length > 0, {
    message: `${remote.join(', ')} is called without TLS: anyone who listens in between sees App Keys, and can answer for Postern`,
    advice:
      'give the cluster a transport_socket, and Postern POSTERN_TLS_CERTIFICATE, _KEY and _CLIENT_CA; or let a mesh do it',
  });
}

const TLS_SOCKET = 'envoy.transport_sockets.tls';

interface Called {
  readonly address: string | null;
  readonly socket: JsonObject;
}

/** How each endpoint is called; without endpoints, how any would be. */
function socketsOf(cluster: JsonObject, endpoints: readonly JsonObject[]): readonly Called[] {
  const own = objectIn(cluster, 'transport_socket');
  if (endpoints.length === 0) return [{ address: null, socket: own }];
  return endpoints.map((endpoint) => {
    const labels = objectIn(endpoint, 'metadata', 'filter_metadata', 'envoy.transport_socket_match');
    const chosen = listIn(cluster, 'transport_socket_matches').find((each) =>
      Object.entries(objectIn(each, 'match')).every(([name, value]) => labels[name] === value),
    );
    return {
      address: textIn(endpoint, 'endpoint', 'address', 'socket_address', 'address'),
      socket: chosen === undefined ? own : objectIn(chosen, 'transport_socket'),
    };
  });
}
