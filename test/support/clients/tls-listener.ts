import { type Certified } from '../grpc/certificate.ts';
import { type JsonObject, listAt, objectAt } from '../envoy/envoy-config.ts';

/** The name of the listener that {@link addTlsListener} adds. */
export const TLS_LISTENER = 'partners-tls';

/** Adds a copy of the committed listener that speaks TLS, HTTP/2 or HTTP/1.1 as the caller chooses by ALPN. */
export function addTlsListener(config: JsonObject, { cert, key }: Certified): void {
  const listeners = listAt(config, 'static_resources', 'listeners');
  const listener = structuredClone(objectAt(listeners, 0));
  listener['name'] = TLS_LISTENER;
  objectAt(listener, 'filter_chains', 0)['transport_socket'] = {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
      common_tls_context: {
        alpn_protocols: ['h2', 'http/1.1'],
        tls_certificates: [{ certificate_chain: { inline_string: cert }, private_key: { inline_string: key } }],
      },
    },
  };
  listeners.push(listener);
}

interface Listeners {
  readonly listener_statuses: readonly {
    readonly name: string;
    readonly local_address: { readonly socket_address: { readonly port_value: number } };
  }[];
}

/** Where an Envoy listens, by the names of its listeners. */
export async function listenerPorts(adminPort: number): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${String(adminPort)}/listeners?format=json`);
  const { listener_statuses: listeners } = (await answer.json()) as Listeners;
  return new Map(listeners.map(({ name, local_address: { socket_address } }) => [name, socket_address.port_value]));
}
