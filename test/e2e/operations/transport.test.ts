import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chosenAttachment } from '../../support/attachments/chosen.ts';
import { startEnvoy } from '../../support/envoy/envoy.ts';
import { cluster, filterSettings, type JsonObject, listAt, objectAt } from '../../support/envoy/envoy-config.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { protocols, send } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { poll } from '../../support/time/poll.ts';
import { type PosternProcess, type PosternSettings, startPostern } from '../../support/stack/postern-process.ts';
import { startBackend } from '../../support/stack/recording-backend.ts';
import { assertRefused, type RefusedCode } from '../../support/http/assert-refused.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const document = `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: key
    trafficControl: { limits: [{ requests: 1000, unit: day, per: consumer }] }
  - { id: granted, scenario: partner-openapi, match: { paths: [{ prefix: /granted }] }, authentication: key, accessCondition: authenticated-and-authorized }
consumers:
  - { id: acme, name: Acme Ltd, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

/** One way to connect Envoy with Postern. */
interface Connection {
  readonly settings: PosternSettings;
  readonly edit?: (config: JsonObject) => void;
  /** The cluster that Envoy asks. */
  readonly cluster?: string;
  /** The stat of Envoy that tells what is wrong. */
  readonly told?: string;
}

interface TlsFiles {
  readonly ca: string;
  readonly otherCa: string;
  readonly certificate: string;
  readonly key: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly strangerCertificate: string;
  readonly strangerKey: string;
}

async function writeTlsFiles(directory: string): Promise<TlsFiles> {
  const ca = makeCertificate('authority');
  const otherCa = makeCertificate('another authority');
  const server = makeCertificate('postern', ca);
  const client = makeCertificate('envoy', ca);
  const stranger = makeCertificate('stranger', otherCa);
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(directory, name), text);
    return join(directory, name);
  };
  return {
    ca: await write('ca.pem', ca.cert),
    otherCa: await write('other-ca.pem', otherCa.cert),
    certificate: await write('server.pem', server.cert),
    key: await write('server.key', server.key),
    clientCertificate: await write('client.pem', client.cert),
    clientKey: await write('client.key', client.key),
    strangerCertificate: await write('stranger.pem', stranger.cert),
    strangerKey: await write('stranger.key', stranger.key),
  };
}

/** TLS from Envoy to Postern, with a client certificate or without. */
function useTls(
  config: JsonObject,
  ca: string,
  client: { readonly certificate: string; readonly key: string } | null,
  name = 'localhost',
): void {
  cluster(config, 'postern')['transport_socket'] = {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      sni: name,
      common_tls_context: {
        alpn_protocols: ['h2'],
        validation_context: {
          trusted_ca: { filename: ca },
          match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: name } }],
        },
        ...(client === null
          ? {}
          : {
              tls_certificates: [
                { certificate_chain: { filename: client.certificate }, private_key: { filename: client.key } },
              ],
            }),
      },
    },
  };
}

const unixCluster = 'postern-unix';

/** A cluster like `postern`, over a Unix socket. */
function useUnixSocket(config: JsonObject, path: string): void {
  const copy = JSON.parse(JSON.stringify(cluster(config, 'postern'))) as JsonObject;
  copy['name'] = unixCluster;
  copy['type'] = 'STATIC';
  copy['load_assignment'] = {
    cluster_name: unixCluster,
    endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path } } } }] }],
  };
  listAt(config, 'static_resources', 'clusters').push(copy);
  objectAt(filterSettings(config, 'envoy.filters.http.ext_authz'), 'grpc_service', 'envoy_grpc')['cluster_name'] =
    unixCluster;
}

/** What every transport must do alike. */
async function assertServes({ envoy, backend }: Stack, clusterName: string): Promise<void> {
  await poll('a healthy cluster', async () =>
    (await envoy.stat(`cluster.${clusterName}.membership_healthy`)) === 1 ? true : null,
  );
  const body = randomBytes(5 * 1024 * 1024);
  for (const protocol of protocols) {
    backend.reset();
    const target = '/orders?x=a%2Fb&&appKey=key-of-acme&y';
    const allowed = await send(protocol, envoy.port, { method: 'POST', target, body });
    assert.equal(allowed.status, 200, allowed.body.toString());
    assert.equal(fieldValue(allowed.headers, 'x-ratelimit-limit'), '1000');
    const [forwarded] = backend.requests;
    assert.equal(forwarded?.target, '/orders?x=a%2Fb&&y');
    assert.ok(forwarded.body.equals(body));
    assert.equal(fieldValue(forwarded.headers, 'x-consumer-username'), 'Acme Ltd');
    const refused: readonly (readonly [string, RefusedCode])[] = [
      ['/orders', 'CREDENTIALS_MISSING'],
      ['/orders?appKey=wrong', 'AUTHENTICATION_FAILED'],
      ['/granted?appKey=key-of-acme', 'NOT_AUTHORIZED'],
      ['/nothing', 'ENDPOINT_NOT_FOUND'],
      ['/orders/../x', 'PATH_NOT_NORMAL'],
    ];
    for (const [path, code] of refused) assertRefused(await send(protocol, envoy.port, { target: path }), code);
    const together = Array.from({ length: 30 }, () =>
      send(protocol, envoy.port, { target: '/orders?appKey=key-of-acme' }),
    );
    assert.deepEqual([...new Set((await Promise.all(together)).map((answer) => answer.status))], [200]);
    assert.equal(backend.requests.length, 31);
  }
}

describe('between Envoy and Postern', () => {
  let directory: TemporaryDirectory;
  let files: TlsFiles;
  before(async () => {
    directory = await temporaryDirectory();
    files = await writeTlsFiles(directory.path);
  });
  after(() => release(directory));

  const serverTls = (): PosternSettings => ({
    POSTERN_TLS_CERTIFICATE: files.certificate,
    POSTERN_TLS_KEY: files.key,
  });
  const mutualTls = (): PosternSettings => ({ ...serverTls(), POSTERN_TLS_CLIENT_CA: files.ca });
  const envoyIdentity = (): { certificate: string; key: string } => ({
    certificate: files.clientCertificate,
    key: files.clientKey,
  });

  const connections: Readonly<Record<string, (name: string) => Connection>> = {
    'a plain connection': () => ({ settings: {} }),
    TLS: () => ({
      settings: serverTls(),
      edit: (config) => {
        useTls(config, files.ca, null);
      },
    }),
    'mutual TLS': () => ({
      settings: mutualTls(),
      edit: (config) => {
        useTls(config, files.ca, envoyIdentity());
      },
    }),
    'a Unix socket': (name) => {
      const path = join(directory.path, `${name}.sock`);
      return {
        settings: { POSTERN_GRPC_ADDRESS: `unix:${path}` },
        edit: (config) => {
          useUnixSocket(config, path);
        },
        cluster: unixCluster,
      };
    },
  };

  for (const transport of ['native', 'grpc-js'] as const) {
    for (const [kind, connect] of Object.entries(connections)) {
      // Every other suite runs on this one.
      if (transport === 'native' && kind === 'a plain connection') continue;
      it(`${kind} serves, with POSTERN_GRPC_TRANSPORT=${transport}`, async () => {
        const { settings, edit = () => undefined, cluster: name = 'postern' } = connect(transport);
        await using stack = await startStack(document, {
          settings: { ...settings, POSTERN_GRPC_TRANSPORT: transport },
          edit,
        });
        await assertServes(stack, name);
        assert.deepEqual(await stack.postern.stop(), { code: 0, signal: null });
        assertRefused(await send('HTTP/1.1', stack.envoy.port, { target: '/orders' }), 'UNAVAILABLE');
      });
    }
  }

  /** The Posterns that distrust or are distrusted, by their settings; none of these tests changes one. */
  const posterns = new Map<string, PosternProcess>();
  after(() => release(...posterns.values()));
  async function posternWith(settings: PosternSettings): Promise<PosternProcess> {
    const key = JSON.stringify(settings);
    const postern = posterns.get(key) ?? (await startPostern(document, settings));
    posterns.set(key, postern);
    return postern;
  }

  const distrusted: Readonly<Record<string, () => Connection>> = {
    'an Envoy without a client certificate': () => ({
      settings: mutualTls(),
      edit: (config) => {
        useTls(config, files.ca, null);
      },
    }),
    'an Envoy with a certificate of another authority': () => ({
      settings: mutualTls(),
      edit: (config) => {
        useTls(config, files.ca, { certificate: files.strangerCertificate, key: files.strangerKey });
      },
    }),
    'an Envoy that trusts another authority': () => ({
      settings: serverTls(),
      edit: (config) => {
        useTls(config, files.otherCa, null);
      },
      told: 'cluster.postern.ssl.fail_verify_error',
    }),
    'an Envoy that expects another name': () => ({
      settings: serverTls(),
      edit: (config) => {
        useTls(config, files.ca, null, 'other.example.com');
      },
      told: 'cluster.postern.ssl.fail_verify_san',
    }),
    'an Envoy that speaks no TLS': () => ({ settings: serverTls() }),
  };

  for (const [kind, connect] of Object.entries(distrusted)) {
    it(`nothing is decided, and nothing forwarded, with ${kind}`, async () => {
      const { settings, edit = () => undefined, told } = connect();
      const postern = await posternWith(settings);
      await using backend = await startBackend();
      await using envoy = await startEnvoy({
        attachment: chosenAttachment(),
        ports: { postern: postern.grpcPort, posternHttp: postern.httpPort ?? 1, backend: backend.port },
        edit,
      });
      const answer = await send('HTTP/1.1', envoy.port, { target: '/orders?appKey=key-of-acme' });
      assertRefused(answer, 'UNAVAILABLE');
      assert.equal(backend.requests.length, 0);
      if (told !== undefined) assert.ok((await envoy.stat(told)) > 0, told);
      assert.doesNotMatch(await postern.metrics(), /^postern_checks_total\{.* [1-9]/m);
    });
  }
});
