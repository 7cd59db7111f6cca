import assert from 'node:assert/strict';
import { join } from 'node:path';
import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { readTranslation } from '../../support/attachments/from-control-plane.ts';
import { cluster, type Json, type JsonObject, objectAt } from '../../support/envoy/envoy-config.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { mountSecret, type SecretVolume } from '../../support/tls/secret-volume.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

const { postern, posternHttp } = envoyGateway.clusters;
const authority = makeCertificate('authority');
const own = makeCertificate('postern', authority, { names: ['postern.postern.svc'] });
const client = makeCertificate('gateway', authority);

/** The TLS that Envoy Gateway made for a cluster, with files in place of secrets that it sends. */
function tlsOf(name: string, secret: SecretVolume): JsonObject {
  const { clusters } = readTranslation('envoy-gateway-tls');
  const made = clusters.find((each) => each['name'] === name) ?? null;
  const socket = objectAt(made, 'transport_socket_matches', 0, 'transport_socket');
  const context = objectAt(socket, 'typed_config', 'common_tls_context');
  const validation = objectAt(context, 'combined_validation_context', 'default_validation_context');
  delete context['combined_validation_context'];
  delete context['tls_certificate_sds_secret_configs'];
  context['validation_context'] = { ...validation, trusted_ca: { filename: secret.ca } };
  context['tls_certificates'] = [
    { certificate_chain: { filename: secret.certificate }, private_key: { filename: secret.key } },
  ];
  return socket;
}

function useTls(config: JsonObject, secret: SecretVolume): void {
  for (const name of [postern, posternHttp]) {
    const { clusters } = readTranslation('envoy-gateway-tls');
    const made = clusters.find((each) => each['name'] === name);
    const settings = cluster(config, name);
    settings['transport_socket'] = tlsOf(name, secret);
    settings['typed_extension_protocol_options'] = made?.['typed_extension_protocol_options'] ?? null;
  }
}

describe('mutual TLS between Envoy Gateway and Postern', () => {
  let directory: TemporaryDirectory;
  let posternSecret: SecretVolume;
  let gatewaySecret: SecretVolume;
  let stack: Stack | undefined;
  before(async () => {
    directory = await temporaryDirectory();
    posternSecret = await mountSecret(join(directory.path, 'postern'), { own, ca: authority.cert });
    gatewaySecret = await mountSecret(join(directory.path, 'gateway'), { own: client, ca: authority.cert });
  });
  after(() => release(directory));
  afterEach(() => release(stack));

  async function start(edit?: (config: JsonObject) => void): Promise<Stack> {
    stack = await startStack(document, {
      attachment: envoyGateway,
      settings: {
        POSTERN_TLS_CERTIFICATE: posternSecret.certificate,
        POSTERN_TLS_KEY: posternSecret.key,
        POSTERN_TLS_CLIENT_CA: posternSecret.ca,
        POSTERN_HTTP_TLS: 'true',
      },
      edit: (config) => {
        useTls(config, gatewaySecret);
        edit?.(config);
      },
    });
    return stack;
  }

  it('carries checks, health checks and the token address', async () => {
    const { envoy, backend } = await start();
    const url = `http://127.0.0.1:${String(envoy.adminPort)}/clusters`;
    await poll('a healthy replica', async () => {
      const lines = (await (await fetch(url)).text()).split('\n');
      return lines.find((line) => line.startsWith(`${postern}::`) && line.endsWith('::healthy')) ?? null;
    });
    assert.equal((await http1(envoy.port, { target: '/orders?appKey=key-of-acme' })).status, 200);
    assert.equal(backend.requests.length, 1);
    const token = await http1(envoy.port, { method: 'POST', target: '/oauth2/token', body: 'grant_type=x' });
    assert.match(token.body.toString(), /invalid_/);
  });

  it('needs the component: with TLS that offers no protocol no replica is healthy', async () => {
    const { envoy } = await start((config) => {
      const context = objectAt(cluster(config, postern), 'transport_socket', 'typed_config', 'common_tls_context');
      assert.deepEqual(context['alpn_protocols'] satisfies Json | undefined, ['h2']);
      delete context['alpn_protocols'];
    });
    const count = (outcome: string): Promise<number> => envoy.stat(`cluster.${postern}.health_check.${outcome}`);
    await poll('a health check', async () => ((await count('failure')) > 0 ? true : null));
    assert.equal(await count('success'), 0);
  });
});
