import { parse } from 'yaml';
import { isJsonObject, listIn, objectIn } from '../../model/document/json.ts';
import { LOOPBACK } from '../programs/free-ports.ts';
import type { DemoCertificates } from './demo-certificates.ts';

const TLS_CONTEXT = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';

/**
 * A configuration of Envoy, as JSON, whose first listener stands in it once more: on this port, with TLS, and asking
 * callers for a certificate of the demo's authority.
 */
export function withMutualTlsListener(config: string, port: number, certificates: DemoCertificates): string {
  const whole: unknown = parse(config);
  const settings = objectIn(whole, 'static_resources');
  const listeners = listIn(settings, 'listeners');
  const copy = structuredClone(listeners[0] ?? {});
  const chains = listIn(copy, 'filter_chains').filter(isJsonObject);
  const listener = {
    ...copy,
    name: 'partners-mutual-tls',
    address: { socket_address: { address: LOOPBACK, port_value: port } },
    filter_chains: chains.map((chain) => ({ ...chain, transport_socket: transportSocket(certificates) })),
  };
  return JSON.stringify({
    ...objectIn(whole),
    static_resources: { ...settings, listeners: [...listeners, listener] },
  });
}

function transportSocket({ server, authority }: DemoCertificates): object {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': TLS_CONTEXT,
      common_tls_context: {
        alpn_protocols: ['h2', 'http/1.1'],
        tls_certificates: [
          { certificate_chain: { inline_string: server.cert }, private_key: { inline_string: server.key } },
        ],
        validation_context: { trusted_ca: { inline_string: authority.cert } },
      },
    },
  };
}
