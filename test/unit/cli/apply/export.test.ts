import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import fc from 'fast-check';
import { documentArbitrary } from '../../../support/declarative/document-arbitrary.ts';
import { contentsOf } from '../../../support/manage/memory-resource-store.ts';
import { memoryCli, type MemoryCli } from '../nouns/memory-cli.ts';
import { runCli } from '../run-cli.ts';
import { useFiles } from './files.ts';

const SECRET = 'a secret for tests, 32 characters';

const document = `version: 1
endpoints:
  - id: invoices
    scenario: open
    match:
      paths: [{ prefix: /invoices }]
    enabled: true
  - id: orders
    scenario: partner-openapi
    match:
      paths: [{ prefix: /orders }]
    authentication: hmac
    accessCondition: authenticated-and-authorized
    enabled: true
consumers:
  - id: acme
    name: Acme Ltd
    enabled: true
    credentials:
      - id: acme-hmac
        method: hmac
        appKey: acme-app-key
        appSecret: "${SECRET}"
        retiringSecret:
          appSecret: "former ${SECRET}"
          expiresAt: 2030-01-01T00:00:00Z
        state: active
      - id: acme-key
        method: key
        appKey: acme-secret-key
        state: active
  - id: globex
    enabled: true
grants:
  - { endpoint: orders, consumer: acme, expiresAt: 2031-01-01T00:00:00Z }
  - { endpoint: orders, consumer: globex }
`;

describe('postern export', () => {
  const files = useFiles();

  /** A store with the document above. */
  async function filled(): ReturnType<typeof memoryCli> {
    const cli = await memoryCli();
    await cli.done('apply', '-f', files.write('document.yaml', document));
    return cli;
  }

  it('writes the store as a document that validates and can be applied again', async () => {
    const cli = await filled();
    const out = await cli.done('export', '--with-secrets');
    assert.equal(out.replaceAll(/^#.*\n/gm, ''), document);
    const file = files.write('exported.yaml', out);
    assert.equal((await runCli(['validate', '-f', file])).code, 0);
    assert.equal((await cli.run(['diff', '-f', file, '--prune'])).code, 0);
  });

  it('leaves secrets out, and says how it can be applied again', async () => {
    const cli = await filled();
    const out = await cli.done('export');
    assert.doesNotMatch(out, /a secret for tests|acme-secret-key/);
    assert.match(out, /^# Written by "postern export"\.\n# Secrets are left out\./);
    assert.match(out, /retiringSecret:\n {10}expiresAt/);
    assert.deepEqual(
      cli.wishes.map(({ needsSecrets }) => needsSecrets),
      ['new', false],
    );
    assert.equal((await cli.run(['diff', '-f', files.write('exported.yaml', out), '--prune'])).code, 0);
    const json = await cli.done('export', '-o', 'json');
    assert.equal((await cli.run(['diff', '-f', files.write('exported.json', json), '--prune'])).code, 0);
  });

  it('writes parts of a store', async () => {
    const cli = await filled();
    const acme = await cli.done('export', '--consumer', 'globex');
    assert.match(acme, /It is a part of a store/);
    assert.equal(
      acme.replaceAll(/^#.*\n/gm, ''),
      'version: 1\nconsumers:\n  - id: globex\n    enabled: true\ngrants:\n  - { endpoint: orders, consumer: globex }\n',
    );
    const orders = (await cli.done('export', '--endpoint', 'orders')).replaceAll(/^#.*\n/gm, '');
    assert.match(orders, /^version: 1\nendpoints:\n {2}- id: orders\n[^]*consumer: acme[^]*consumer: globex \}\n$/);
    const both = await cli.done('export', '--endpoint', 'orders', '--consumer', 'globex');
    assert.doesNotMatch(both, /consumer: acme/);
    const wrong = await cli.run(['export', '--consumer', 'globx']);
    assert.deepEqual([wrong.code, wrong.out], [3, '']);
    assert.match(wrong.err, /globex/);
  });

  it('writes a file that only its owner reads when it holds secrets', async () => {
    const cli = await filled();
    const path = files.path('backup.yaml');
    for (const [flags, mode] of [
      [['--with-secrets'], 0o600],
      [[], 0o644],
    ] as const) {
      assert.equal(await cli.done('export', '--to', path, ...flags), '');
      // The rest is for the umask of the process.
      assert.equal(statSync(path).mode & 0o777 & ~mode, 0);
      assert.match(files.read(path), /^# Written by/);
    }
    assert.deepEqual(
      readdirSync(dirname(path)).filter((name) => name.endsWith('.tmp')),
      [],
    );
    const nowhere = await cli.run(['export', '--to', files.path('no/folder.yaml')]);
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.err, /ENOENT/);
  });

  it('writes to a pipe, and to where a symlink leads, without replacing them', async () => {
    const cli = await filled();
    const printed = await cli.done('export', '--with-secrets');
    const [pipe, link, target] = [files.path('pipe'), files.path('link'), files.path('target.yaml')];
    execFileSync('mkfifo', [pipe]);
    symlinkSync(target, link);
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const received = textOf(reader.stdout);
    await cli.done('export', '--with-secrets', '--to', pipe);
    assert.ok(lstatSync(pipe).isFIFO());
    assert.equal(await received, printed);
    await cli.done('export', '--with-secrets', '--to', link);
    assert.equal(readlinkSync(link), target);
    assert.deepEqual([files.read(target), statSync(target).mode & 0o777], [printed, 0o600]);
  });

  it('refuses what it cannot write before it opens the store', async () => {
    const cli = await filled();
    const opened = cli.wishes.length;
    mkdirSync(files.path('folder'));
    const { code, out, err } = await cli.run(['export', '--to', files.path('folder')]);
    assert.deepEqual([code, out, cli.wishes.length], [1, '', opened]);
    assert.match(err, /^postern export: .*folder cannot be written \(EISDIR\): it is a folder: name a file in it\n$/);
  });

  it('writes a file store in its normal form', async () => {
    const store = files.write(
      'store.yaml',
      `# mine\n${document.replace('        appKey: acme-app-key\n', '        appKey: "acme-app-key"\n')}`,
    );
    const { code, out } = await runCli(['export', '--with-secrets', '--store', `file:${store}`]);
    assert.deepEqual([code, out.replaceAll(/^#.*\n/gm, '')], [0, document]);
  });

  it('makes the same state in an empty store, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(documentArbitrary, fc.constantFrom('yaml', 'json'), async (given, format) => {
        const [cli, other] = [await memoryCli(), await memoryCli()];
        // What is given may be worth a warning.
        const apply = async (to: MemoryCli, ...args: readonly string[]): Promise<string> => {
          const { code, out, err } = await to.run(['apply', '-f', ...args]);
          assert.equal(code, 0, err);
          return out;
        };
        await apply(cli, files.write('given.json', JSON.stringify(given)));
        const out = await cli.done('export', '--with-secrets', '-o', format);
        const file = files.write('exported.yaml', out);
        await apply(other, file);
        assert.deepEqual(await contentsOf(other.store), await contentsOf(cli.store));
        assert.equal(await other.done('export', '--with-secrets', '-o', format), out);
        const without = files.write('without.yaml', await cli.done('export'));
        assert.match(await apply(cli, without, '--prune', '--yes'), /^Nothing to change/);
      }),
      { numRuns: 30 },
    );
  });
});
