import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { inspectEnvoy } from '../../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { readDocument, readFences } from '../../../support/docs/documents.ts';
import { dumpOf } from '../../../support/envoy/config-dump.ts';
import { findingsAfter } from '../../../support/envoy/doctor-findings.ts';
import {
  backendRoute,
  cluster,
  connectionManager,
  filterSettings,
  httpFilters,
  type Json,
  type JsonObject,
  listAt,
  moveFilterBefore,
  objectAt,
  readEnvoyConfig,
  removeFilter,
  routes,
} from '../../../support/envoy/envoy-config.ts';

const AUTHZ = 'envoy.filters.http.ext_authz';
const BUFFER = 'envoy.filters.http.buffer';

function authz(config: JsonObject): JsonObject {
  return filterSettings(config, AUTHZ);
}

function switchOff(config: JsonObject, ...filters: readonly string[]): void {
  backendRoute(config)['typed_per_filter_config'] = Object.fromEntries(
    filters.map((filter) => [
      filter,
      { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true },
    ]),
  );
}

function sayDeliberate(config: JsonObject): void {
  backendRoute(config)['metadata'] = { filter_metadata: { 'postern.doctor': { deliberate: true } } };
}

const chain = 'fault: listener partners: filter chain';
const traps: Readonly<Record<string, [(config: JsonObject) => void, ...RegExp[]]>> = {
  'no buffer': [
    (config) => {
      removeFilter(config, BUFFER);
    },
    /^fault: listener partners: filter chain: there is no buffer filter/,
  ],
  'the buffer after ext_authz': [
    (config) => {
      moveFilterBefore(config, AUTHZ, BUFFER);
    },
    /there is no buffer filter before/,
  ],
  'no unwrap script': [
    (config) => {
      removeFilter(config, 'postern.unwrap');
    },
    /the script that unwraps JSON bodies is missing/,
  ],
  'no guard': [
    (config) => {
      removeFilter(config, 'postern.guard');
    },
    new RegExp(`^${chain}: there is no guard after`),
  ],
  'the guard too early': [
    (config) => {
      moveFilterBefore(config, 'postern.guard', AUTHZ);
    },
    /there is no guard after/,
  ],
  'a guard that lets pending bodies pass': [
    (config) => {
      listAt(
        filterSettings(config, 'postern.guard'),
        'rules',
        'policies',
        'decided-by-postern',
        'permissions',
        0,
        'sourced_metadata',
        'metadata_matcher',
        'value',
        'or_match',
        'value_matchers',
      ).push({ string_match: { exact: 'pending' } });
    },
    /^fault: listener partners: guard: the guard lets more pass/,
  ],
  'a guard that denies': [
    (config) => {
      objectAt(filterSettings(config, 'postern.guard'), 'rules')['action'] = 'DENY';
    },
    /the guard lets more pass/,
  ],
  'a filter that is switched off': [
    (config) => {
      objectAt(httpFilters(config), 1)['disabled'] = true;
    },
    /the filter envoy\.filters\.http\.ext_authz is switched off/,
  ],
  failure_mode_allow: [
    (config) => {
      authz(config)['failure_mode_allow'] = true;
    },
    /^fault: listener partners: ext_authz: failure_mode_allow is on/,
  ],
  shadow_mode: [
    (config) => {
      authz(config)['shadow_mode'] = true;
    },
    /shadow_mode is on/,
  ],
  'a share of requests': [
    (config) => {
      authz(config)['filter_enabled'] = { default_value: { numerator: 100, denominator: 'TEN_THOUSAND' } };
    },
    /filter_enabled is below 100 %/,
  ],
  'a share that can be changed at run time': [
    (config) => {
      authz(config)['filter_enabled'] = { default_value: { numerator: 100, denominator: 'HUNDRED' }, runtime_key: 'k' };
    },
    /filter_enabled is below 100 %/,
  ],
  'checks by metadata': [
    (config) => {
      authz(config)['filter_enabled_metadata'] = {};
    },
    /filter_enabled_metadata makes/,
  ],
  clear_route_cache: [
    (config) => {
      authz(config)['clear_route_cache'] = true;
    },
    /clear_route_cache is on/,
  ],
  'no metadata': [
    (config) => {
      authz(config)['enable_dynamic_metadata_ingestion'] = false;
    },
    /enable_dynamic_metadata_ingestion is off/,
  ],
  'no change of the path': [
    (config) => {
      authz(config)['decoder_header_mutation_rules'] = { disallow_system: true };
    },
    /drop changes of :path/,
  ],
  'joined headers': [
    (config) => {
      authz(config)['encode_raw_headers'] = false;
    },
    /^warning: listener partners: ext_authz: encode_raw_headers is off/,
  ],
  'a misleading status': [
    (config) => {
      delete authz(config)['status_on_error'];
    },
    /status_on_error is not 503/,
  ],
  'unvalidated mutations': [
    (config) => {
      authz(config)['validate_mutations'] = false;
    },
    /validate_mutations is off/,
  ],
  'the default timeout': [
    (config) => {
      delete objectAt(authz(config), 'grpc_service')['timeout'];
    },
    /the timeout of the check is short/,
  ],
  'a timeout per try': [
    (config) => {
      objectAt(authz(config), 'grpc_service', 'retry_policy')['retry_back_off'] = {};
    },
    /retry_back_off brings a timeout/,
  ],
  'repeated checks': [
    (config) => {
      objectAt(authz(config), 'grpc_service', 'retry_policy')['retry_on'] = '5xx';
    },
    /checks are repeated/,
    /retry_policy\.retry_on: \S+ is missing or different/,
  ],
  'no bodies': [
    (config) => {
      delete authz(config)['with_request_body'];
    },
    /^fault: listener partners: body limits: ext_authz does not send request bodies/,
  ],
  'cut bodies': [
    (config) => {
      objectAt(authz(config), 'with_request_body')['allow_partial_message'] = true;
    },
    /sends cut bodies/,
  ],
  'bodies as text': [
    (config) => {
      objectAt(authz(config), 'with_request_body')['pack_as_bytes'] = false;
    },
    /sends bodies as text/,
  ],
  'limits in the wrong order': [
    (config) => {
      objectAt(authz(config), 'with_request_body')['max_request_bytes'] = 10486784;
    },
    /ext_authz takes no more bytes/,
  ],
  'a small buffer': [
    (config) => {
      filterSettings(config, BUFFER)['max_request_bytes'] = 1000;
    },
    /^warning: .*the buffer takes 1000 bytes/,
  ],
  'normalised paths': [
    (config) => {
      connectionManager(config)['normalize_path'] = true;
    },
    /^fault: listener partners: request target: normalize_path/,
  ],
  'merged slashes': [
    (config) => {
      connectionManager(config)['merge_slashes'] = true;
    },
    /merge_slashes is on/,
  ],
  'unescaped slashes': [
    (config) => {
      connectionManager(config)['path_with_escaped_slashes_action'] = 'UNESCAPE_AND_FORWARD';
    },
    /path_with_escaped_slashes_action is UNESCAPE_AND_FORWARD/,
  ],
  'identity headers of callers': [
    (config) => {
      delete connectionManager(config)['early_header_mutation_extensions'];
    },
    /^warning: listener partners: identity headers: callers' own x-consumer-id, x_consumer_id/,
    /x-envoy-auth-partial-body is not dropped/,
    /x-envoy-external-address is not dropped/,
  ],
  'an address that internal callers choose': [
    (config) => {
      const [extension] = listAt(connectionManager(config), 'early_header_mutation_extensions');
      const mutations = listAt(extension ?? null, 'typed_config', 'mutations');
      mutations.splice(
        mutations.findIndex((mutation) => objectAt(mutation)['remove'] === 'x-envoy-external-address'),
        1,
      );
    },
    /^warning: listener partners: identity headers: a caller's own x-envoy-external-address is not dropped/,
  ],
  'addresses that callers choose': [
    (config) => {
      connectionManager(config)['use_remote_address'] = false;
    },
    /use_remote_address is off/,
  ],
  'few headers': [
    (config) => {
      delete objectAt(connectionManager(config), 'common_http_protocol_options')['max_headers_count'];
    },
    /max_headers_count is the default/,
  ],
  upgrades: [
    (config) => {
      connectionManager(config)['upgrade_configs'] = [{ upgrade_type: 'websocket' }];
    },
    /^warning: listener partners: upgrades: upgrades to websocket are on, and the buffer filter holds each up/,
  ],
  'bodies in the access log': [
    (config) => {
      objectAt(connectionManager(config), 'access_log', 0, 'typed_config', 'log_format', 'json_format')['all'] =
        '%DYNAMIC_METADATA(envoy.filters.http.ext_authz)%';
    },
    /^fault: listener partners: access log: the access log writes all metadata/,
  ],
  'a mapper for everything': [
    (config) => {
      delete objectAt(connectionManager(config), 'local_reply_config', 'mappers', 2)['filter'];
    },
    /a mapper of local_reply_config has no filter/,
    /the mapper of local_reply_config for GATEWAY_ERROR \(404\) is missing or different/,
  ],
  'upgrades that are not ignored': [
    (config) => {
      delete connectionManager(config)['http_protocol_options'];
    },
    /^warning: listener partners: http_protocol_options\.ignore_http_11_upgrade is missing or different: good requests/,
  ],
  'no filter for requests without a route': [
    (config) => {
      removeFilter(config, 'postern.no-route');
    },
    /^warning: listener partners: filter chain: postern\.no-route before the guard is missing or different: requests that/,
  ],
  'the filter for requests without a route behind the guard': [
    (config) => {
      moveFilterBefore(config, 'postern.guard', 'postern.no-route');
    },
    /^warning: listener partners: filter chain: postern\.no-route before the guard is missing or different: requests that/,
  ],
  'a filter that takes every request for one without a route': [
    (config) => {
      const policies = objectAt(filterSettings(config, 'postern.no-route'), 'rules', 'policies');
      delete objectAt(policies, 'postern-no-route')['condition'];
    },
    /^warning: listener partners: filter chain: postern\.no-route before the guard is missing or different: .* or others get 404/,
  ],
  'a guard that counts as other RBAC filters do': [
    (config) => {
      delete filterSettings(config, 'postern.guard')['rules_stat_prefix'];
    },
    /^warning: listener partners: filter chain: the guard has no "rules_stat_prefix: postern_guard\."/,
  ],
  'no route to the token endpoint': [
    (config) => {
      routes(config).splice(0, 1);
    },
    /^warning: listener partners: OAuth2 routes: no route leads \/oauth2\/ to Postern's HTTP listener: partners get no/,
  ],
  'no route to the metadata': [
    (config) => {
      routes(config).splice(1, 1);
    },
    /no route leads \/\.well-known\/oauth-authorization-server to/,
  ],
  'a token endpoint that leads to the back end': [
    (config) => {
      objectAt(routes(config), 0, 'route')['cluster'] = 'backend';
    },
    /^fault: listener partners: route apis: prefix \/oauth2\/: it leads to backend, where other routes lead too/,
  ],
  'a token endpoint that Postern is asked about': [
    (config) => {
      delete objectAt(routes(config), 0, 'typed_per_filter_config')['envoy.filters.http.ext_authz'];
    },
    /^warning: listener partners: route apis: prefix \/oauth2\/: ext_authz is on here: partners get 404/,
  ],
  'a token endpoint that the guard stops': [
    (config) => {
      delete objectAt(routes(config), 0, 'typed_per_filter_config')['postern.guard'];
    },
    /^warning: listener partners: route apis: prefix \/oauth2\/: the guard is on here: partners get 503/,
  ],
  'a guard that lets anything pass': [
    (config) => {
      const policies = objectAt(filterSettings(config, 'postern.guard'), 'rules', 'policies');
      policies['others'] = { principals: [{ any: true }], permissions: [{ any: true }] };
    },
    /^fault: listener partners: guard: the guard lets more pass than what Postern decided$/,
  ],
  'a guard that lets everything to the back end pass': [
    (config) => {
      const policies = objectAt(filterSettings(config, 'postern.guard'), 'rules', 'policies');
      policies['others'] = {
        principals: [{ any: true }],
        permissions: [{ any: true }],
        condition: {
          call_expr: {
            function: '_==_',
            args: [
              { select_expr: { operand: { ident_expr: { name: 'xds' } }, field: 'cluster_name' } },
              { const_expr: { string_value: 'backend' } },
            ],
          },
        },
      };
    },
    /^fault: listener partners: guard: the guard lets more pass than what Postern decided: everything on apis: prefix \/$/,
  ],
  'a route around everything': [
    (config) => {
      switchOff(config, AUTHZ, 'postern.guard');
    },
    /^fault: listener partners: route apis: prefix \/: ext_authz and the guard are switched off/,
  ],
  'a deliberate route around everything': [
    (config) => {
      switchOff(config, AUTHZ, 'postern.guard', BUFFER);
      sayDeliberate(config);
    },
    /^warning: listener partners: route apis: prefix \/: ext_authz and the guard are switched off here on purpose/,
  ],
  'a deliberate streaming route': [
    (config) => {
      switchOff(config, BUFFER);
      objectAt(backendRoute(config), 'typed_per_filter_config')[AUTHZ] = {
        check_settings: { disable_request_body_buffering: true },
      };
      sayDeliberate(config);
    },
    /^warning: .*Postern sees no bodies here, on purpose/,
  ],
  'a deliberate route whose bodies Postern would see in part': [
    (config) => {
      switchOff(config, BUFFER);
      sayDeliberate(config);
    },
    /^fault: .*the buffer filter is switched off here: the end of an HTTP\/2 body/,
  ],
  'a deliberate route around the guard alone': [
    (config) => {
      switchOff(config, 'postern.guard');
      sayDeliberate(config);
    },
    /^fault: .*a wrapper with App Key and signature/,
  ],
  'a route around ext_authz': [
    (config) => {
      switchOff(config, AUTHZ);
    },
    /^warning: .*the guard refuses all of its requests/,
  ],
  'a route around the guard': [
    (config) => {
      switchOff(config, 'postern.guard');
    },
    /^fault: .*a wrapper with App Key and signature/,
  ],
  'a route around the script': [
    (config) => {
      switchOff(config, 'postern.unwrap');
    },
    /the unwrap script is switched off here/,
  ],
  'a route around the buffer': [
    (config) => {
      switchOff(config, BUFFER);
    },
    /^fault: .*the buffer filter is switched off here/,
  ],
  'a route without bodies': [
    (config) => {
      backendRoute(config)['typed_per_filter_config'] = {
        [AUTHZ]: { check_settings: { disable_request_body_buffering: true } },
      };
    },
    /request bodies are not sent to Postern here/,
  ],
  'a host around everything': [
    (config) => {
      objectAt(connectionManager(config), 'route_config', 'virtual_hosts', 0)['typed_per_filter_config'] = {
        [AUTHZ]: { disabled: true },
        'postern.guard': { disabled: true },
      };
    },
    /prefix \/: ext_authz and the guard are switched off/,
  ],
  'identity taken away': [
    (config) => {
      backendRoute(config)['request_headers_to_remove'] = ['X-Consumer-Id'];
    },
    /removes the identity headers/,
  ],
  'no health checks': [
    (config) => {
      delete cluster(config, 'postern')['health_checks'];
    },
    /^warning: cluster postern: it has no gRPC health check/,
  ],
  'slow health checks': [
    (config) => {
      delete objectAt(cluster(config, 'postern'), 'health_checks', 0)['no_traffic_interval'];
    },
    /no_traffic_interval is 60 s/,
  ],
  'few retries': [
    (config) => {
      delete cluster(config, 'postern')['circuit_breakers'];
    },
    /max_retries is low/,
    /circuit_breakers\.thresholds max_requests: 2048 is missing or different/,
    /circuit_breakers\.thresholds max_pending_requests: 2048 is missing or different/,
  ],
  'connections to the back end that never end': [
    (config) => {
      delete cluster(config, 'backend')['typed_extension_protocol_options'];
    },
    /^warning: cluster backend: common_http_protocol_options\.idle_timeout: 4s is missing or different: requests are sent on/,
  ],
  'a cleartext network': [
    (config) => {
      objectAt(
        cluster(config, 'postern'),
        'load_assignment',
        'endpoints',
        0,
        'lb_endpoints',
        0,
        'endpoint',
        'address',
        'socket_address',
      )['address'] = 'postern.internal';
    },
    /postern\.internal is called without TLS/,
  ],
  'TLS without h2': [
    (config) => {
      cluster(config, 'postern')['transport_socket'] = { name: 'envoy.transport_sockets.tls', typed_config: {} };
    },
    /^fault: cluster postern: health checks fail over TLS/,
  ],
  'an open admin address': [
    (config) => {
      objectAt(config, 'admin', 'address', 'socket_address')['address'] = '0.0.0.0';
    },
    /^warning: Envoy admin: the admin address listens on 0\.0\.0\.0/,
  ],
  'a listener beside it': [
    (config) => {
      const [first] = listAt(config, 'static_resources', 'listeners');
      const second = JSON.parse(JSON.stringify(first)) as JsonObject;
      second['name'] = 'side';
      objectAt(second, 'filter_chains', 0, 'filters', 0, 'typed_config')['http_filters'] = [];
      listAt(config, 'static_resources', 'listeners').push(second);
    },
    /^warning: listener side: does not ask Postern/,
  ],
};

describe("looking through Envoy's configuration", () => {
  it('finds nothing wrong with the committed one', () => {
    assert.deepEqual(
      findingsAfter(() => undefined),
      ['ok: listener partners: asks Postern about every request, and lets nothing pass that was not decided'],
    );
  });

  for (const [name, [edit, ...expected]] of Object.entries(traps)) {
    it(`finds ${name}`, () => {
      const findings = findingsAfter(edit).filter((finding) => !finding.startsWith('ok:'));
      for (const pattern of expected)
        assert.ok(
          findings.some((finding) => pattern.test(finding)),
          findings.join('\n'),
        );
      assert.equal(findings.length, expected.length, findings.join('\n'));
    });
  }

  it('finds no fault in what docs/envoy.md shows', () => {
    const [shown = '', upgrades = '', socket = '', mapper = '', ...others] = readFences(
      readDocument('docs/envoy.md'),
      'yaml',
    );
    assert.deepEqual(others, []);
    const findings = findingsAfter((config) => {
      routes(config).unshift(...(parse(`${shown}${socket}`) as JsonObject[]));
      const filters = httpFilters(config).filter((filter) => objectAt(filter)['name'] !== 'envoy.filters.http.buffer');
      const { upgrade_configs: configs } = parse(upgrades) as { readonly upgrade_configs: readonly JsonObject[] };
      connectionManager(config)['upgrade_configs'] = configs.map((each) => ({ ...each, filters }));
      listAt(connectionManager(config), 'local_reply_config', 'mappers').push(...(parse(mapper) as JsonObject[]));
    });
    assert.deepEqual(
      findings.map((finding) => finding.replace(/: listener partners: (route apis:.*?|upgrades): /, ': ').slice(0, 60)),
      [
        'warning: upgrades to websocket are on: Postern decides about',
        'warning: ext_authz and the guard are switched off here on pu',
        'warning: request bodies are not sent to Postern here: method',
      ],
    );
  });

  it('finds that no service is asked', () => {
    const findings = findingsAfter((config) => {
      removeFilter(config, AUTHZ);
    });
    assert.deepEqual(findings, [
      'fault: Envoy: no listener asks an external authorization service: nothing is checked',
    ]);
  });

  it('reads dynamic listeners and route tables', () => {
    const config = readEnvoyConfig();
    switchOff(config, AUTHZ, 'postern.guard');
    const manager = connectionManager(config);
    const table = { ...objectAt(manager, 'route_config'), name: 'table' };
    delete manager['route_config'];
    manager['rds'] = { route_config_name: 'table' };
    const dump = dumpOf(config);
    const [listener] = listAt(config, 'static_resources', 'listeners');
    listAt(dump, 'configs')[2] = {
      '@type': 'type.googleapis.com/envoy.admin.v3.ListenersConfigDump',
      dynamic_listeners: [{ name: 'partners', active_state: { listener: listener ?? null } }],
    };
    listAt(dump, 'configs').push({
      '@type': 'type.googleapis.com/envoy.admin.v3.RoutesConfigDump',
      dynamic_route_configs: [{ route_config: table }],
    });
    const messages = inspectEnvoy(dump).map(({ message }) => message);
    assert.equal(messages.length, 1);
    assert.match(messages.join(), /ext_authz and the guard are switched off/);
  });

  it('says what to do about every finding', () => {
    for (const [edit] of Object.values(traps)) {
      const config = readEnvoyConfig();
      edit(config);
      for (const { level, advice } of inspectEnvoy(dumpOf(config))) assert.equal(advice === null, level === 'ok');
    }
  });

  it('never throws, whatever the answer', () => {
    const odd: readonly Json[] = [null, [], 'x', {}, { configs: 1 }, { configs: [null, { '@type': 1 }] }];
    for (const dump of odd) assert.equal(inspectEnvoy(dump)[0]?.level, 'fault');
  });
});
