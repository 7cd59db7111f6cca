import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { endpointsYaml, runCli } from './run-cli.ts';

describe('postern doctor', () => {
  let folder: TemporaryDirectory;
  let store = '';
  before(async () => {
    folder = await temporaryDirectory();
    const path = join(folder.path, 'postern.yaml');
    await writeFile(path, endpointsYaml);
    store = `file:${path}`;
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  it('finds nothing wrong with a good file', async () => {
    const { code, out, err } = await runCli(['doctor'], { POSTERN_STORE: store });
    assert.equal(code, 0);
    assert.equal(err, '');
    assert.match(
      out,
      /^✓ settings: are all known and right\n✓ OAuth2 listener 127\.0\.0\.1:9002: believes [^\n]*\n✓ store file:\S+: is valid: 7 endpoints, 0 consumers/,
    );
    assert.match(out, /\nno faults, no warnings\n$/);
  });

  it('warns of long limits without a rate limit service', async () => {
    const path = join(folder.path, 'limits.yaml');
    const limits = (unit: string): string =>
      `version: 1\nendpoints: [{ id: e, scenario: open, match: { paths: [{ prefix: / }] }, trafficControl: { limits: [{ requests: 5, unit: ${unit}, per: endpoint }] } }]\n`;
    await writeFile(path, limits('month'), { mode: 0o600 });
    const { code, out } = await runCli(['doctor', '--store', `file:${path}`]);
    assert.equal(code, 0);
    assert.match(
      out,
      /! limits: those of an hour or longer begin anew at each restart, [^\n]* \(endpoint e\)\n {2}→ start one with "deploy\/ratelimit\/start"/,
    );
    await writeFile(path, limits('minute'));
    assert.doesNotMatch((await runCli(['doctor', '--store', `file:${path}`])).out, /begin anew/);
  });

  it('counts what a file declares, one and many', async () => {
    const path = join(folder.path, 'one.yaml');
    await writeFile(path, 'version: 1\nconsumers: [{ id: acme }]\n', { mode: 0o600 });
    const { out } = await runCli(['doctor', '--store', `file:${path}`]);
    assert.match(out, /is valid: 0 endpoints, 1 consumer, 0 credentials, 0 grants\n/);
  });

  it('lists every problem of a file, and how to see it', async () => {
    const path = join(folder.path, 'bad.yaml');
    await writeFile(path, 'version: 1\nendpoints: [{ id: A }]\n');
    const { code, out } = await runCli(['doctor', '--store', `file:${path}`]);
    assert.equal(code, 1);
    assert.match(out, /✗ store file:\S+: \S+bad\.yaml:2:\d+: /);
    assert.match(out, /→ fix it; "postern validate -f /);
  });

  describe('files with secrets', () => {
    const consumers = (credential: string): string =>
      `${endpointsYaml}consumers: [{ id: acme, credentials: [{ id: a, appKey: k, ${credential} }] }]\n`;
    const secret = 'x'.repeat(32);

    async function warningsOf(text: string, mode: number): Promise<readonly string[]> {
      const path = join(folder.path, `${String(mode)}.yaml`);
      await writeFile(path, text);
      await chmod(path, mode);
      const { out } = await runCli(['doctor', '-o', 'json', '--store', `file:${path}`]);
      const findings = JSON.parse(out) as readonly { readonly level: string; readonly message: string }[];
      return findings.filter(({ level }) => level === 'warning').map(({ message }) => message);
    }

    for (const credential of ['method: key', `method: hmac, appSecret: ${secret}`]) {
      it(`are warned of when others can read them (${credential.slice(0, 12)})`, async () => {
        const told = ['others than its owner have access to it (mode 0640), and it holds secrets of partners'];
        assert.deepEqual(await warningsOf(consumers(credential), 0o640), told);
        assert.deepEqual(await warningsOf(consumers(credential), 0o600), []);
      });
    }

    it('are the files that appSecretFrom names, and not the document then', async () => {
      const file = join(folder.path, 'secret.txt');
      await writeFile(file, secret);
      await chmod(file, 0o604);
      const text = consumers(`method: hmac, appSecretFrom: { file: ${JSON.stringify(file)} }`);
      const told = ['others than its owner have access to it (mode 0604), and it holds an App Secret'];
      assert.deepEqual(await warningsOf(text, 0o644), told);
    });
  });

  it('lists wrong settings, and checks nothing else', async () => {
    const { code, out } = await runCli(['doctor', '-o', 'json'], { POSTERN_STORE: 'nowhere', POSTERN_ODD: '1' });
    assert.equal(code, 1);
    const findings = JSON.parse(out) as readonly { readonly level: string; readonly subject: string }[];
    assert.deepEqual(
      findings.map(({ level, subject }) => `${level} ${subject}`),
      ['fault settings', 'fault settings'],
    );
  });

  for (const url of ['127.0.0.1:9901', 'ftp://127.0.0.1', 'http://user:pw@127.0.0.1', 'http://127.0.0.1/?a']) {
    it(`does not take ${url} for an address of Envoy`, async () => {
      const { code, err } = await runCli(['doctor', '--envoy', url], { POSTERN_STORE: store });
      assert.equal(code, 2);
      assert.match(err, /^postern doctor: --envoy: must be like http:\/\/127\.0\.0\.1:9901/);
    });
  }

  it('reports an Envoy that is unreachable', async () => {
    const { code, out } = await runCli(['doctor', '--envoy', 'http://127.0.0.1:9'], { POSTERN_STORE: store });
    assert.equal(code, 1);
    assert.match(out, /✗ Envoy at http:\/\/127\.0\.0\.1:9: its admin address does not answer/);
  });

  for (const [what, status, body] of [
    ['an error', 404, 'no'],
    ['no JSON', 200, '<html>'],
    ['another JSON', 200, '[1]'],
  ] as const) {
    it(`reports that a server that answers with ${what} is not an Envoy`, async () => {
      const server = createServer((_, response) => response.writeHead(status).end(body));
      const port = await listen(server);
      const { code, out } = await runCli(['doctor', '--envoy', `http://127.0.0.1:${String(port)}`], {
        POSTERN_STORE: store,
      });
      server.close();
      assert.equal(code, 1);
      assert.match(out, /✗ Envoy/);
    });
  }
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
