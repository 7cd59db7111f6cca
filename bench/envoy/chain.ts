import { type ListenAddress, parseListenAddress } from '../../src/base/net/listen-address.ts';
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

/** What stands around an Envoy. */
export interface EnvoyNeighbours extends Pick<ClusterPorts, 'posternHttp' | 'backend'> {
  /** Where the processes of the service that decides listen: `127.0.0.1:PORT`, or `unix:/path` for all. */
  readonly services: readonly string[];
}

/** The configuration of an Envoy between these neighbours. */
export function envoyConfig(chain: EnvoyChain, { services, ...ports }: EnvoyNeighbours): JsonObject {
  const config = JSON.parse(withPorts(readEnvoyConfig(), { ...ports, postern: 0 })) as JsonObject;
  const postern = cluster(config, envoyYamlClusters.postern);
  const addresses = services.map(readAddress);
  // Names are not looked up where there are none.
  if (addresses.some(({ kind }) => kind === 'unix')) postern['type'] = 'STATIC';
  objectAt(postern, 'load_assignment', 'endpoints', 0)['lb_endpoints'] = addresses.map((address) => ({
    endpoint: { address: envoyAddress(address) },
  }));
  return chain === 'plain' ? onlyForwarding(config) : config;
}

function readAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if ('fault' in address) throw new Error(`a service listens nowhere: ${address.fault}`);
  return address;
}

function envoyAddress(address: ListenAddress): JsonObject {
  if (address.kind === 'unix') return { pipe: { path: address.path } };
  return { socket_address: { address: address.host, port_value: address.port } };
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
