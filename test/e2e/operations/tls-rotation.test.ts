import assert from 'node:assert/strict';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { cluster, type JsonObject, listAt } from '../../support/envoy/envoy-config.ts';
import { type Certified, makeCertificate } from '../../support/grpc/certificate.ts';
import { type LoadRequest, startLoad } from '../../support/load/open-load.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useFollowedTls, writeEnvoySecrets } from '../../support/tls/envoy-tls.ts';
import { mountSecret, type SecretVolume } from '../../support/tls/secret-volume.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

const REQUESTS_PER_SECOND = 100;
/** Between two steps. */
const SOME = 60;

const oldCa = makeCertificate('authority');
const newCa = makeCertificate('next authority');
const envoyName = 'spiffe://cluster.local/ns/gateways/sa/envoy';
const makeEnvoy = (issuer: Certified): Certified => makeCertificate('envoy', issuer, { names: [envoyName] });
const oldEnvoy = makeEnvoy(oldCa);
const expiry = new Date('2040-01-01T00:00:00Z');

describe('a rotation of every certificate between Envoy and Postern, under load', function () {
  this.timeout(120_000);
  let directory: TemporaryDirectory;
  let posternSecret: SecretVolume;
  let envoySecret: SecretVolume;
  let stack: Stack;
  before(async () => {
    directory = await temporaryDirectory();
    const path = (name: string): string => join(directory.path, name);
    posternSecret = await mountSecret(path('postern'), { own: makeCertificate('postern', oldCa), ca: oldCa.cert });
    envoySecret = await mountSecret(path('envoy'), { own: oldEnvoy, ca: oldCa.cert });
    const secrets = await writeEnvoySecrets(path('sds'), envoySecret);
    stack = await startStack(document, {
      settings: {
        POSTERN_TLS_CERTIFICATE: posternSecret.certificate,
        POSTERN_TLS_KEY: posternSecret.key,
        POSTERN_TLS_CLIENT_CA: posternSecret.ca,
        POSTERN_TLS_CLIENT_NAMES: envoyName,
        POSTERN_HTTP_TLS: 'true',
      },
      edit: (config) => {
        useFollowedTls(config, secrets);
        for (const name of ['postern', 'postern-http']) {
          // For machines that are busy with more than this; the time to connect includes the TLS handshake.
          cluster(config, name)['connect_timeout'] = '10s';
          for (const check of listAt(cluster(config, name), 'health_checks')) (check as JsonObject)['timeout'] = '10s';
        }
      },
    });
  });
  after(() => release(directory, stack));

  const statOf = async (name: string): Promise<number> => await stack.envoy.stat(`cluster.postern.${name}`);

  /** Changes a Secret, and waits until it is in force. */
  async function updatePostern(content: Parameters<SecretVolume['update']>[0]): Promise<void> {
    const taken = (): number =>
      stack.postern.logs().filter(({ message }) => message === 'new connections take the changed TLS certificate')
        .length;
    const before = taken();
    await posternSecret.update(content);
    await poll('Postern to take the changed files', () => Promise.resolve(taken() > before ? true : null));
  }

  async function updateEnvoy(content: Parameters<SecretVolume['update']>[0]): Promise<void> {
    const updates = 'client_ssl_socket_factory.ssl_context_update_by_sds';
    const before = await statOf(updates);
    await envoySecret.update(content);
    await poll('Envoy to take the changed files', async () => ((await statOf(updates)) > before ? true : null));
  }

  function alternate(): () => LoadRequest {
    let count = 0;
    return () => {
      count += 1;
      return count % 5 === 0
        ? { kind: 'http', request: { target: '/.well-known/oauth-authorization-server' } }
        : { kind: 'grpc', request: { target: '/orders', headers: [['x-app-key', 'key-of-acme']] } };
    };
  }

  it('fails no request, and leaves no way in for certificates of the removed authority', async () => {
    await poll('a healthy cluster', async () => ((await statOf('membership_healthy')) === 1 ? true : null));
    await using load = startLoad({ port: stack.envoy.port, perSecond: REQUESTS_PER_SECOND, next: alternate() });
    await load.more(SOME);
    await updatePostern({ own: makeCertificate('postern', oldCa) });
    await load.more(SOME);
    await updateEnvoy({ own: makeEnvoy(oldCa) });
    await load.more(SOME);

    await updatePostern({ ca: oldCa.cert + newCa.cert });
    await updateEnvoy({ ca: oldCa.cert + newCa.cert });
    await load.more(SOME);
    await updatePostern({ own: makeCertificate('postern', newCa, { notAfter: expiry }) });
    await updateEnvoy({ own: makeEnvoy(newCa) });
    await load.more(SOME);
    assert.equal(await isLetIn(oldEnvoy), true);
    assert.equal(await isLetIn(makeCertificate('another workload', newCa)), false);

    const handshakes = await statOf('ssl.handshake');
    await updatePostern({ ca: newCa.cert });
    await poll('Envoy to come anew', async () => ((await statOf('ssl.handshake')) > handshakes ? true : null));
    await load.more(SOME);
    await updateEnvoy({ ca: newCa.cert });
    await load.more(SOME);
    assert.equal(await isLetIn(oldEnvoy), false);

    const report = await load.stop();
    assert.deepEqual(Object.keys(report.outcomes), ['grpc 200', 'http 200'], JSON.stringify(report));
    assert.equal(report.failed, 0);
    assert.equal(stack.backend.requests.length, report.outcomes['grpc 200']);
    const metrics = await stack.postern.metrics();
    const expirySeconds = String(expiry.getTime() / 1000);
    assert.ok(
      metrics.includes(`postern_tls_certificate_expiry_seconds{setting="POSTERN_TLS_CERTIFICATE"} ${expirySeconds}\n`),
    );
    assert.match(metrics, /^postern_tls_reloads_total\{outcome="loaded"\} 4$/m);
    assert.doesNotMatch(metrics, /^postern_tls_reloads_total\{outcome="refused"\}/m);
  });

  /** Whether the gRPC listener hears a peer with this certificate. */
  async function isLetIn({ cert, key }: Certified): Promise<boolean> {
    const { grpcPort: port } = stack.postern;
    const ca = oldCa.cert + newCa.cert;
    const socket = connect({ port, host: '127.0.0.1', ca, cert, key, ALPNProtocols: ['h2'] });
    socket.on('error', () => undefined); // shows as the close
    socket.write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'));
    const isHeard = await new Promise<boolean>((resolve) => {
      socket.once('data', () => {
        resolve(true);
      });
      socket.once('close', () => {
        resolve(false);
      });
    });
    socket.destroy();
    return isHeard;
  }
});
