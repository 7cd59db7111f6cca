import { LOOPBACK } from '../../src/programs/free-ports.ts';
import {
  backendRoute,
  cluster,
  connectionManager,
  type ClusterPorts,
  envoyYamlClusters,
  httpFilters,
  type JsonObject,
  listAt,
  objectAt,
  readEnvoyConfig,
} from '../../test/support/envoy/envoy-config.ts';
import { withPorts } from '../../test/support/envoy/envoy.ts';

/** Which Envoy requests go through: the committed envoy.yaml, or what is left of it when Envoy only forwards. */
export type EnvoyChain = 'committed' | 'plain';

/** The ports around an Envoy; `services` are those of all processes of the service that decides. */
export interface EnvoyPorts extends Pick<ClusterPorts, 'posternHttp' | 'backend'> {
  readonly services: readonly number[];
}

/** The configuration of an Envoy between these ports. */
export function envoyConfig(chain: EnvoyChain, { services, ...ports }: EnvoyPorts): JsonObject {
  const [postern = 0, ...more] = services;
  const config = JSON.parse(withPorts(readEnvoyConfig(), { ...ports, postern })) as JsonObject;
  const endpoints = ['load_assignment', 'endpoints', 0, 'lb_endpoints'] as const;
  listAt(cluster(config, envoyYamlClusters.postern), ...endpoints).push(...more.map(loopbackEndpoint));
  return chain === 'plain' ? onlyForwarding(config) : config;
}

function loopbackEndpoint(port: number): JsonObject {
  return { endpoint: { address: { socket_address: { address: LOOPBACK, port_value: port } } } };
}

/** No HTTP filters but the router, no route but the one to the back end. */
function onlyForwarding(config: JsonObject): JsonObject {
  const router = 'envoy.filters.http.router';
  connectionManager(config)['http_filters'] = httpFilters(config).filter(
    (filter) => filter !== null && typeof filter === 'object' && !Array.isArray(filter) && filter['name'] === router,
  );
  objectAt(connectionManager(config), 'route_config', 'virtual_hosts', 0)['routes'] = [backendRoute(config)];
  objectAt(config, 'static_resources')['clusters'] = [cluster(config, envoyYamlClusters.backend)];
  return config;
}
