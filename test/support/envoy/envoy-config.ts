import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type Json = string | number | boolean | null | JsonObject | Json[];
export interface JsonObject {
  [name: string]: Json;
}

/** The path of the committed configuration. */
export const envoyYamlPath = new URL('../../../envoy.yaml', import.meta.url).pathname;

/** The committed envoy.yaml, parsed; each call gives a copy that a test may change. */
export function readEnvoyConfig(): JsonObject {
  // Through JSON, so that what YAML shares by an anchor can be changed apart.
  return JSON.parse(JSON.stringify(parse(readFileSync(envoyYamlPath, 'utf8')))) as JsonObject;
}

/** Follows names and indices into the configuration; a missing step is a failure that names it. */
export function at(from: Json, ...steps: readonly (string | number)[]): Json {
  return steps.reduce<Json>((value, step, index) => {
    const next = Array.isArray(value)
      ? value[Number(step)]
      : typeof value === 'object' && value !== null
        ? value[step]
        : undefined;
    if (next === undefined) throw new Error(`envoy.yaml has no ${steps.slice(0, index + 1).join('.')}`);
    return next;
  }, from);
}

export function objectAt(from: Json, ...steps: readonly (string | number)[]): JsonObject {
  const value = at(from, ...steps);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error(`${steps.join('.')} of envoy.yaml is not a mapping`);
}

export function listAt(from: Json, ...steps: readonly (string | number)[]): Json[] {
  const value = at(from, ...steps);
  if (Array.isArray(value)) return value;
  throw new Error(`${steps.join('.')} of envoy.yaml is not a list`);
}

/** The settings of the connection manager of the one listener. */
export function connectionManager(config: JsonObject): JsonObject {
  const filters = listAt(config, 'static_resources', 'listeners', 0, 'filter_chains', 0, 'filters');
  // Last: a limit of connections may stand before it.
  return objectAt(filters, filters.length - 1, 'typed_config');
}

/** The list of HTTP filters; changing it changes the chain. */
export function httpFilters(config: JsonObject): Json[] {
  return listAt(connectionManager(config), 'http_filters');
}

/** The settings of the HTTP filter with this name. */
export function filterSettings(config: JsonObject, name: string): JsonObject {
  return objectAt(httpFilters(config), indexOfFilter(config, name), 'typed_config');
}

/** Takes an HTTP filter out of the chain. */
export function removeFilter(config: JsonObject, name: string): void {
  httpFilters(config).splice(indexOfFilter(config, name), 1);
}

/** Moves an HTTP filter before another one. */
export function moveFilterBefore(config: JsonObject, name: string, before: string): void {
  const [filter] = httpFilters(config).splice(indexOfFilter(config, name), 1);
  if (filter !== undefined) httpFilters(config).splice(indexOfFilter(config, before), 0, filter);
}

/** Where the HTTP filter with this name stands. */
export function indexOfFilter(config: JsonObject, name: string): number {
  const index = httpFilters(config).findIndex((filter) => at(filter, 'name') === name);
  if (index < 0) throw new Error(`envoy.yaml has no HTTP filter ${name}`);
  return index;
}

/** The routes of the one virtual host; the last one leads to the back end. */
export function routes(config: JsonObject): Json[] {
  return listAt(connectionManager(config), 'route_config', 'virtual_hosts', 0, 'routes');
}

/** The route to the back end. */
export function backendRoute(config: JsonObject): JsonObject {
  return objectAt(routes(config), routes(config).length - 1);
}

/** How long a body may be on the route to the back end: what the route says, or else the filter. */
export function bufferLimit(config: JsonObject, buffer: string): number {
  const overrides = backendRoute(config)['typed_per_filter_config'] ?? {};
  const override = (overrides as JsonObject)[buffer];
  const settings = override === undefined ? filterSettings(config, buffer) : objectAt(override, 'buffer');
  return Number(settings['max_request_bytes']);
}

/** The cluster with this name. */
export function cluster(config: JsonObject, name: string): JsonObject {
  const clusters = listAt(config, 'static_resources', 'clusters');
  const index = clusters.findIndex((candidate) => at(candidate, 'name') === name);
  if (index < 0) throw new Error(`envoy.yaml has no cluster ${name}`);
  return objectAt(clusters, index);
}

/** Adds a cluster like the one of Postern, under another name and on another port; gives it. */
export function addServiceCluster(config: JsonObject, name: string, port: number): JsonObject {
  const added = structuredClone(cluster(config, 'postern'));
  added['name'] = name;
  const endpoint = ['load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address'] as const;
  objectAt(added, ...endpoint, 'socket_address')['port_value'] = port;
  listAt(config, 'static_resources', 'clusters').push(added);
  return added;
}

/** Where the parts of a test stand; the ports of Envoy itself are left to the system. */
export interface ClusterPorts {
  readonly postern: number;
  readonly posternHttp: number;
  readonly backend: number;
}

/** What the clusters of a configuration are called. */
export type ClusterNames = Readonly<Record<keyof ClusterPorts, string>>;

/** The names of the clusters in envoy.yaml. */
export const envoyYamlClusters: ClusterNames = { postern: 'postern', posternHttp: 'postern-http', backend: 'backend' };

/** Makes Envoy speak HTTP/2 with the back end; envoy.yaml speaks HTTP/1.1. */
export function useHttp2Backend(config: JsonObject, name = envoyYamlClusters.backend): void {
  cluster(config, name)['typed_extension_protocol_options'] = {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    },
  };
}
