import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { inspectEnvoyAt } from '../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../src/cli/doctor/own-limits.ts';
import { authorityOf } from '../../support/certificate/certificate-credential.ts';
import {
  type MutualTlsAnswer,
  type MutualTlsRequest,
  sendOverMutualTls,
} from '../../support/certificate/mutual-tls.ts';
import { listenerPorts } from '../../support/clients/tls-listener.ts';
import { type JsonObject } from '../../support/envoy/envoy-config.ts';
import { type Certified, makeCertificate } from '../../support/grpc/certificate.ts';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValues } from '../../support/http/http-message.ts';
import { renderComposition } from '../../support/kubernetes/compose-kustomization.ts';
import { localContainer } from '../../support/kubernetes/local-container.ts';
import { getManifest } from '../../support/kubernetes/manifest.ts';
import { plainEnvoy } from '../../support/kubernetes/plain-envoy.ts';
import { release } from '../../support/lifetime/release.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { partnerEndpoint } from '../../support/pipeline/resources.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const SPIFFE = 'spiffe://acme.example/batch';
const authority = makeCertificate('authority of partners');
const server = makeCertificate('api.example.com', authority);
const mine = makeCertificate('mine', authority, { names: [SPIFFE] });
const other = makeCertificate('other', authority, { names: ['spiffe://other.example/batch'] });
const untrusted = makeCertificate('untrusted', undefined, { names: [SPIFFE], isAuthority: false });

/** JSON is YAML. */
const document = JSON.stringify({
  version: 1,
  endpoints: [
    {
      id: 'batch',
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: '/batch' }] },
      authentication: 'certificate',
    },
  ],
  consumers: [
    {
      id: 'acme',
      credentials: [
        { id: 'acme-batch', method: 'certificate', certificate: { uri: SPIFFE, authority: { pem: authority.cert } } },
      ],
    },
  ],
});

/** What follows the argument `--config-yaml` of Envoy's container, and the folder that stands for its file system. */
async function mountFiles(root: string): Promise<{ readonly more: JsonObject; readonly home: string }> {
  const manifests = await renderComposition({
    resources: ['overlays/plain-envoy'],
    components: ['components/mutual-tls-envoy'],
  });
  const { command } = await localContainer({
    manifests,
    workload: getManifest(manifests, 'Deployment', 'envoy'),
    root,
    replace: {},
    secrets: {
      'partners-tls': { 'tls.crt': server.cert, 'tls.key': server.key },
      'partners-authorities': { 'ca.crt': authority.cert },
    },
  });
  const home = join(root, 'envoy');
  const folder = join(home, 'etc/envoy-mutual-tls');
  for (const name of ['listener.yaml', 'certificate.yaml', 'authorities.yaml']) {
    const path = join(folder, name);
    const text = (await readFile(path, 'utf8'))
      .replaceAll('/etc/envoy-', `${home}/etc/envoy-`)
      .replace('address: 0.0.0.0, port_value: 10443', 'address: 127.0.0.1, port_value: 0');
    await writeFile(path, text);
  }
  const text = command[command.indexOf('--config-yaml') + 1] ?? '';
  return { more: parse(text.replaceAll('/etc/envoy-', `${home}/etc/envoy-`)) as JsonObject, home };
}

describe('a listener with mutual TLS, by the component mutual-tls-envoy', () => {
  let directory: TemporaryDirectory;
  let stack: Stack;
  let port = 0;
  before(async () => {
    directory = await temporaryDirectory();
    const { more } = await mountFiles(directory.path);
    stack = await startStack(document, {
      attachment: plainEnvoy,
      edit: (config) => {
        Object.assign(config, more);
      },
    });
    port = (await listenerPorts(stack.envoy.adminPort)).get('partners-mutual-tls') ?? 0;
  });
  after(() => release(directory, stack));

  async function call(
    protocol: (typeof protocols)[number],
    client: Certified | null,
    headers: MutualTlsRequest['headers'] = {},
  ): Promise<MutualTlsAnswer> {
    return await sendOverMutualTls(protocol, { port, ca: authority.cert, client, path: '/batch/1', headers });
  }

  it('shows doctor what Envoy trusts, though the authorities come by SDS', async () => {
    const examine = async (naming: Certified): Promise<readonly string[]> => {
      const findings = await inspectEnvoyAt(new URL(`http://127.0.0.1:${String(stack.envoy.adminPort)}`), {
        own: unknownLimits,
        endpoints: [partnerEndpoint('certificate')],
        certificates: {
          credentials: [{ id: 'acme-batch', authorities: [authorityOf(naming)] }],
          nowSeconds: Date.UTC(2026, 10, 30) / 1000,
          readFile: (path) => readFileSync(path, 'utf8'),
        },
      });
      const found = findings.filter(({ subject }) => subject.endsWith('client certificates'));
      return found.map(({ level, message }) => `${level}: ${message}`).sort();
    };
    const optional = 'ok: are asked for, and not required: Postern refuses callers without one where it needs it';
    assert.deepEqual(await examine(authority), [optional]);
    assert.deepEqual(await examine(makeCertificate('another authority')), [
      'fault: the chain of no authority of credential acme-batch leads to trusted_ca: Envoy refuses these certificates',
      optional,
    ]);
  });

  for (const protocol of protocols) {
    it(`lets the partner in by its certificate, over ${protocol}, and no header of its own`, async () => {
      stack.backend.reset();
      const { status } = await call(protocol, mine, { 'x-forwarded-client-cert': 'Hash=00' });
      assert.equal(status, 200);
      const headers = stack.backend.requests[0]?.headers ?? [];
      assert.deepEqual(fieldValues(headers, 'x-consumer-id'), ['acme']);
      const [forwarded = '', ...more] = fieldValues(headers, 'x-forwarded-client-cert');
      assert.match(forwarded, /^Hash=[0-9a-f]{64}$/);
      assert.notEqual(forwarded, 'Hash=00');
      assert.deepEqual(more, []);
    });

    it(`refuses everybody else, over ${protocol}`, async () => {
      const forged = { 'x-forwarded-client-cert': `Cert="${encodeURIComponent(mine.cert)}"` };
      const codeOf = ({ status, body }: MutualTlsAnswer): string =>
        `${String(status)} ${(JSON.parse(body) as { code: string }).code}`;
      assert.equal(codeOf(await call(protocol, other, forged)), '401 AUTHENTICATION_FAILED');
      assert.equal(codeOf(await call(protocol, null, forged)), '401 CREDENTIALS_MISSING');
      await assert.rejects(call(protocol, untrusted), 'Envoy ends the handshake');
    });
  }
});
