import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { backendRoute, type JsonObject, readEnvoyConfig, routes } from '../../support/envoy/envoy-config.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { endpointsYaml, runCli } from './run-cli.ts';

/** Files that run as they are, where each warning is one that their pages explain. */
const SHIPPED = ['envoy.yaml', 'deploy/compose/envoy.yaml', 'deploy/overlays/plain-envoy/envoy.yaml'];

describe('postern doctor --envoy-file', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function write(name: string, text: string): Promise<string> {
    const path = join(folder.path, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  for (const file of SHIPPED) {
    it(`finds no fault in ${file}, without any setting`, async () => {
      const { code, out, err } = await runCli(['doctor', '--envoy-file', file]);
      assert.equal(code, 0, out);
      assert.equal(err, '');
      assert.doesNotMatch(out, /settings|store/);
    });
  }

  it('finds the fault of a file among several', async () => {
    const config = readEnvoyConfig();
    backendRoute(config)['request_headers_to_remove'] = ['x-consumer-id'];
    const wrong = await write('wrong.yaml', stringify(config));
    const { code, out } = await runCli(['doctor', '-o', 'json', '--envoy-file', 'envoy.yaml', wrong]);
    assert.equal(code, 1);
    const findings = JSON.parse(out) as readonly JsonObject[];
    assert.deepEqual(
      findings.map(({ level }) => level),
      ['ok', 'fault'],
    );
  });

  it('compares a file with a store that is named, beside all else', async () => {
    const config = readEnvoyConfig();
    routes(config).unshift({
      match: { prefix: '/invoices' },
      route: { cluster: 'backend' },
      metadata: { filter_metadata: { 'postern.doctor': { deliberate: true } } },
      typed_per_filter_config: {
        'envoy.filters.http.buffer': { disabled: true },
        'envoy.filters.http.ext_authz': { check_settings: { disable_request_body_buffering: true } },
      },
    });
    const file = await write('streaming.yaml', stringify(config));
    const alone = await runCli(['doctor', '--envoy-file', file]);
    assert.equal(alone.code, 0);
    const store = `file:${await write('postern.yaml', endpointsYaml)}`;
    const { code, out } = await runCli(['doctor', '--envoy-file', file, '--store', store]);
    assert.equal(code, 1);
    assert.match(out, /^✓ settings: are all known and right$/m);
    assert.match(out, /^✗ listener partners: route apis: prefix \/invoices: endpoint invoices verifies bodies/m);
  });

  it('reports a file that cannot be read', async () => {
    const missing = join(folder.path, 'missing.yaml');
    const { code, out } = await runCli(['doctor', '--envoy-file', missing]);
    assert.equal(code, 1);
    assert.match(out, /^✗ Envoy file \S+missing\.yaml: it cannot be read \(ENOENT\)$/m);
    const bytes = await write('latin1.yaml', '');
    await writeFile(bytes, Buffer.from([0xe9]));
    assert.match((await runCli(['doctor', '--envoy-file', bytes])).out, /it cannot be read \(it is not UTF-8 text\)/);
  });

  it('looks at the default store for what is about one', async () => {
    for (const option of ['--deep', '--fix']) {
      const { code, out } = await runCli(['doctor', option, '--envoy-file', 'envoy.yaml']);
      assert.equal(code, 1);
      assert.match(out, /^✗ store file:postern\.yaml: the file cannot be read/m);
    }
  });

  it('reads standard input only once', async () => {
    const { code, err } = await runCli(['doctor', '--envoy-file', '-', '-']);
    assert.equal(code, 2);
    assert.match(err, /--envoy-file: standard input can be read only once/);
  });
});
