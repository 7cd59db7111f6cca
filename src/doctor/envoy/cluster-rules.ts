import { fault, type Finding, warning } from '../../finding.ts';
import { type JsonObject, listIn, numberIn, objectIn, textIn } from './envoy-config.ts';
import { type PosternChain, posternCluster } from './filter-chain.ts';

/** Below this Envoy drops the retries of a rolling restart. */
const LEAST_RETRIES = 100;
/** Above this a dead replica stays in use for long when there is no traffic, in seconds. */
const LONGEST_NO_TRAFFIC_SECONDS = 10;

/** The cluster behind which Postern stands: health checks, retries, and who can listen in between. */
export function inspectCluster(chain: PosternChain): readonly Finding[] {
  const name = posternCluster(chain);
  const cluster = name === null ? undefined : chain.config.clusters.get(name);
  if (name === null) return [];
  const subject = `cluster ${name}`;
  if (cluster === undefined) {
    const message = 'ext_authz asks it, and there is no such cluster: every request gets 503';
    return [
      fault(subject, message, 'correct grpc_service.envoy_grpc.cluster_name, or copy the cluster from envoy.yaml'),
    ];
  }
  return [
    ...inspectHealthChecks(subject, cluster),
    ...inspectRetries(subject, cluster),
    ...inspectTls(subject, cluster, endpointsOf(chain, name, cluster)),
  ];
}

function inspectHealthChecks(subject: string, cluster: JsonObject): readonly Finding[] {
  const [check] = listIn(cluster, 'health_checks');
  if (check === undefined || !('grpc_health_check' in check)) {
    return [
      warning(
        subject,
        'it has no gRPC health check: a replica that stops still gets requests, which fail with 503',
        'copy health_checks from envoy.yaml',
      ),
    ];
  }
  const name = textIn(cluster, 'name') ?? '';
  if (/[^A-Za-z0-9._~:-]/.test(name) && textIn(check, 'grpc_health_check', 'authority') === null) {
    return [
      fault(
        subject,
        'its health check has no authority, and Envoy takes the name of the cluster, which HTTP/2 servers do not accept: every replica is unhealthy',
        'set grpc_health_check: { authority: … } to the name of the Service',
      ),
    ];
  }
  const seconds = Number.parseFloat(textIn(check, 'no_traffic_interval') ?? '60s');
  if (seconds <= LONGEST_NO_TRAFFIC_SECONDS) return [];
  return [
    warning(
      subject,
      `no_traffic_interval is ${String(seconds)} s: a dead replica stays in use that long`,
      'set no_traffic_interval: 1s',
    ),
  ];
}

function inspectRetries(subject: string, cluster: JsonObject): readonly Finding[] {
  const [thresholds] = listIn(cluster, 'circuit_breakers', 'thresholds');
  if ((numberIn(thresholds, 'max_retries') ?? 0) >= LEAST_RETRIES) return [];
  return [
    warning(
      subject,
      'max_retries is low (3 when it is not set): retries of a rolling restart are dropped',
      'set circuit_breakers.thresholds max_retries: 2048',
    ),
  ];
}

/** Endpoints in the configuration, or sent by a control plane. */
function endpointsOf({ config }: PosternChain, name: string, cluster: JsonObject): readonly JsonObject[] {
  const sent = config.endpoints.get(textIn(cluster, 'eds_cluster_config', 'service_name') ?? name);
  const assignment = sent ?? objectIn(cluster, 'load_assignment');
  return listIn(assignment, 'endpoints').flatMap((locality) => listIn(locality, 'lb_endpoints'));
}

function inspectTls(subject: string, cluster: JsonObject, endpoints: readonly JsonObject[]): readonly Finding[] {
  const sockets = socketsOf(cluster, endpoints);
  const tls = sockets.flatMap(({ socket }) => (textIn(socket, 'name') === TLS_SOCKET ? [socket] : []));
  const isWithoutH2 = tls.some((socket) => !JSON.stringify(socket).includes('"h2"'));
  if (isWithoutH2 && listIn(cluster, 'health_checks').length > 0) {
    const message = 'health checks fail over TLS without alpn_protocols: [h2]; requests then go to replicas at random';
    return [fault(subject, message, 'set common_tls_context.alpn_protocols: [h2]')];
  }
  const remote = sockets
    .filter(({ socket }) => textIn(socket, 'name') !== TLS_SOCKET)
    .flatMap(({ address }) => (address === null || /^(127\.|::1$|localhost$)/.test(address) ? [] : [address]));
  if (remote.length === 0) return [];
  return [
    warning(
      subject,
      `${remote.join(', ')} is called without TLS: who can listen in between sees App Keys, and can answer for Postern`,
      'give the cluster a transport_socket, and Postern POSTERN_TLS_CERTIFICATE, _KEY and _CLIENT_CA; or let a mesh do it',
    ),
  ];
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
