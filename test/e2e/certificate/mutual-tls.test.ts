import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inspectEnvoyAt } from '../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../src/cli/doctor/own-limits.ts';
import { read } from '../../support/certificate/certificate-credential.ts';
import {
  addMutualTlsListener,
  type MutualTlsAnswer,
  type MutualTlsRequest,
  sendOverMutualTls,
} from '../../support/certificate/mutual-tls.ts';
import { listenerPorts, TLS_LISTENER } from '../../support/clients/tls-listener.ts';
import { type Certified, makeCertificate } from '../../support/grpc/certificate.ts';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValues } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { partnerEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const run = promisify(execFile);
const SPIFFE = 'spiffe://partner.example/batch';

const authority = makeCertificate('authority of partners');
const pinned = makeCertificate('pinned', authority, { names: ['pinned.partner.example'] });
const renewed = makeCertificate('renewed', authority, { names: ['renewed.partner.example'] });
const revoked = makeCertificate('revoked', authority, { names: [SPIFFE] });
const unknown = makeCertificate('unknown', authority, { names: ['spiffe://partner.example/other'] });
const untrusted = makeCertificate('untrusted', undefined, { names: [SPIFFE], isAuthority: false });

/** JSON is YAML. */
function documentWith(credentials: readonly object[]): string {
  return JSON.stringify({
    version: 1,
    endpoints: [
      {
        id: 'batch',
        scenario: 'partner-openapi',
        match: { paths: [{ prefix: '/batch' }] },
        authentication: 'certificate',
      },
      { id: 'keyed', scenario: 'partner-openapi', match: { paths: [{ prefix: '/keyed' }] }, authentication: 'key' },
    ],
    consumers: [{ id: 'acme', credentials }],
  });
}

const credential = (id: string, certificate: object, more: object = {}): object => ({
  id,
  method: 'certificate',
  certificate,
  ...more,
});
describe('client certificates through Envoy', () => {
  let stack: Stack | undefined;
  let port = 0;
  let spiffe: Pick<Certified, 'cert' | 'key'>;

  before(async () => {
    await using directory = await temporaryDirectory();
    const { authority: spiffeAuthority, svid } = await spiffeCertificates(directory.path);
    spiffe = svid;
    const credentials = [
      credential('by-certificate', { pem: pinned.cert }),
      credential('by-key', { publicKeySha256: read(renewed).publicKeySha256 }),
      credential('by-uri', { uri: SPIFFE, authority: { pem: spiffeAuthority.cert } }),
      credential('gone', { pem: revoked.cert }, { state: 'revoked' }),
    ];
    const trusted = { cert: authority.cert + spiffeAuthority.cert };
    stack = await startStack(documentWith(credentials), {
      edit: (config) => {
        addMutualTlsListener(config, makeCertificate('localhost', authority), trusted);
      },
    });
    port = (await listenerPorts(stack.envoy.adminPort)).get(TLS_LISTENER) ?? 0;
  });
  after(async () => {
    await release(stack);
  });

  async function call(
    protocol: (typeof protocols)[number],
    client: MutualTlsRequest['client'],
    parts: Partial<MutualTlsRequest> = {},
  ): Promise<MutualTlsAnswer> {
    return await sendOverMutualTls(protocol, { port, ca: authority.cert, client, path: '/batch/1', ...parts });
  }

  const codeOf = ({ status, body }: MutualTlsAnswer): string =>
    status === 200 ? 'ALLOWED' : `${String(status)} ${(JSON.parse(body) as { code: string }).code}`;

  for (const protocol of protocols) {
    it(`lets partners in over ${protocol}: by certificate, key, and SPIFFE id of an openssl certificate`, async () => {
      for (const client of [pinned, renewed, spiffe]) {
        stack?.backend.reset();
        assert.equal(codeOf(await call(protocol, client)), 'ALLOWED');
        const [received] = stack?.backend.requests ?? [];
        assert.deepEqual(fieldValues(received?.headers ?? [], 'x-consumer-id'), ['acme']);
        assert.deepEqual(fieldValues(received?.headers ?? [], 'x-forwarded-client-cert'), []);
      }
    });

    it(`refuses others over ${protocol}, whatever headers they send`, async () => {
      const headers = { 'x-forwarded-client-cert': `Cert="${encodeURIComponent(pinned.cert)}"` };
      for (const client of [unknown, revoked]) {
        const answer = await call(protocol, client, { headers });
        assert.equal(codeOf(answer), '401 AUTHENTICATION_FAILED');
        assert.equal(answer.headers['www-authenticate'], 'ClientCertificate realm="postern"');
      }
      assert.equal(codeOf(await call(protocol, null, { headers })), '401 CREDENTIALS_MISSING');
      await assert.rejects(call(protocol, untrusted), 'Envoy ends the handshake');
    });

    it(`leaves bodies and other methods alone over ${protocol}`, async () => {
      const body = 'x'.repeat(100_000);
      stack?.backend.reset();
      assert.equal(codeOf(await call(protocol, pinned, { method: 'POST', body })), 'ALLOWED');
      assert.equal(stack?.backend.requests[0]?.body.toString(), body);
      assert.equal(codeOf(await call(protocol, pinned, { path: '/keyed' })), '401 CREDENTIALS_MISSING');
    });
  }

  it('ends with the credential, however long the certificate is valid', async () => {
    assert.equal(codeOf(await call('HTTP/2', renewed)), 'ALLOWED');
    await stack?.postern.replaceDocument(
      documentWith([credential('by-key', { publicKeySha256: read(renewed).publicKeySha256 }, { state: 'revoked' })]),
    );
    await poll('the end of the credential', async () =>
      codeOf(await call('HTTP/2', renewed)) === '401 AUTHENTICATION_FAILED' ? true : null,
    );
    assert.equal(codeOf(await call('HTTP/2', pinned)), '401 AUTHENTICATION_FAILED');
  });

  it('is what doctor finds in order', async () => {
    const endpoints = [partnerEndpoint('certificate')];
    const admin = new URL(`http://127.0.0.1:${String(stack?.envoy.adminPort)}`);
    const findings = await inspectEnvoyAt(admin, { own: unknownLimits, endpoints });
    const levels = findings.filter(({ subject }) => subject.includes('client certificates')).map(({ level }) => level);
    assert.deepEqual(levels, ['ok']);
  });
});

/** An authority, and a certificate as SPIFFE has it (X.509-SVID §4): one URI, no subject, for clients and servers. */
async function spiffeCertificates(
  folder: string,
): Promise<Record<'authority' | 'svid', Pick<Certified, 'cert' | 'key'>>> {
  const path = (name: string): string => join(folder, name);
  const made = async (
    name: string,
    days: string,
    ...more: readonly string[]
  ): Promise<Pick<Certified, 'cert' | 'key'>> => {
    const [cert, key] = [path(`${name}.crt`), path(`${name}.key`)];
    const args = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', days];
    await run('openssl', ['req', '-x509', ...args, '-keyout', key, '-out', cert, ...more]);
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  };
  const authority = await made('ca', '2', '-subj', '/CN=partner.example');
  const extensions = [
    `subjectAltName=critical,URI:${SPIFFE}`,
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=clientAuth,serverAuth',
  ].flatMap((extension) => ['-addext', extension]);
  const issuer = ['-CA', path('ca.crt'), '-CAkey', path('ca.key')];
  return { authority, svid: await made('svid', '1', '-subj', '/', ...issuer, ...extensions) };
}
