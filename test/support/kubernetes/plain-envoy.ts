import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Attachment, envoyYaml } from '../attachments/attachment.ts';
import { type JsonObject, listAt, objectAt } from '../envoy/envoy-config.ts';

const path = new URL('../../../deploy/overlays/plain-envoy/envoy.yaml', import.meta.url);

/** The configuration of the overlay as it is committed, which is what its config map holds; each call gives a copy. */
export function readPlainEnvoy(): JsonObject {
  return JSON.parse(JSON.stringify(parse(readFileSync(path, 'utf8')))) as JsonObject;
}

/** Puts the loopback in the place of every name and address that only a cluster has; ports stay. */
export function toLoopback(config: JsonObject): void {
  const toLocal = (from: JsonObject): void => {
    objectAt(from, 'address', 'socket_address')['address'] = '127.0.0.1';
  };
  for (const listener of listAt(config, 'static_resources', 'listeners')) toLocal(listener as JsonObject);
  for (const cluster of listAt(config, 'static_resources', 'clusters')) {
    toLocal(objectAt(cluster, 'load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint'));
  }
}

/**
 * The overlay plain-envoy, whose configuration the overlay demo has too. Tests that run beside each other share no
 * port.
 */
export const plainEnvoy: Attachment = {
  ...envoyYaml,
  title: 'the overlay plain-envoy',
  config: () => {
    const config = readPlainEnvoy();
    toLoopback(config);
    const probes = objectAt(config, 'static_resources', 'listeners', 1);
    objectAt(probes, 'address', 'socket_address')['port_value'] = 0;
    return config;
  },
};
