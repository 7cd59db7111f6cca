import {
  backendRoute,
  cluster,
  connectionManager,
  type ClusterPorts,
  envoyYamlClusters,
  httpFilters,
  type JsonObject,
  objectAt,
  readEnvoyConfig,
} from '../../test/support/envoy/envoy-config.ts';
import { withPorts } from '../../test/support/envoy/envoy.ts';

/** Which Envoy requests go through: the committed envoy.yaml, or what is left of it when Envoy only forwards. */
export type EnvoyChain = 'committed' | 'plain';

/** The configuration of an Envoy, with the addresses of the servers around it. */
export function envoyConfig(chain: EnvoyChain, ports: ClusterPorts): JsonObject {
  const config = JSON.parse(withPorts(readEnvoyConfig(), ports)) as JsonObject;
  return chain === 'plain' ? onlyForwarding(config) : config;
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
