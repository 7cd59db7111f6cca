import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type JsonObject, listAt, objectAt } from '../../support/envoy/envoy-config.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { type PlainRequest, send } from '../../support/http/http-client.ts';
import { type HttpAnswer } from '../../support/http/http-message.ts';
import { renderComposition } from '../../support/kubernetes/compose-kustomization.ts';
import { localContainer } from '../../support/kubernetes/local-container.ts';
import { getManifest, type Manifest, textOf } from '../../support/kubernetes/manifest.ts';
import { toLoopback } from '../../support/kubernetes/plain-envoy.ts';
import { poll } from '../../support/time/poll.ts';
import { type PosternSettings } from '../../support/stack/postern-process.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;
const ca = makeCertificate('authority');

/** What cert-manager would put into a Secret for this name. */
function secretFor(name: string): Readonly<Record<string, string>> {
  const { cert, key } = makeCertificate(name, ca, { names: [name] });
  return { 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca.cert };
}

/** Envoy and Postern with the files, settings and configuration that the two components give their pods. */
async function startPods(manifests: readonly Manifest[], root: string, serverName: string): Promise<Stack> {
  const secrets = {
    postern: { store: '', 'keyring.yaml': '' },
    'postern-tls': secretFor(serverName),
    'envoy-tls': secretFor('envoy.postern.svc'),
  };
  const contain = async (name: string): ReturnType<typeof localContainer> =>
    await localContainer({
      manifests,
      workload: getManifest(manifests, 'Deployment', name),
      root,
      replace: {},
      secrets,
    });
  const { env } = await contain('postern');
  const settings = Object.fromEntries(
    Object.entries(env).filter(([name]) => /_TLS(_|$)/.test(name)),
  ) as PosternSettings;
  assert.equal(Object.keys(settings).length, 4);
  await contain('envoy');
  const home = join(root, 'envoy');
  for (const name of ['envoy.yaml', 'postern-ca.yaml']) {
    const text = textOf(getManifest(manifests, 'ConfigMap', 'envoy-sds'), 'data', name) ?? '';
    await writeFile(join(root, name), text.replaceAll('/etc/envoy-tls', `${home}/etc/envoy-tls`));
  }
  const envoyYaml = textOf(getManifest(manifests, 'ConfigMap', 'envoy'), 'data', 'envoy.yaml') ?? '';
  const config = (): JsonObject => {
    const parsed = parse(envoyYaml.replaceAll('/etc/envoy-sds', root)) as JsonObject;
    const copy = JSON.parse(JSON.stringify(parsed)) as JsonObject;
    toLoopback(copy);
    objectAt(listAt(copy, 'static_resources', 'listeners')[1] ?? {}, 'address', 'socket_address')['port_value'] = 0;
    return copy;
  };
  return await startStack(document, {
    settings,
    edit: (committed) => {
      for (const name of Object.keys(committed)) committed[name] = null;
      Object.assign(committed, config());
    },
  });
}

describe('mutual TLS between Envoy and Postern, by the components tls and tls-envoy', () => {
  let directory: TemporaryDirectory;
  let manifests: readonly Manifest[];
  let stack: Stack;
  before(async () => {
    directory = await temporaryDirectory();
    manifests = await renderComposition({
      resources: ['overlays/plain-envoy'],
      components: ['components/tls', 'components/tls-envoy'],
    });
    stack = await startPods(manifests, join(directory.path, 'pods'), 'postern.postern.svc');
  });
  after(() => release(directory, stack));

  const call = async (request: PlainRequest, of = stack): Promise<HttpAnswer> =>
    await send('HTTP/1.1', of.envoy.port, request);

  it('is how requests are decided, and tokens issued', async () => {
    assert.equal((await call({ target: '/orders', headers: [['x-app-key', 'key-of-acme']] })).status, 200);
    assert.equal((await call({ target: '/orders', headers: [['x-app-key', 'nobody']] })).status, 401);
    assert.equal((await call({ target: '/.well-known/oauth-authorization-server' })).status, 200);
    for (const cluster of ['postern', 'postern-http']) {
      assert.ok((await stack.envoy.stat(`cluster.${cluster}.ssl.handshake`)) > 0, cluster);
      assert.equal(await stack.envoy.stat(`cluster.${cluster}.membership_healthy`), 1, cluster);
    }
  });

  it('is refused by Envoy when the certificate is for another name', async () => {
    await using other = await startPods(manifests, join(directory.path, 'other'), 'postern.elsewhere.svc');
    const { status } = await call({ target: '/orders', headers: [['x-app-key', 'key-of-acme']] }, other);
    assert.equal(status, 503);
    await poll('a refused certificate', async () =>
      (await other.envoy.stat('cluster.postern.ssl.fail_verify_san')) > 0 ? true : null,
    );
  });
});
