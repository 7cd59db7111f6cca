// The Envoy configuration of deploy/overlays/plain-envoy: envoy.yaml with the differences below and no others, so that what
// the tests show of one holds for the other. A test compares; after a change of envoy.yaml:
//
//   node scripts/deploy/overlay-envoy.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const source = read('envoy.yaml');
const target = read('deploy/overlays/plain-envoy/envoy.yaml');

const header = `# Envoy in front of Postern, on Kubernetes. Made from envoy.yaml by scripts/deploy/overlay-envoy.mjs; change that one.
# What is different: addresses (Services in place of the loopback), and the listener "probes" with its cluster.
`;

const probes = `    # For the kubelet and Prometheus. The admin interface itself stays on the loopback: it shows and changes everything.
    - name: probes
      address:
        socket_address: { address: 0.0.0.0, port_value: 9902 }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: probes
                normalize_path: true
                route_config:
                  virtual_hosts:
                    - name: probes
                      domains: ["*"]
                      routes:
                        - match: { path: /live, headers: [&get { name: ":method", string_match: { exact: GET } }] }
                          direct_response: { status: 200 }
                        - match: { path: /ready, headers: [*get] }
                          route: { cluster: envoy-admin }
                        - match: { path: /stats/prometheus, headers: [*get] }
                          route: { cluster: envoy-admin }
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router

`;

const adminCluster = `
    - name: envoy-admin # behind the listener "probes"
      type: STATIC
      connect_timeout: 1s
      load_assignment:
        cluster_name: envoy-admin
        endpoints:
          - lb_endpoints:
              - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: 9901 } } }
`;

/** Each must be there exactly once; what comes in its place. */
const replacements = [
  [/^(?:#.*\n)+/, header],
  ['address: 127.0.0.1, port_value: 10000 }', 'address: 0.0.0.0, port_value: 10000 }'],
  ['address: 127.0.0.1, port_value: 9001 }', 'address: postern-headless, port_value: 9001 }'],
  ['address: 127.0.0.1, port_value: 9002 }', 'address: postern-headless, port_value: 9002 }'],
  ['address: 127.0.0.1, port_value: 8080 }', 'address: backend, port_value: 8080 }'],
  [
    /^ {4}- name: backend # .*$/m,
    '    - name: backend # the Service "backend" (backend.yaml) says where your APIs are',
  ],
  ['\n  clusters:\n', `\n${probes}  clusters:\n`],
];

/** The configuration of the overlay, from the text of envoy.yaml. */
export function overlayEnvoy(envoyYaml) {
  const text = replacements.reduce((before, [found, instead]) => {
    const parts = typeof found === 'string' ? before.split(found).length - 1 : (before.match(found)?.length ?? 0);
    if (parts !== 1) throw new Error(`envoy.yaml has ${parts} times, not once: ${found}`);
    return before.replace(found, () => instead);
  }, envoyYaml);
  return `${text.trimEnd()}\n${adminCluster}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(target, overlayEnvoy(readFileSync(source, 'utf8')));
}
