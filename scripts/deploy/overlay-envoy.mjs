// The Envoy configurations of deploy/overlays/plain-envoy and, with mutual TLS to Postern, deploy/components/tls-envoy, and
// the listener for partners with certificates of deploy/components/mutual-tls-envoy: envoy.yaml with the differences below
// and no others, so that what the tests show of one holds for the others. A test compares; after a change of envoy.yaml:
//
//   node scripts/deploy/overlay-envoy.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const source = read('envoy.yaml');
const target = read('deploy/overlays/plain-envoy/envoy.yaml');
const tlsTarget = read('deploy/components/tls-envoy/envoy.yaml');
const listenerTarget = read('deploy/components/mutual-tls-envoy/listener.yaml');

const header = `# Envoy in front of Postern, on Kubernetes. Generated from envoy.yaml by scripts/deploy/overlay-envoy.mjs: edit that file.
# Differences: addresses (Services), a memory bound, and the listener "probes" with its cluster.
`;

const probes = `    # For the kubelet and Prometheus. The admin interface stays on the loopback: it shows and changes everything.
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

/** The container has a memory limit (1 GiB), and Envoy holds bodies before anyone is authenticated. */
const heap = `    # Closes connections that keep sending bodies when memory is nearly full, so that callers cannot get this pod killed:
    # its memory limit is 1 GiB (envoy.deployment.yaml).
    - name: envoy.resource_monitors.fixed_heap
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig
        max_heap_size_bytes: 805306368 # 768 MiB
  refresh_interval: 0.1s
  loadshed_points:
    - name: envoy.load_shed_points.http1_server_abort_dispatch
      triggers: [{ name: envoy.resource_monitors.fixed_heap, threshold: { value: 0.8 } }]
    - name: envoy.load_shed_points.http2_server_go_away_and_close_on_dispatch
      triggers: [{ name: envoy.resource_monitors.fixed_heap, threshold: { value: 0.8 } }]
`;

/** Each must be there exactly once; what comes in its place. */
const replacements = [
  [/^(?:#.*\n)+/, header],
  ['max_active_downstream_connections: 10000\n', `max_active_downstream_connections: 10000\n${heap}`],
  ['address: 127.0.0.1, port_value: 10000 }', 'address: 0.0.0.0, port_value: 10000 }'],
  ['address: 127.0.0.1, port_value: 9001 }', 'address: postern-headless, port_value: 9001 }'],
  ['address: 127.0.0.1, port_value: 9002 }', 'address: postern-headless, port_value: 9002 }'],
  ['address: 127.0.0.1, port_value: 8080 }', 'address: backend, port_value: 8080 }'],
  [/^ {4}- name: backend # .*$/m, '    - name: backend # the Service "backend" (backend.yaml) names your APIs'],
  ['\n  clusters:\n', `\n${probes}  clusters:\n`],
];

function replaceAll(text, pairs) {
  return pairs.reduce((before, [found, instead]) => {
    const times =
      typeof found === 'string'
        ? before.split(found).length - 1
        : [...before.matchAll(RegExp(found, `g${found.flags}`))].length;
    if (times !== 1) throw new Error(`envoy.yaml has ${times} times, not once: ${found}`);
    return before.replace(found, () => instead);
  }, text);
}

/** The configuration of the overlay, from the text of envoy.yaml. */
export function overlayEnvoy(envoyYaml) {
  return `${replaceAll(envoyYaml, replacements).trimEnd()}\n${adminCluster}`;
}

const transportSocket = (protocol) => `
      transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
          sni: postern.postern.svc
          common_tls_context:
            alpn_protocols: [${protocol}]
            tls_certificate_sds_secret_configs:
              - { name: envoy, sds_config: { path_config_source: { path: /etc/envoy-sds/envoy.yaml }, resource_api_version: V3 } }
            combined_validation_context:
              default_validation_context:
                match_typed_subject_alt_names: [{ san_type: DNS, matcher: { exact: postern.postern.svc } }]
              validation_context_sds_secret_config:
                { name: postern-ca, sds_config: { path_config_source: { path: /etc/envoy-sds/postern-ca.yaml }, resource_api_version: V3 } }
`;

/** A cluster has its transport socket right after its comment. */
const tlsReplacements = [
  ['\n# Differences: ', '\n# Mutual TLS to Postern, with certificates that are reloaded.\n# Differences: '],
  ['\nadmin:\n', '\nnode: { id: envoy, cluster: envoy } # SDS needs one, also from files\n\nadmin:\n'],
  [/^( {4}- name: postern #.*\n)/m, null, 'h2'],
  [/^( {4}- name: postern-http #.*\n)/m, null, '"http/1.1"'],
];

/** The same with mutual TLS to both of Postern's listeners. */
export function tlsEnvoy(envoyYaml) {
  const text = overlayEnvoy(envoyYaml);
  const pairs = tlsReplacements.map(([found, instead, protocol]) =>
    instead === null ? [found, `${text.match(found)?.[1]}${transportSocket(protocol).slice(1)}`] : [found, instead],
  );
  return replaceAll(text, pairs);
}

const listenerHeader = `# The listener "partners" with mutual TLS. Generated from envoy.yaml by scripts/deploy/overlay-envoy.mjs: edit that file.
# Differences: name, port, TLS, and forward_client_cert_details.
`;

const callersTls = `        - transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
              require_client_certificate: false # other endpoints may be called without one; Postern refuses where it needs it
              common_tls_context:
                alpn_protocols: [h2, http/1.1]
                tls_certificate_sds_secret_configs:
                  - name: partners-tls
                    sds_config: { path_config_source: { path: /etc/envoy-mutual-tls/certificate.yaml }, resource_api_version: V3 }
                validation_context_sds_secret_config:
                  name: partners-authorities
                  sds_config: { path_config_source: { path: /etc/envoy-mutual-tls/authorities.yaml }, resource_api_version: V3 }
          filters:
`;

const forwarded = `                # Removes what a caller sent. Envoy's own word binds access tokens to certificates, where that is on.
                forward_client_cert_details: SANITIZE_SET
`;

/** The listener of envoy.yaml with mutual TLS, as a resource that Envoy reads beside its configuration. */
export function mutualTlsListener(envoyYaml) {
  const [, listener] = envoyYaml.match(/\n {2}listeners:\n([^]*?)\n {2}clusters:\n/) ?? [];
  if (listener === undefined) throw new Error('envoy.yaml has no listeners before its clusters');
  const text = replaceAll(
    `${listener.trimEnd()}\n`,
    [
      [
        '    - name: partners\n',
        '    - "@type": type.googleapis.com/envoy.config.listener.v3.Listener\n      name: partners-mutual-tls\n',
      ],
      ['address: 127.0.0.1, port_value: 10000 }', 'address: 0.0.0.0, port_value: 10443 }'],
      ['        - filters:\n', callersTls],
      [/^ {16}use_remote_address: true.*\n/m, null],
    ].map(([found, instead]) => [found, instead ?? `${listener.match(found)?.[0]}${forwarded}`]),
  );
  return `${listenerHeader}resources:\n${text.replaceAll(/^ {2}/gm, '')}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const envoyYaml = readFileSync(source, 'utf8');
  writeFileSync(target, overlayEnvoy(envoyYaml));
  writeFileSync(tlsTarget, tlsEnvoy(envoyYaml));
  writeFileSync(listenerTarget, mutualTlsListener(envoyYaml));
}
