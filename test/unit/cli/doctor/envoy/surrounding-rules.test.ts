import { assertFindings } from '../../../../support/envoy/doctor-findings.ts';
import {
  backendRoute,
  cluster,
  connectionManager,
  filterSettings,
  httpFilters,
  type JsonObject,
  listAt,
  objectAt,
} from '../../../../support/envoy/envoy-config.ts';

const AUTHZ = 'envoy.filters.http.ext_authz';
const filters = 'type.googleapis.com/envoy.extensions.filters.http.';

function addFirst(config: JsonObject, name: string, settings: JsonObject): void {
  httpFilters(config).unshift({ name, typed_config: settings });
}

/** An ext_authz of another team, before or after ours. */
function addForeign(config: JsonObject, isBefore: boolean, service?: JsonObject): void {
  const list = httpFilters(config);
  const at = list.findIndex((filter) => objectAt(filter)['name'] === AUTHZ);
  const own = cluster(config, 'backend');
  listAt(config, 'static_resources', 'clusters').push({ ...structuredClone(own), name: 'opa' });
  list.splice(isBefore ? at : at + 1, 0, {
    name: 'opa',
    typed_config: {
      '@type': `${filters}ext_authz.v3.ExtAuthz`,
      ...(service ?? { grpc_service: { envoy_grpc: { cluster_name: 'opa' } } }),
    },
  });
}

describe('what stands around the chain', () => {
  for (const setting of ['strip_matching_host_port', 'strip_any_host_port', 'strip_trailing_host_dot']) {
    it(`is a warning: ${setting}`, () => {
      assertFindings(
        (config) => {
          connectionManager(config)[setting] = true;
        },
        new RegExp(
          `^warning: listener partners: request target: ${setting} changes the authority before Postern sees it`,
        ),
      );
    });
  }

  for (const [name, type] of [
    ['decompressor', 'decompressor.v3.Decompressor'],
    ['script', 'lua.v3.Lua'],
    ['processor', 'ext_proc.v3.ExternalProcessor'],
    ['transcoder', 'grpc_json_transcoder.v3.GrpcJsonTranscoder'],
    ['wasm', 'wasm.v3.Wasm'],
  ] as const) {
    it(`is a warning: a ${name} before ext_authz`, () => {
      assertFindings(
        (config) => {
          addFirst(config, name, { '@type': filters + type });
        },
        new RegExp(
          `^warning: listener partners: filter chain: the filter ${name} before ext_authz can change headers or b`,
        ),
      );
    });
  }

  it('is a warning: header mutations before ext_authz, and none without any', () => {
    const type = { '@type': `${filters}header_mutation.v3.HeaderMutation` };
    assertFindings((config) => {
      addFirst(config, 'mutation', { ...type, mutations: { request_mutations: [{ remove: 'cookie' }] } });
    }, /^warning: .*the filter mutation before ext_authz/);
    assertFindings((config) => {
      addFirst(config, 'mutation', { ...type, mutations: { response_mutations: [{ remove: 'server' }] } });
    });
  });

  it('is nothing where a filter changes no request', () => {
    assertFindings((config) => {
      addFirst(config, 'cors', { '@type': `${filters}cors.v3.Cors` });
      addFirst(config, 'off', { '@type': `${filters}decompressor.v3.Decompressor` });
      objectAt(httpFilters(config), 0)['disabled'] = true;
    });
  });

  it('is a warning: internal redirects', () => {
    assertFindings((config) => {
      objectAt(backendRoute(config), 'route')['internal_redirect_policy'] = {};
    }, /^warning: listener partners: route apis: prefix \/: internal_redirect_policy asks Postern again, without the cred/);
  });

  it('is a warning: internal addresses, also none', () => {
    for (const settings of [{}, { cidr_ranges: [{ address_prefix: '10.0.0.0', prefix_len: 8 }] }]) {
      assertFindings((config) => {
        connectionManager(config)['internal_address_config'] = settings;
      }, /^warning: listener partners: callers: internal_address_config /);
    }
  });

  it('is a warning: a way to the same back end without HTTP filters', () => {
    assertFindings((config) => {
      listAt(config, 'static_resources', 'listeners').push({
        name: 'raw',
        filter_chains: [
          {
            filters: [
              {
                name: 'tcp',
                typed_config: {
                  '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
                  cluster: 'backend',
                },
              },
            ],
          },
        ],
      });
    }, /^warning: listener raw: leads to backend by tcp_proxy, where listener partners leads too: what comes this way is not/);
  });

  it('is nothing where a tcp_proxy leads elsewhere', () => {
    assertFindings((config) => {
      const type = 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
      const filter = { name: 'tcp', typed_config: { '@type': type, cluster: 'database' } };
      listAt(config, 'static_resources', 'listeners').push({ name: 'raw', filter_chains: [{ filters: [filter] }] });
    });
  });
});

describe('an ext_authz of another service', () => {
  for (const isBefore of [true, false]) {
    it(`is a warning, and not taken for ours, ${isBefore ? 'before' : 'after'} it`, () => {
      assertFindings((config) => {
        addForeign(config, isBefore);
      }, /^warning: listener partners: filter chain: the filters (opa and \S+ext_authz|\S+ext_authz and opa) both write the metadata/);
    });

    it(`is a warning over HTTP, ${isBefore ? 'before' : 'after'} it`, () => {
      assertFindings((config) => {
        addForeign(config, isBefore, { http_service: { server_uri: { uri: 'http://opa', cluster: 'opa' } } });
      }, /^warning: .* both write the metadata/);
    });
  }

  it('does not hide the faults of ours', () => {
    assertFindings(
      (config) => {
        addForeign(config, true);
        filterSettings(config, AUTHZ)['failure_mode_allow'] = true;
      },
      /^warning: .* both write the metadata/,
      /^fault: .*failure_mode_allow is on/,
    );
  });
});
