import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { digestOf, readFolder } from '../../../scripts/attachments/manifests.mjs';
import { sharedManifests, withSharedParts } from '../../../scripts/deploy/control-planes.mjs';
import { type Attachment, envoyYaml } from '../../support/attachments/attachment.ts';
import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { readTranslation } from '../../support/attachments/from-control-plane.ts';
import { istio } from '../../support/attachments/istio.ts';
import {
  at,
  bufferLimit,
  cluster,
  connectionManager,
  filterSettings,
  httpFilters,
  type Json,
  listAt,
  objectAt,
  routes,
} from '../../support/envoy/envoy-config.ts';

const attachments: Readonly<Record<string, Attachment>> = { 'envoy-gateway': envoyGateway, istio };

/** The first object of this kind and name that the files of an overlay hold. */
async function findObject(overlay: string, kind: string, name: string): Promise<Json> {
  const objects = (await readFolder(`overlays/${overlay}`)).flatMap(([, list]) => list as readonly Json[]);
  const found = objects.find((object) => objectAt(object)['kind'] === kind && at(object, 'metadata', 'name') === name);
  assert.ok(found !== undefined, `${overlay} has no ${kind} ${name}`);
  return found;
}

/** Without what only has to be there: Protobuf leaves out what is the default anyway. */
function withoutDefaults(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== false && item !== 'ALLOW');
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutDefaults(item)]));
}

for (const [overlay, attachment] of Object.entries(attachments)) {
  const { buffer, authz, unwrap, guard } = attachment.filters;

  describe(`what ${attachment.title} makes of deploy/overlays/${overlay}`, () => {
    it('was made of the manifests as they are now', async () => {
      const { manifests, controlPlane } = readTranslation(overlay);
      assert.equal(
        manifests,
        await digestOf([`overlays/${overlay}`]),
        `run: npm run translate:attachments -- ${overlay}`,
      );
      assert.match(controlPlane, /\d+\.\d+/);
    });

    it('has the filters in the order that makes them safe, and the guard last', () => {
      const names = httpFilters(attachment.config()).map((filter) => at(filter, 'name'));
      const own = names.filter((name) => typeof name === 'string' && [buffer, authz, unwrap, guard].includes(name));
      assert.deepEqual(own, [buffer, authz, unwrap, guard]);
      assert.deepEqual(names.slice(-2), [guard, 'envoy.filters.http.router']);
    });

    it('has the guard, the script and the local replies of envoy.yaml', () => {
      const [reference, made] = [envoyYaml.config(), attachment.config()];
      const decided = (config: Json, name: string): Json =>
        withoutDefaults(at(filterSettings(config as never, name), 'rules', 'policies', 'decided-by-postern'));
      assert.deepEqual(decided(made, guard), decided(reference, envoyYaml.filters.guard));
      assert.deepEqual(
        objectAt(filterSettings(made, unwrap), 'default_source_code'),
        objectAt(filterSettings(reference, envoyYaml.filters.unwrap), 'default_source_code'),
      );
      const [manager, referenceManager] = [connectionManager(made), connectionManager(reference)];
      assert.deepEqual(manager['local_reply_config'], referenceManager['local_reply_config']);
      const mutations = (from: Json): readonly string[] =>
        listAt(from, 'early_header_mutation_extensions', 0, 'typed_config', 'mutations')
          .map((mutation) => JSON.stringify(mutation))
          .sort();
      assert.deepEqual(mutations(manager), mutations(referenceManager));
    });

    it('has the switches of envoy.yaml', () => {
      const [reference, made] = [envoyYaml.config(), attachment.config()];
      const switches = ['normalize_path', 'merge_slashes', 'path_with_escaped_slashes_action'];
      const answers = ['always_set_request_id_in_response', 'proxy_100_continue'];
      for (const name of [...switches, ...answers]) {
        assert.equal(connectionManager(made)[name] ?? false, connectionManager(reference)[name] ?? false, name);
      }
      const check = filterSettings(made, authz);
      const expected = filterSettings(reference, envoyYaml.filters.authz);
      const names = ['encode_raw_headers', 'validate_mutations', 'failure_mode_allow', 'clear_route_cache'];
      for (const name of names) assert.equal(check[name] ?? false, expected[name], name);
      assert.deepEqual(check['status_on_error'], expected['status_on_error']);
      assert.deepEqual(
        withoutDefaults(check['with_request_body'] ?? null),
        withoutDefaults(expected['with_request_body'] ?? null),
      );
    });

    it('has the limits and timeouts of envoy.yaml', () => {
      const [reference, made] = [envoyYaml.config(), attachment.config()];
      assert.equal(bufferLimit(made, buffer), bufferLimit(reference, envoyYaml.filters.buffer));
      const names = [
        'request_headers_timeout',
        'request_timeout',
        'stream_idle_timeout',
        'use_remote_address',
      ] as const;
      for (const name of names) assert.equal(connectionManager(made)[name], connectionManager(reference)[name], name);
      assert.deepEqual(
        withoutDefaults(objectAt(connectionManager(made), 'common_http_protocol_options')),
        withoutDefaults(objectAt(connectionManager(reference), 'common_http_protocol_options')),
      );
      const { retry_policy: retries, timeout } = objectAt(filterSettings(made, authz), 'grpc_service');
      const expected = objectAt(filterSettings(reference, envoyYaml.filters.authz), 'grpc_service');
      assert.equal(timeout, expected['timeout']);
      // 64-bit numbers are texts in the JSON of protobuf.
      assert.deepEqual(
        { ...(retries as object), host_selection_retry_max_attempts: 3 },
        { ...(expected['retry_policy'] as object) },
      );
    });

    it('checks the health of Postern each second, also without traffic', () => {
      const [check] = listAt(cluster(attachment.config(), attachment.clusters.postern), 'health_checks');
      assert.ok(check !== undefined && 'grpc_health_check' in objectAt(check));
      const times = ['interval', 'timeout', 'no_traffic_interval'].map((name) => at(check, name));
      assert.deepEqual(times, ['1s', '1s', '1s']);
    });

    it('logs single entries of the metadata under the names of envoy.yaml', () => {
      const format = (config: Json): Json =>
        at(connectionManager(config as never), 'access_log', 0, 'typed_config', 'log_format', 'json_format');
      assert.deepEqual(format(attachment.config()), format(envoyYaml.config()));
    });
  });
}

describe('what the manifests for control planes have in common with envoy.yaml', () => {
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

  for (const path of sharedManifests) {
    it(`is the same, word for word: ${path}`, () => {
      const manifest = read(`deploy/${path}`);
      const message = 'envoy.yaml was changed: node scripts/deploy/control-planes.mjs';
      assert.equal(manifest, withSharedParts(path, manifest, read('envoy.yaml')), message);
    });
  }
});

describe('the script that unwraps bodies', () => {
  it('is the same in every manifest as in envoy.yaml', async () => {
    const script = at(
      filterSettings(envoyYaml.config(), envoyYaml.filters.unwrap),
      'default_source_code',
      'inline_string',
    );
    const policy = await findObject('envoy-gateway', 'EnvoyExtensionPolicy', 'postern-unwrap');
    assert.equal(at(policy, 'spec', 'lua', 0, 'inline'), script);
    const filter = await findObject('istio', 'EnvoyFilter', 'postern');
    assert.ok(JSON.stringify(filter).includes(JSON.stringify(script)));
  });
});

describe('what Envoy Gateway makes of mutual TLS to Postern', () => {
  const { manifests, clusters } = readTranslation('envoy-gateway-tls');

  it('was made of the manifests as they are now', async () => {
    const folders = ['overlays/envoy-gateway', 'components/tls-envoy-gateway'];
    assert.equal(manifests, await digestOf(folders), 'run: npm run translate:attachments -- envoy-gateway-tls');
  });

  it('takes only the certificate of Postern, shows one, and offers HTTP/2 to the authorization service', () => {
    for (const name of [envoyGateway.clusters.postern, envoyGateway.clusters.posternHttp]) {
      const found = clusters.find((each) => each['name'] === name) ?? null;
      const context = objectAt(
        found,
        'transport_socket_matches',
        0,
        'transport_socket',
        'typed_config',
        'common_tls_context',
      );
      assert.deepEqual(at(context, 'combined_validation_context', 'default_validation_context'), {
        match_typed_subject_alt_names: [{ matcher: { exact: 'postern.postern.svc' }, san_type: 'DNS' }],
      });
      assert.equal(at(context, 'tls_certificate_sds_secret_configs', 0, 'name'), 'partners/partners-client-tls');
      if (name === envoyGateway.clusters.postern) assert.deepEqual(context['alpn_protocols'], ['h2']);
    }
  });
});

describe('a gateway of Istio, where others may write routes', () => {
  it('takes those of its own namespace only, whatever they are called', async () => {
    const translator = readFileSync(new URL('../../../scripts/attachments/istio.mjs', import.meta.url), 'utf8');
    assert.match(translator, /namespace: strangers[\s\S]*name: postern-oauth2[\s\S]*prefix: \/stranger\//);
    assert.doesNotMatch(JSON.stringify(readTranslation('istio').routes), /stranger/);
    const gateway = await findObject('istio', 'Gateway', 'partners');
    const hosts = listAt(gateway, 'spec', 'servers').flatMap((server) => listAt(server, 'hosts'));
    assert.deepEqual(hosts, ['./*']);
  });

  it('has no route that switches the guard off, and one policy of the guard for Postern itself', () => {
    assert.doesNotMatch(JSON.stringify(routes(istio.config())), /postern\.guard/);
    const policies = objectAt(filterSettings(istio.config(), istio.filters.guard), 'rules', 'policies');
    assert.deepEqual(Object.keys(policies).sort(), ['decided-by-postern', 'to-postern-itself']);
    assert.ok(JSON.stringify(policies['to-postern-itself']).includes(JSON.stringify(istio.clusters.posternHttp)));
  });
});

describe('the policies that ask Postern', () => {
  it('are for the whole gateway, and do not fail open', async () => {
    const security = await findObject('envoy-gateway', 'SecurityPolicy', 'postern');
    assert.equal(at(security, 'spec', 'targetRefs', 0, 'kind'), 'Gateway');
    assert.equal(at(security, 'spec', 'extAuth', 'failOpen'), false);
    const authorization = await findObject('istio', 'AuthorizationPolicy', 'postern');
    assert.deepEqual(at(authorization, 'spec', 'rules'), [{}]);
    const values = Object.fromEntries(await readFolder('overlays/istio'))['istiod-values.yaml'] as Json;
    assert.equal(at(values, 0, 'meshConfig', 'extensionProviders', 0, 'envoyExtAuthzGrpc', 'failOpen'), false);
    assert.equal(at(values, 0, 'meshConfig', 'pathNormalization', 'normalization'), 'NONE');
  });

  it('grant no other namespace and no other Service', async () => {
    const { from, to } = objectAt(await findObject('envoy-gateway', 'ReferenceGrant', 'partners'), 'spec');
    assert.deepEqual(
      (from as Json[]).map((each) => at(each, 'namespace')),
      ['partners', 'partners'],
    );
    assert.deepEqual(to, [{ group: '', kind: 'Service', name: 'postern' }]);
  });
});
