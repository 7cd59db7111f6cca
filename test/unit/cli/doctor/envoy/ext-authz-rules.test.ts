import { assertFindings } from '../../../../support/envoy/doctor-findings.ts';
import {
  backendRoute,
  filterSettings,
  type JsonObject,
  objectAt,
  routes,
} from '../../../../support/envoy/envoy-config.ts';

const AUTHZ = 'envoy.filters.http.ext_authz';

function authz(config: JsonObject): JsonObject {
  return filterSettings(config, AUTHZ);
}

describe('headers that ext_authz does not send', () => {
  it('are a fault: a list of those that it sends', () => {
    assertFindings((config) => {
      authz(config)['allowed_headers'] = { patterns: [{ exact: 'x-app-key' }, { prefix: 'x-' }] };
    }, /^fault: listener partners: ext_authz: allowed_headers withholds headers from Postern: right signatures get 401, and /);
  });

  it('are a fault: a list of those that it does not', () => {
    assertFindings((config) => {
      authz(config)['disallowed_headers'] = { patterns: [{ exact: 'x-app-key' }] };
    }, /^fault: listener partners: ext_authz: disallowed_headers withholds headers from Postern: /);
  });

  it('are none with a list of all', () => {
    assertFindings((config) => {
      authz(config)['allowed_headers'] = { patterns: [{ safe_regex: { regex: '.*' } }] };
    });
  });
});

describe('another service in place of Postern', () => {
  const other = { envoy_grpc: { cluster_name: 'other' } };

  it('is a fault on a route, over gRPC', () => {
    assertFindings((config) => {
      backendRoute(config)['typed_per_filter_config'] = { [AUTHZ]: { check_settings: { grpc_service: other } } };
    }, /^fault: listener partners: route apis: prefix \/: check_settings\.grpc_service asks another service \(other\) here/);
  });

  it('is a fault on a route, over HTTP', () => {
    const http = { server_uri: { uri: 'http://other', cluster: 'other', timeout: '1s' } };
    assertFindings((config) => {
      backendRoute(config)['typed_per_filter_config'] = { [AUTHZ]: { check_settings: { http_service: http } } };
    }, /^fault: .*prefix \/: check_settings\.http_service asks another service \(other\) here/);
  });

  it('is none when the virtual host names it, and the route has settings of its own', () => {
    assertFindings((config) => {
      backendRoute(config)['typed_per_filter_config'] = {
        [AUTHZ]: { check_settings: { context_extensions: { endpoint: 'orders' } } },
      };
      const host = objectAt(config, ...HOST);
      host['typed_per_filter_config'] = { [AUTHZ]: { check_settings: { grpc_service: other } } };
    });
  });

  it('is none when a route names the same cluster', () => {
    assertFindings((config) => {
      const same = structuredClone(objectAt(authz(config), 'grpc_service'));
      backendRoute(config)['typed_per_filter_config'] = { [AUTHZ]: { check_settings: { grpc_service: same } } };
    });
  });

  it('is none on a route where ext_authz is off', () => {
    assertFindings((config) => {
      const own = objectAt(routes(config), 0, 'typed_per_filter_config');
      own[AUTHZ] = { disabled: true };
    });
  });

  it('is named when the filter itself speaks HTTP', () => {
    assertFindings((config) => {
      delete authz(config)['grpc_service'];
      authz(config)['http_service'] = { server_uri: { uri: 'http://127.0.0.1:9001', cluster: 'postern' } };
    }, /^fault: listener partners: ext_authz: http_service asks over HTTP, and Postern speaks gRPC: /);
  });
});

const HOST = [
  'static_resources',
  'listeners',
  0,
  'filter_chains',
  0,
  'filters',
  0,
  'typed_config',
  'route_config',
  'virtual_hosts',
  0,
] as const;
