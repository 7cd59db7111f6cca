import { assertFindings } from '../../../../support/envoy/doctor-findings.ts';
import {
  backendRoute,
  cluster,
  connectionManager,
  httpFilters,
  type Json,
  type JsonObject,
  objectAt,
} from '../../../../support/envoy/envoy-config.ts';

const filters = 'type.googleapis.com/envoy.extensions.filters.http.';
const MUTATION = `${filters}header_mutation.v3.HeaderMutation`;

function setting(key: string): Json {
  return { header: { key, value: 'x' }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' };
}

/** Adds a filter between the guard and the router. */
function addFilter(config: JsonObject, settings: JsonObject, index = -1): void {
  httpFilters(config).splice(index, 0, { name: 'added', typed_config: settings });
}

function mutationOf(...mutations: readonly Json[]): JsonObject {
  return { '@type': MUTATION, mutations: { request_mutations: [...mutations] } };
}

const ADDED = /^fault: listener partners: identity headers: the filter added behind Postern removes or overwrites /;

describe('identity headers behind Postern', () => {
  for (const level of ['route', 'virtual host', 'table', 'weighted cluster']) {
    it(`are a fault to add: request_headers_to_add of a ${level}`, () => {
      assertFindings((config) => {
        const route = backendRoute(config);
        const table = objectAt(connectionManager(config), 'route_config');
        const weighted: JsonObject = { name: 'backend', weight: 1 };
        if (level === 'weighted cluster') route['route'] = { weighted_clusters: { clusters: [weighted] } };
        const holders: Readonly<Record<string, JsonObject>> = {
          route,
          'virtual host': objectAt(table, 'virtual_hosts', 0),
          table,
          'weighted cluster': weighted,
        };
        objectAt(holders[level] ?? null)['request_headers_to_add'] = [setting('X-Consumer-Id')];
      }, /^fault: listener partners: route apis: prefix \/: request_headers_to_add sets X-Consumer-Id after Postern/);
    });
  }

  it('are a fault for a filter to set', () => {
    assertFindings(
      (config) => {
        addFilter(config, mutationOf({ append: setting('x-consumer-username') }));
      },
      new RegExp(`${ADDED.source}x-consumer-username`),
    );
  });

  it('are a fault for a filter to remove', () => {
    assertFindings((config) => {
      addFilter(config, mutationOf({ remove: 'x-credential-identifier' }));
    }, ADDED);
    assertFindings((config) => {
      addFilter(config, mutationOf({ remove_on_match: { key_matcher: { prefix: 'x-consumer-' } } }));
    }, ADDED);
  });

  it('are a fault for a filter to set on a route', () => {
    assertFindings((config) => {
      addFilter(config, mutationOf());
      const own = { '@type': `${MUTATION}PerRoute`, ...mutationOf({ append: setting('x-consumer-id') }) };
      backendRoute(config)['typed_per_filter_config'] = { added: own };
    }, /^fault: listener partners: route apis: prefix \/: the filter added behind Postern removes or overwrites x-cons/);
  });

  const writers: Readonly<Record<string, JsonObject>> = {
    'claims of a token': {
      '@type': `${filters}jwt_authn.v3.JwtAuthentication`,
      providers: { own: { claim_to_headers: [{ header_name: 'x-consumer-id', claim_name: 'sub' }] } },
    },
    'a whole token': {
      '@type': `${filters}jwt_authn.v3.JwtAuthentication`,
      providers: { own: { forward_payload_header: 'x-consumer-id' } },
    },
    'a user name': { '@type': `${filters}basic_auth.v3.BasicAuth`, forward_username_header: 'x-consumer-username' },
    'an API key': { '@type': `${filters}api_key_auth.v3.ApiKeyAuth`, forwarding: { header: 'x-consumer-id' } },
    metadata: {
      '@type': `${filters}header_to_metadata.v3.Config`,
      request_rules: [{ header: 'x-consumer-id', remove: true }],
    },
  };
  for (const [name, settings] of Object.entries(writers)) {
    it(`are a fault for a filter to replace by ${name}`, () => {
      assertFindings((config) => {
        addFilter(config, settings);
      }, ADDED);
    });
  }

  it('are a fault for a filter of the cluster to set', () => {
    assertFindings((config) => {
      const options = objectAt(
        cluster(config, 'backend'),
        'typed_extension_protocol_options',
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      );
      options['http_filters'] = [{ name: 'added', typed_config: mutationOf({ append: setting('x-consumer-id') }) }];
    }, /^fault: cluster backend: the filter added behind Postern removes or overwrites x-consumer-id/);
  });

  it('are no matter where other headers change', () => {
    assertFindings((config) => {
      backendRoute(config)['request_headers_to_add'] = [setting('x-tenant')];
      addFilter(config, mutationOf({ append: setting('x-tenant') }, { remove: 'cookie' }));
    });
  });
});
