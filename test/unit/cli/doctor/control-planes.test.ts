import assert from 'node:assert/strict';
import { inspectEnvoy } from '../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { readTranslation } from '../../../support/attachments/from-control-plane.ts';
import { at, type Json, type JsonObject, listAt, objectAt } from '../../../support/envoy/envoy-config.ts';

const type = 'type.googleapis.com/envoy.admin.v3.';
const BUFFER = 'envoy.filters.http.buffer';
const ENVOY_GATEWAY_CHECK = 'envoy.filters.http.ext_authz/securitypolicy/partners/postern';

/** What a gateway has from its control plane, as a test may change it. */
interface Gateway {
  readonly listener: JsonObject;
  readonly manager: JsonObject;
  readonly routes: JsonObject[];
  readonly clusters: JsonObject[];
  /** Metadata of the endpoints of Postern. */
  endpoint: JsonObject;
}

const istioEndpoint = { metadata: { filter_metadata: { 'envoy.transport_socket_match': { tlsMode: 'istio' } } } };

function gatewayOf(name: string): Gateway {
  const { listeners, routes, clusters } = readTranslation(name);
  const listener = listeners.find((each) => JSON.stringify(each).includes('postern.guard'));
  assert.ok(listener !== undefined);
  const filters = listAt(listener, 'filter_chains', 0, 'filters');
  const manager = objectAt(filters, filters.length - 1, 'typed_config');
  return { listener, manager, routes: [...routes], clusters: [...clusters], endpoint: istioEndpoint };
}

/** What Envoy's admin address shows of a gateway that has everything from its control plane. */
function dumpOf({ listener, routes, clusters, endpoint }: Gateway, more: readonly Json[] = []): JsonObject {
  const lbEndpoint = {
    endpoint: { address: { socket_address: { address: '10.1.2.3', port_value: 9001 } } },
    ...endpoint,
  };
  return {
    configs: [
      {
        '@type': `${type}ClustersConfigDump`,
        dynamic_active_clusters: clusters.map((cluster) => ({ cluster })),
      },
      {
        '@type': `${type}ListenersConfigDump`,
        dynamic_listeners: [{ name: listener['name'] ?? '', active_state: { listener } }],
        // Istio's and Envoy Gateway's own, for probes and metrics.
        static_listeners: [{ listener: vendorListener('prometheus_stats') }, { listener: vendorListener(null) }],
      },
      { '@type': `${type}RoutesConfigDump`, dynamic_route_configs: routes.map((each) => ({ route_config: each })) },
      {
        '@type': `${type}EndpointsConfigDump`,
        dynamic_endpoint_configs: clusters.map((cluster) => ({
          endpoint_config: {
            cluster_name: at(cluster, 'eds_cluster_config', 'service_name'),
            endpoints: [{ lb_endpoints: [lbEndpoint] }],
          },
        })),
      },
      ...more,
    ],
  };
}

function vendorListener(cluster: string | null): JsonObject {
  const action = cluster === null ? { direct_response: { status: 500 } } : { route: { cluster } };
  const settings = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    route_config: { virtual_hosts: [{ name: 'own', routes: [{ match: { prefix: '/' }, ...action }] }] },
    http_filters: [],
  };
  return { filter_chains: [{ filters: [{ typed_config: settings }] }] };
}

function findingsOf(gateway: Gateway, more: readonly Json[] = []): readonly string[] {
  return inspectEnvoy(dumpOf(gateway, more)).map(({ level, subject, message }) => `${level}: ${subject}: ${message}`);
}

function filterOf({ manager }: Gateway, name: string): JsonObject {
  const found = listAt(manager, 'http_filters').find((filter) => at(filter, 'name') === name);
  assert.ok(found !== undefined, name);
  return objectAt(found);
}

function removeFilter({ manager }: Gateway, name: string): void {
  manager['http_filters'] = listAt(manager, 'http_filters').filter((filter) => at(filter, 'name') !== name);
}

/** The route to the back end. */
function backendRoute({ routes }: Gateway): JsonObject {
  const list = listAt(routes, 0, 'virtual_hosts', 0, 'routes');
  return objectAt(list, list.length - 1);
}

/** As if no policy of this kind were there for the route to the back end. */
function dropOverride(gateway: Gateway, filter: string): void {
  const route = backendRoute(gateway);
  const overrides = Object.entries(objectAt(route, 'typed_per_filter_config'));
  route['typed_per_filter_config'] = Object.fromEntries(overrides.filter(([name]) => name !== filter));
}

type Trap = [edit: (gateway: Gateway) => void, ...expected: RegExp[]];

const traps: Readonly<Record<string, Readonly<Record<string, Trap>>>> = {
  istio: {
    'mesh-wide normalisation': [
      ({ manager }) => {
        manager['normalize_path'] = true;
      },
      /^fault: listener 0\.0\.0\.0_8443: request target: normalize_path/,
    ],
    'no AuthorizationPolicy': [
      (gateway) => {
        removeFilter(gateway, 'envoy.filters.http.ext_authz');
        removeFilter(gateway, 'envoy.filters.http.rbac');
      },
      /^fault: Envoy: no listener asks an external authorization service/,
    ],
    'an AuthorizationPolicy with a condition': [
      (gateway) => {
        const policies = objectAt(
          filterOf(gateway, 'envoy.filters.http.rbac'),
          'typed_config',
          'shadow_rules',
          'policies',
        );
        for (const policy of Object.values(policies)) {
          objectAt(policy)['permissions'] = [{ and_rules: { rules: [{ url_path: { path: { prefix: '/a' } } }] } }];
        }
      },
      /^warning: .*ext_authz: Postern is asked only about requests that a rule of the AuthorizationPolicy matches/,
    ],
    'an AuthorizationPolicy with a condition, and no guard': [
      (gateway) => {
        const policies = objectAt(
          filterOf(gateway, 'envoy.filters.http.rbac'),
          'typed_config',
          'shadow_rules',
          'policies',
        );
        for (const policy of Object.values(policies)) objectAt(policy)['principals'] = [{ and_ids: { ids: [] } }];
        removeFilter(gateway, 'postern.guard');
      },
      /^fault: .*there is no guard after/,
      /^fault: .*filter_enabled_metadata makes the check depend on metadata/,
    ],
    'no EnvoyFilter': [
      (gateway) => {
        for (const name of [BUFFER, 'postern.unwrap', 'postern.guard']) removeFilter(gateway, name);
        delete gateway.manager['early_header_mutation_extensions'];
      },
      /^fault: .*no buffer filter/,
      /^fault: .*the script that unwraps/,
      /^fault: .*there is no guard after/,
      /^warning: .*callers' own x-consumer-id/,
      /^warning: .*x-envoy-auth-partial-body/,
      /^warning: .*x-envoy-external-address/,
    ],
    'upgrades on a route': [
      (gateway) => {
        delete objectAt(backendRoute(gateway), 'route')['upgrade_configs'];
      },
      /^warning: .*upgrades: upgrades to websocket are on/,
    ],
    'a health check that no server takes': [
      ({ clusters }) => {
        const cluster = clusters.find((each) => 'health_checks' in each);
        objectAt(cluster ?? null, 'health_checks', 0)['grpc_health_check'] = {};
      },
      /^fault: cluster outbound\|9001\|\|.*its health check has no authority/,
      /grpc_health_check\.service_name: \S+ is missing or different/,
    ],
    'Postern outside of the mesh': [
      (gateway) => {
        gateway.endpoint = {};
      },
      /^warning: cluster outbound\|9001\|\|.*10\.1\.2\.3 is called without TLS/,
    ],
  },
  'envoy-gateway': {
    'Postern without TLS': [() => undefined, /^warning: cluster securitypolicy.*10\.1\.2\.3 is called without TLS/],
    'a BackendTLSPolicy alone, whose TLS offers no HTTP/2': [
      (gateway) => {
        const socket = { name: 'envoy.transport_sockets.tls', typed_config: { common_tls_context: {} } };
        for (const cluster of gateway.clusters) {
          cluster['transport_socket_matches'] = [{ match: { name: 'tls/0' }, transport_socket: socket }];
        }
        gateway.endpoint = { metadata: { filter_metadata: { 'envoy.transport_socket_match': { name: 'tls/0' } } } };
      },
      /^fault: cluster securitypolicy.*health checks fail over TLS without alpn_protocols/,
    ],
    'no EnvoyPatchPolicy': [
      (gateway) => {
        secure(gateway);
        removeFilter(gateway, 'postern.guard');
        gateway.manager['normalize_path'] = true;
        const check = objectAt(filterOf(gateway, ENVOY_GATEWAY_CHECK), 'typed_config');
        delete check['encode_raw_headers'];
        delete objectAt(check, 'with_request_body')['pack_as_bytes'];
      },
      /^fault: .*there is no guard after/,
      /^fault: .*normalize_path/,
      /^warning: .*encode_raw_headers is off/,
      /^fault: .*sends bodies as text/,
    ],
    'a route with a SecurityPolicy of its own': [
      (gateway) => {
        secure(gateway);
        dropOverride(gateway, ENVOY_GATEWAY_CHECK);
        // Another route has it.
        const list = listAt(gateway.routes, 0, 'virtual_hosts', 0, 'routes');
        list.unshift({
          match: { prefix: '/other' },
          route: { cluster: 'other' },
          typed_per_filter_config: {
            ...objectAt(backendRoute(gateway), 'typed_per_filter_config'),
            [ENVOY_GATEWAY_CHECK]: { check_settings: {} },
          },
        });
      },
      /^warning: .*prefix \/: ext_authz is switched off here: the guard refuses/,
    ],
    'no route with the SecurityPolicy': [
      (gateway) => {
        secure(gateway);
        dropOverride(gateway, ENVOY_GATEWAY_CHECK);
      },
      /^fault: .*the filter envoy\.filters\.http\.ext_authz\/securitypolicy\/partners\/postern is switched off/,
    ],
    'a route with a BackendTrafficPolicy of its own': [
      (gateway) => {
        secure(gateway);
        dropOverride(gateway, BUFFER);
      },
      /^fault: .*prefix \/: the buffer filter is switched off here/,
    ],
    'no filterOrder': [
      (gateway) => {
        secure(gateway);
        const buffer = filterOf(gateway, BUFFER);
        removeFilter(gateway, BUFFER);
        listAt(gateway.manager, 'http_filters').splice(1, 0, buffer);
      },
      /^fault: .*there is no buffer filter before/,
    ],
  },
};

/** As if a BackendTLSPolicy were there. */
function secure({ clusters }: Gateway): void {
  for (const cluster of clusters) {
    cluster['transport_socket'] = {
      name: 'envoy.transport_sockets.tls',
      typed_config: { common_tls_context: { alpn_protocols: ['h2'] } },
    };
  }
}

describe('looking through an Envoy that a control plane configures', () => {
  it('finds nothing wrong with what Istio makes of the overlay', () => {
    assert.deepEqual(findingsOf(gatewayOf('istio')), [
      'ok: listener 0.0.0.0_8443: asks Postern about every request, and lets nothing pass that was not decided',
    ]);
  });

  it('finds nothing wrong with what Envoy Gateway makes of the overlay', () => {
    const gateway = gatewayOf('envoy-gateway');
    secure(gateway);
    assert.deepEqual(findingsOf(gateway), [
      'ok: listener partners/partners/https: asks Postern about every request, and lets nothing pass that was not decided',
    ]);
  });

  for (const [overlay, cases] of Object.entries(traps)) {
    for (const [name, [edit, ...expected]] of Object.entries(cases)) {
      it(`finds ${name}, with ${overlay}`, () => {
        const gateway = gatewayOf(overlay);
        edit(gateway);
        const findings = findingsOf(gateway).filter((finding) => !finding.startsWith('ok:'));
        for (const pattern of expected)
          assert.ok(
            findings.some((each) => pattern.test(each)),
            findings.join('\n'),
          );
        assert.equal(findings.length, expected.length, findings.join('\n'));
      });
    }
  }

  it('reports the same only once for a listener that serves several names', () => {
    const gateway = gatewayOf('istio');
    gateway.manager['normalize_path'] = true;
    const chains = listAt(gateway.listener, 'filter_chains');
    chains.push(JSON.parse(JSON.stringify(chains[0])) as Json);
    assert.equal(findingsOf(gateway).length, 1);
  });

  it('reads filters that are sent separately', () => {
    const gateway = gatewayOf('istio');
    const guard = filterOf(gateway, 'postern.guard');
    const settings = objectAt(guard, 'typed_config');
    delete guard['typed_config'];
    guard['config_discovery'] = { config_source: { ads: {} } };
    const sent = {
      '@type': `${type}EcdsConfigDump`,
      ecds_filters: [{ ecds_filter: { name: 'postern.guard', typed_config: settings } }],
    };
    assert.match(findingsOf(gateway, [sent]).join(), /^ok: /);
    assert.match(findingsOf(gateway).join(), /there is no guard after/);
  });
});
