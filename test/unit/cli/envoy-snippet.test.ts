import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import {
  cluster,
  connectionManager,
  type JsonObject,
  objectAt,
  readEnvoyConfig,
} from '../../support/envoy/envoy-config.ts';
import { findDifferences } from '../../support/kubernetes/find-differences.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from './run-cli.ts';

const read = (path: string): string => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');

async function printed(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, out, err } = await runCli(['envoy', 'snippet', ...args], settings);
  assert.deepEqual([code, err], [0, '']);
  return out;
}

function parsed(text: string): JsonObject {
  return JSON.parse(JSON.stringify(parse(text))) as JsonObject;
}

const endpointOf = (config: JsonObject, name: string): JsonObject =>
  objectAt(cluster(config, name), 'load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address');

/** Objects of manifests, whatever their comments. */
function objectsOf(text: string): readonly unknown[] {
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

describe('postern envoy snippet', () => {
  it('prints what doctor has nothing to say about', async () => {
    await using folder = await temporaryDirectory();
    const file = join(folder.path, 'snippet.yaml');
    for (const args of [[], ['--grpc', 'unix:/run/postern/grpc.sock', '--http', 'unix:/run/postern/http.sock']]) {
      await writeFile(file, await printed(args));
      const { code, out } = await runCli(['doctor', '--envoy-file', file]);
      assert.equal(code, 0);
      assert.equal(
        out,
        '✓ listener partners: asks Postern about every request, and lets nothing pass that was not decided\n\nno faults, no warnings\n',
      );
    }
  });

  it('prints every setting of envoy.yaml that is Postern’s, with its comments', async () => {
    const text = await printed([]);
    const [config, whole] = [parsed(text), readEnvoyConfig()];
    const settings = connectionManager(whole);
    delete settings['access_log'];
    assert.deepEqual(connectionManager(config), settings);
    for (const name of ['postern', 'postern-http']) assert.deepEqual(cluster(config, name), cluster(whole, name));
    assert.deepEqual(Object.keys(config), ['overload_manager', 'static_resources']);
    assert.match(text, /# no answer is a refusal\n/);
  });

  it('has the addresses of the settings, or those that are given', async () => {
    const own = parsed(
      await printed([], { POSTERN_GRPC_ADDRESS: '10.0.0.5:7001', POSTERN_HTTP_ADDRESS: '[::1]:7002' }),
    );
    assert.deepEqual(endpointOf(own, 'postern'), { socket_address: { address: '10.0.0.5', port_value: 7001 } });
    assert.deepEqual(endpointOf(own, 'postern-http'), { socket_address: { address: '::1', port_value: 7002 } });
    const given = parsed(await printed(['--grpc', 'unix:/run/a.sock', '--http', 'postern.internal:9002']));
    assert.deepEqual(endpointOf(given, 'postern'), { pipe: { path: '/run/a.sock' } });
    assert.equal(cluster(given, 'postern')['type'], 'STATIC');
    assert.deepEqual(endpointOf(given, 'postern-http'), {
      socket_address: { address: 'postern.internal', port_value: 9002 },
    });
    assert.equal(cluster(given, 'postern-http')['type'], 'STRICT_DNS');
  });

  it('asks callers for certificates of the authorities in a folder, and is the same else', async () => {
    const [plain, asking] = [parsed(await printed([])), parsed(await printed(['--mutual-tls', '/etc/envoy/"p"/']))];
    assert.deepEqual(findDifferences(plain, asking), [
      'static_resources.listeners.0.filter_chains.0.filters.0.typed_config.forward_client_cert_details: added',
      'static_resources.listeners.0.filter_chains.0.transport_socket: added',
    ]);
    const chain = objectAt(asking, 'static_resources', 'listeners', 0, 'filter_chains', 0);
    const common = objectAt(chain, 'transport_socket', 'typed_config', 'common_tls_context');
    assert.deepEqual(common['validation_context'], { trusted_ca: { filename: '/etc/envoy/"p"/ca.crt' } });
    assert.deepEqual(common['tls_certificates'], [
      {
        certificate_chain: { filename: '/etc/envoy/"p"/tls.crt' },
        private_key: { filename: '/etc/envoy/"p"/tls.key' },
      },
    ]);
  });

  for (const [kind, changed] of [
    ['istio', 'mode: OPTIONAL_MUTUAL'],
    ['envoy-gateway', 'clientValidation:'],
  ] as const) {
    it(`asks callers for certificates at a gateway of its own name: ${kind}`, async () => {
      const gateway = kind === 'istio' ? 'edge/front' : 'edge/front/tls';
      const text = await printed(['--for', kind, '--gateway', gateway, '--mutual-tls']);
      assert.equal(text.split(changed).length, 2);
      if (kind === 'envoy-gateway') {
        const policy = objectsOf(text).find((each) => (each as JsonObject | null)?.['kind'] === 'ClientTrafficPolicy');
        assert.deepEqual(objectAt(policy as JsonObject, 'spec', 'headers', 'xForwardedClientCert'), {
          mode: 'SanitizeSet',
        });
      }
      const added = objectsOf(text).at(-1) as JsonObject;
      assert.deepEqual(
        [objectAt(added, 'metadata')['name'], objectAt(added, 'metadata')['namespace']],
        ['postern-mutual-tls', 'edge'],
      );
      assert.match(JSON.stringify(added), /include_peer_certificate/);
      assert.doesNotMatch(JSON.stringify(added), /partners\/partners|istio-partners/);
    });
  }

  for (const [title, args, settings, message] of [
    ['mutual TLS without the folder of its files', ['--mutual-tls'], {}, /--mutual-tls: must be a folder/],
    [
      'a folder for Istio',
      ['--for', 'istio', '--mutual-tls', '/etc/envoy'],
      {},
      /--mutual-tls takes no folder with --for istio/,
    ],
    ['an address that is none', ['--grpc', 'nowhere'], {}, /--grpc: "nowhere" is no address/],
    ['every address of a machine', [], { POSTERN_GRPC_ADDRESS: '0.0.0.0:9001' }, /none to call: give .* with --grpc/],
    ['a port that is not known', ['--http', 'a:0'], {}, /a:0 takes any free port: give .* with --http/],
    ['names for plain Envoy', ['--gateway', 'a/b'], {}, /--gateway says nothing with --for plain/],
    ['addresses for Istio', ['--for', 'istio', '--grpc', 'a:1'], {}, /--grpc says nothing with --for istio/],
    [
      'a gateway without its listener',
      ['--for', 'envoy-gateway', '--gateway', 'a/b'],
      {},
      /NAMESPACE\/GATEWAY\/LISTENER/,
    ],
    [
      'a name that is none',
      ['--for', 'istio', '--service', 'a/B'],
      {},
      /--service: must be NAMESPACE\/SERVICE, each a name of Kubernetes \(.*\), not "a\/B"/,
    ],
    ['a gateway of Istio without its label', ['--for', 'istio', '--gateway', 'a'], {}, /must be NAMESPACE\/LABEL, /],
    ['a namespace with a dot', ['--for', 'envoy-gateway', '--gateway', 'a.b/c/d'], {}, /, not "a\.b\/c\/d"/],
    ['settings that are wrong', [], { POSTERN_LOG_LEVEL: 'loud' }, /POSTERN_LOG_LEVEL/],
  ] as const) {
    it(`refuses ${title}`, async () => {
      const { code, out, err } = await runCli(['envoy', 'snippet', ...args], settings);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, message);
    });
  }

  for (const [kind, files] of Object.entries({
    istio: ['authorization-policy', 'destination-rule', 'envoy-filter'],
    'envoy-gateway': ['reference-grant', 'security-policy', 'extension-policy', 'traffic-policies', 'patch-policy'],
  })) {
    it(`prints the manifests of the overlay, whose translation doctor looks through: ${kind}`, async () => {
      const objects = objectsOf(await printed(['--for', kind])).filter((each) => each !== null);
      assert.deepEqual(
        objects,
        files.flatMap((file) => objectsOf(read(`overlays/${kind}/${file}.yaml`))),
      );
    });
  }

  it('takes the names of a gateway of Istio and of the Service', async () => {
    const text = await printed(['--for', 'istio', '--gateway', 'edge/front', '--service', 'auth/gate']);
    assert.doesNotMatch(text, /istio-partners\b(?!-)|istio: partners|postern\.postern/);
    assert.match(text, /namespace: edge\n/);
    assert.match(text, /string_value: outbound\|9002\|\|gate\.auth\.svc\.cluster\.local }/);
    assert.match(text, /host: gate\.auth\.svc\.cluster\.local\n/);
  });

  // What the overlays call things, given to the other side: each new name must stand only where it belongs.
  for (const [gateway, service] of [
    ['postern/ingress', 'auth/gate'],
    ['postern-edge/postern', 'istio-partners/gate'],
    ['edge/front', 'postern-auth/postern'],
  ] as const) {
    it(`does not rename a name that was given, for Istio: ${gateway}, ${service}`, async () => {
      const text = await printed(['--for', 'istio', '--gateway', gateway, '--service', service]);
      const [namespace = '', label = ''] = gateway.split('/');
      const [serviceNamespace = '', name = ''] = service.split('/');
      const plain = await printed(['--for', 'istio', '--gateway', 'aaa/bbb', '--service', 'ccc/ddd']);
      const expected = plain
        .replaceAll('namespace: aaa\n', `namespace: ${namespace}\n`)
        .replaceAll('istio: bbb\n', `istio: ${label}\n`)
        .replaceAll('ddd.ccc.svc', `${name}.${serviceNamespace}.svc`)
        .replaceAll('namespace: ccc\n', `namespace: ${serviceNamespace}\n`);
      assert.equal(text, expected);
    });
  }

  for (const [gateway, service] of [
    ['edge/front/tls', 'partners/gate'],
    ['postern/postern/https', 'partners-auth/partners'],
    ['partners/partners/partners', 'auth/https'],
  ] as const) {
    it(`does not rename a name that was given, for Envoy Gateway: ${gateway}, ${service}`, async () => {
      const text = await printed(['--for', 'envoy-gateway', '--gateway', gateway, '--service', service]);
      const [namespace = '', front = '', listener = ''] = gateway.split('/');
      const [serviceNamespace = '', name = ''] = service.split('/');
      const plain = await printed(['--for', 'envoy-gateway', '--gateway', 'aaa/bbb/eee', '--service', 'ccc/ddd']);
      const expected = plain
        .replaceAll('aaa', namespace)
        .replaceAll('bbb', front)
        .replaceAll('eee', listener)
        .replaceAll('ccc', serviceNamespace)
        .replaceAll('ddd', name);
      assert.equal(text, expected);
    });
  }

  it('takes names with dots where Kubernetes does: of a Gateway and its listener', async () => {
    const text = await printed(['--for', 'envoy-gateway', '--gateway', 'edge/front.v2/api.example.com']);
    assert.match(text, /name: edge\/front\.v2\/api\.example\.com\n/);
    assert.match(text, /kind: Gateway\n +name: front\.v2\n/);
  });

  it('takes the names of a gateway of Envoy Gateway and of the Service', async () => {
    const text = await printed(['--for', 'envoy-gateway', '--gateway', 'edge/front/tls', '--service', 'auth/gate']);
    assert.doesNotMatch(text, /partners\/partners|namespace: (partners|postern)\b|\/partners\//);
    assert.match(text, /name: edge\/front\/tls\n/);
    assert.match(text, /'envoy\.filters\.http\.ext_authz\/securitypolicy\/edge\/postern'/);
    assert.match(text, /- name: gate\n +namespace: auth\n +port: 9001\n/);
    assert.match(text, /kind: Gateway\n +name: front\n/);
    assert.match(text, /# kind: Gateway\n# metadata:\n# {3}name: front\n/);
    assert.match(text, /# {3}listeners:\n# {5}- name: tls\n/);
    assert.match(text, /value: gate\.auth\n/);
    assert.match(text, /kind: Service\n +name: gate\n/);
  });
});
