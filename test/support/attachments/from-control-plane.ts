import { readFileSync } from 'node:fs';
import { envoyYamlPorts } from '../../../src/cli/programs/envoy-ports.ts';
import { at, type Json, type JsonObject, listAt, objectAt } from '../envoy/envoy-config.ts';
import { type Attachment } from './attachment.ts';

/** What a control plane made of the committed manifests (`npm run translate:attachments`). */
export interface Translation {
  /** Which control plane, and its version. */
  readonly controlPlane: string;
  /** A digest of the manifests that it was given. */
  readonly manifests: string;
  readonly listeners: readonly JsonObject[];
  readonly routes: readonly JsonObject[];
  readonly clusters: readonly JsonObject[];
}

/** What is different between a gateway in a cluster and one on the machine that runs the tests. */
export interface AttachmentOptions {
  readonly title: string;
  /** The name of the file below test/vectors/attachments, and of the overlay. */
  readonly name: string;
  /** The listener that partners reach. */
  readonly listener: string;
  readonly filters: Attachment['filters'];
  readonly clusters: Attachment['clusters'];
  /** Filters that Envoy itself does not have; they decide nothing. */
  readonly filtersOfVendor?: readonly string[];
}

/** The answer of a control plane as it was kept; each call gives a copy that a test may change. */
export function readTranslation(name: string): Translation {
  const path = new URL(`../../vectors/attachments/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Translation;
}

/**
 * The kept answer of a control plane as a configuration that Envoy runs alone. Only places change: addresses are
 * loopback with the ports of envoy.yaml, TLS for callers is taken off, the access log goes to the descriptor instead of
 * the file of standard output, and what would come over xDS stands in the file.
 */
export function fromControlPlane(options: AttachmentOptions): Attachment {
  const { title, name, filters, clusters } = options;
  return { title, filters, clusters, config: () => toStatic(readTranslation(name), options) };
}

function toStatic({ listeners, routes, clusters }: Translation, options: AttachmentOptions): JsonObject {
  const { postern, posternHttp, backend } = options.clusters;
  const listener = named(listeners, options.listener);
  listener['address'] = loopback(envoyYamlPorts.envoy);
  if (listAt(listener, 'filter_chains').length !== 1) throw new Error('not one filter chain');
  const chain = objectAt(listener, 'filter_chains', 0);
  delete chain['transport_socket'];
  delete chain['filter_chain_match'];
  // They look into TLS, and change nothing else.
  delete listener['listener_filters'];
  const filters = listAt(chain, 'filters');
  const manager = objectAt(filters, filters.length - 1, 'typed_config');
  manager['route_config'] = named(routes, at(manager, 'rds', 'route_config_name'));
  delete manager['rds'];
  for (const logs of [listener['access_log'], manager['access_log']]) toStandardOutput(logs ?? []);
  const vendors = new Set<Json | undefined>(options.filtersOfVendor);
  manager['http_filters'] = listAt(manager, 'http_filters').filter(
    (_, index) => !vendors.has(objectAt(manager, 'http_filters', index)['name']),
  );
  return {
    admin: { address: loopback(envoyYamlPorts.envoyAdmin) },
    static_resources: {
      listeners: [listener],
      clusters: [
        toLoopback(named(clusters, postern), envoyYamlPorts.posternGrpc),
        toLoopback(named(clusters, posternHttp), envoyYamlPorts.posternHttp),
        toLoopback(named(clusters, backend), envoyYamlPorts.backend),
      ],
    },
  };
}

/** The same log, through the descriptor that is there: /dev/stdout cannot be opened when it is a socket. */
function toStandardOutput(logs: Json): void {
  for (const index of Object.keys(logs as JsonObject)) {
    const log = objectAt(logs, index);
    const settings = objectAt(log, 'typed_config');
    if (settings['path'] !== '/dev/stdout') throw new Error('an access log goes to a file');
    delete settings['path'];
    settings['@type'] = 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog';
    log['name'] = 'envoy.access_loggers.stdout';
  }
}

function toLoopback(cluster: JsonObject, port: number): JsonObject {
  delete cluster['eds_cluster_config'];
  delete cluster['filters'];
  delete cluster['transport_socket'];
  delete cluster['transport_socket_matches'];
  const name = cluster['name'] ?? null;
  const endpoints = [{ lb_endpoints: [{ endpoint: { address: loopback(port) } }] }];
  return { ...cluster, type: 'STATIC', load_assignment: { cluster_name: name, endpoints } };
}

function loopback(port: number): JsonObject {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

function named(resources: readonly JsonObject[], name: Json): JsonObject {
  const found = resources.find((resource) => resource['name'] === name);
  if (found === undefined) throw new Error(`the control plane made no ${JSON.stringify(name)}`);
  return found;
}
