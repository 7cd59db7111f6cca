import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { BSON, type Db } from 'mongodb';
import { type KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { documentArbitrary } from '../../support/declarative/document-arbitrary.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { keyRingAt, openedCredential } from './opened-credential.ts';

const program = new URL('../../../dist/main.js', import.meta.url).pathname;
const SECRET = 'a secret for tests, 32 characters';
const SECRET_KEY = 'acme-secret-app-key';

const document = `version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { hosts: ["*.example.com"], paths: [{ prefix: /orders }], methods: [GET] }
    authentication: hmac
    trafficControl: { limits: [{ requests: 5, unit: day, per: endpoint }] }
    options: { clockSkewSeconds: 60 }
  - { id: status, scenario: open, match: { paths: [{ exact: /status }] }, enabled: false }
consumers:
  - id: acme
    name: Acme & Söhne
    labels: { tier: gold }
    credentials:
      - id: acme-hmac
        method: hmac
        appKey: acme-app-key
        appSecret: "${SECRET}"
        retiringSecret: { appSecret: "former ${SECRET}", expiresAt: 2030-01-01T00:00:00Z }
      - { id: acme-key, method: key, appKey: ${SECRET_KEY}, state: revoked }
      - { id: acme-hash, method: key, appKeyHash: ${'0123456789abcdef'.repeat(4)}, notBefore: 2026-01-01T00:00:00Z }
      - { method: oauth2, appKey: acme-client, appSecret: "${SECRET}", state: retiring, expiresAt: 2031-01-01T00:00:00Z }
      - { id: generated, method: hmac }
grants:
  - { endpoint: orders, consumer: acme, limits: [], expiresAt: 2030-01-01T00:00:00Z }
`;

describe('apply, diff and export on MongoDB', () => {
  const database = useDatabase();
  const other = useDatabase();
  let folder: TemporaryDirectory;
  let ring: KeyRing;
  let environment: Record<string, string> = {};
  before(async () => {
    folder = await temporaryDirectory();
    const file = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', file])).code, 0);
    ring = await keyRingAt(file);
    const rateLimits = { POSTERN_RATE_LIMIT_SERVICE: '127.0.0.1:8081' };
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: file, POSTERN_ACTOR: 'ada', ...rateLimits };
  });
  beforeEach(async () => {
    await emptyCollections(database.db());
    await emptyCollections(other.db());
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  function write(name: string, text: string): string {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  }

  async function run(args: readonly string[], store = database.uri()): Promise<CommandResult> {
    return await runCli(args, { ...environment, POSTERN_STORE: store });
  }

  async function done(args: readonly string[], store = database.uri()): Promise<string> {
    const { code, out, err } = await run(args, store);
    // Documents at random are worth warnings.
    assert.ok(code === 0 && (err === '' || err.includes(': warning: ')), `${out}${err}`);
    return out;
  }

  /** Every resource of a database: without revisions and times, and with its secrets opened. */
  /** What the database holds, without when it came to be. */
  async function contentsOf(db: Db): Promise<unknown> {
    const times = ['revision', 'createdAt', 'updatedAt', 'labelsSince'];
    const contents: Record<string, unknown> = {};
    for (const name of ['endpoints', 'consumers', 'credentials', 'grants']) {
      const documents = await db.collection<{ _id: string }>(name).find().sort({ _id: 1 }).toArray();
      contents[name] = documents.map((each) => {
        const kept = Object.entries(each).filter(([field]) => !times.includes(field));
        return name === 'credentials' ? openedCredential(Object.fromEntries(kept), ring) : Object.fromEntries(kept);
      });
    }
    return contents;
  }

  it('makes the same state in an empty database from an export with secrets', async () => {
    const out = await done(['apply', '-f', write('document.yaml', document)]);
    for (const format of ['yaml', 'json']) {
      await emptyCollections(other.db());
      const exported = join(folder.path, `exported.${format}`);
      await done(['export', '--with-secrets', '--to', exported, '-o', format]);
      await done(['apply', '-f', exported], other.uri());
      assert.deepEqual(await contentsOf(other.db()), await contentsOf(database.db()));
      assert.match(await done(['diff', '-f', exported, '--prune']), /^No differences/);
    }
    const generated = /App Secret {2}(\S+)/.exec(out)?.[1] ?? '';
    assert.match(generated, /^[\w-]{43}$/);
    assert.ok(readFileSync(join(folder.path, 'exported.yaml'), 'utf8').includes(generated));
  });

  it('takes its own export without secrets again, and changes nothing', async () => {
    const file = write('document.yaml', document);
    await done(['apply', '-f', file]);
    const exported = write('exported.yaml', await done(['export']));
    assert.match(await done(['apply', '-f', exported, '--prune', '--yes']), /^Nothing to change/);
    assert.match(await done(['apply', '-f', file, '--prune', '--yes']), /^Nothing to change/);
    assert.equal(await database.db().collection('audit').countDocuments(), 9);
  });

  it('puts no secret into its output, the audit trail or the database', async () => {
    const printed: string[] = [];
    const file = write('document.yaml', document);
    for (const args of [
      ['diff', '-f', file],
      ['apply', '-f', file, '--dry-run', '-o', 'json'],
      ['apply', '-f', file],
      [
        'diff',
        '-f',
        write('other.yaml', document.replaceAll(SECRET, `other ${SECRET}`).replace(SECRET_KEY, `other-${SECRET_KEY}`)),
      ],
      ['apply', '-f', join(folder.path, 'other.yaml'), '-o', 'yaml'],
      ['export'],
      ['audit', 'list', '-o', 'json'],
      ['apply', '-f', write('empty.yaml', 'version: 1\n'), '--prune', '--yes'],
    ]) {
      const { out, err } = await run(args);
      printed.push(out, err);
    }
    const collections = await database.db().collections();
    for (const collection of collections) printed.push(BSON.EJSON.stringify(await collection.find().toArray()));
    const all = printed.join('\n');
    assert.ok(all.includes('acme-app-key') && all.includes('appSecret: (changed)'));
    for (const secret of [SECRET, SECRET_KEY]) assert.ok(!all.includes(secret), secret);
  });

  it('leaves stopped what commands stopped, and revives it only with --revive', async () => {
    const file = write('document.yaml', document);
    await done(['apply', '-f', file]);
    await done(['endpoint', 'disable', 'orders']);
    await done(['consumer', 'disable', 'acme']);
    await done(['credential', 'revoke', 'acme-hmac', '--yes']);
    const stopped = await contentsOf(database.db());
    const former = /, *retiringSecret|^ *retiringSecret:.*\n/gm;
    const silent = write('silent.yaml', document.replace(former, ''));
    for (const each of [silent, file]) {
      assert.match(await done(['diff', '-f', each]), /^No differences/);
      assert.match(await done(['apply', '-f', each, '--yes']), /^Nothing to change/);
    }
    const explicit = document.replace('method: hmac\n', 'method: hmac\n        state: active\n');
    const { code, err } = await run(['apply', '-f', write('explicit.yaml', explicit), '--yes']);
    assert.equal(code, 4);
    assert.match(err, /this would bring back what was stopped: credential "acme-hmac" \(revoked\)\. Nothing was/);
    assert.deepEqual(await contentsOf(database.db()), stopped);
    assert.match(await done(['apply', '-f', write('explicit.yaml', explicit), '--revive']), /revoked → active/);
  });

  it('changes all or nothing', async () => {
    await done(['apply', '-f', write('document.yaml', document)]);
    await done(['apply', '-f', write('empty.yaml', 'version: 1\n'), '--prune', '--yes']);
    const before = await database.db().collection('audit').countDocuments();
    const { code, err } = await run(['apply', '-f', join(folder.path, 'document.yaml')]);
    assert.equal(code, 4);
    assert.match(err, /App Key.*\n.*run the same command again/);
    assert.equal(await database.db().collection('consumers').countDocuments(), 0);
    assert.equal(await database.db().collection('audit').countDocuments(), before);
  });

  it('leads to the same state from wherever it begins, when it prunes', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(documentArbitrary, documentArbitrary, async (former, wanted) => {
        await emptyCollections(database.db());
        await emptyCollections(other.db());
        await done(['apply', '-f', write('former.json', JSON.stringify(former))]);
        const file = write('wanted.json', JSON.stringify(wanted));
        await done(['apply', '-f', file, '--prune', '--yes', '--revive']);
        await done(['apply', '-f', file], other.uri());
        assert.deepEqual(await contentsOf(database.db()), await contentsOf(other.db()));
        assert.match(await done(['apply', '-f', file, '--prune', '--yes']), /^Nothing to change/);
      }),
      { numRuns: 15 },
    );
  });

  it('stops between steps on Ctrl-C, and the same command does what is left', async function () {
    this.timeout(120_000);
    const consumers = Array.from({ length: 10_001 }, (_, index) => `  - id: c${String(index)}\n`);
    const file = write('many.yaml', `version: 1\nconsumers:\n${consumers.join('')}`);
    const child = spawn(process.execPath, [program, 'apply', '-f', file], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const isFirst = !err.includes('steps');
      err += text;
      if (isFirst && err.includes('steps')) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 1, err);
    const made = Number((/Stopped\. ([\d ]+) of 10 001 changes are made/.exec(err)?.[1] ?? '').replaceAll(' ', ''));
    assert.ok(made > 0 && made < 10_001, err);
    assert.equal(await database.db().collection('consumers').countDocuments(), made);
    const rest = await run(['apply', '-f', file]);
    assert.equal(rest.code, 0, rest.err);
    assert.match(rest.out, new RegExp(`${String(10_001 - made).replaceAll(/\B(?=(\d{3})+$)/g, ' ')} created`));
    assert.equal(await database.db().collection('consumers').countDocuments(), 10_001);
  });
});
