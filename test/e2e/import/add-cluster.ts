import { cluster, type JsonObject, listAt, objectAt } from '../../support/envoy/envoy-config.ts';

/** Adds a cluster like that of the back end, under another name and on another port. */
export function addCluster(config: JsonObject, name: string, port: number): void {
  const copy = JSON.parse(JSON.stringify(cluster(config, 'backend'))) as JsonObject;
  copy['name'] = name;
  objectAt(copy, 'load_assignment')['cluster_name'] = name;
  const steps = [
    'load_assignment',
    'endpoints',
    0,
    'lb_endpoints',
    0,
    'endpoint',
    'address',
    'socket_address',
  ] as const;
  objectAt(copy, ...steps)['port_value'] = port;
  listAt(config, 'static_resources', 'clusters').push(copy);
}
