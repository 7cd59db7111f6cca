import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyCollections } from '../../../src/stores/mongodb/schema/differences.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { empty } from './support.ts';

type Finding = Readonly<Record<'level' | 'subject' | 'message', string>> & { readonly advice: string | null };

describe('postern doctor on MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  before(async () => {
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    await writeFile(ring, ringText(1), { mode: 0o600 });
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
  });
  beforeEach(async () => {
    await empty(database.db());
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(...args: readonly string[]): Promise<CommandResult> {
    return await runCli(args, environment);
  }

  async function examine(...flags: readonly string[]): Promise<readonly Finding[]> {
    const { out, err } = await run('doctor', '-o', 'json', ...flags);
    assert.equal(err, '');
    return JSON.parse(out) as readonly Finding[];
  }

  async function faults(...flags: readonly string[]): Promise<readonly string[]> {
    const findings = await examine(...flags);
    return findings.flatMap(({ level, subject, message }) => (level === 'fault' ? [`${subject}: ${message}`] : []));
  }

  async function fill(): Promise<void> {
    for (const command of [
      'endpoint create orders --path /orders --authentication hmac',
      'consumer create acme',
      'grant add --endpoint orders --consumer acme',
      'credential issue --consumer acme --method hmac --id acme-hmac',
      'credential issue --consumer acme --method key --id acme-key',
    ]) {
      const { code, err } = await run(...command.split(' '));
      assert.equal(code, 0, err);
    }
  }

  it('finds an empty database, and makes its collections when asked to', async () => {
    await database.db().dropDatabase();
    const [first] = await faults();
    assert.match(String(first), /^collections: the database ".*" is empty/);
    const praise = (await examine('--deep')).filter(
      ({ level, message }) => level === 'ok' && /read, all are right|sealed/.test(message),
    );
    assert.deepEqual(praise, []);
    assert.deepEqual(await faults('--fix'), []);
    assert.deepEqual(await faults('--deep'), []);
  });

  it('names grants for groups that operators of other teams can satisfy', async () => {
    for (const command of [
      'endpoint create salaries --path /salaries --authentication key --label team=people',
      'grant add --endpoint salaries --label tier=gold',
      'grant add --endpoint salaries --label team=people --priority 20',
      'operator add paula --role operator --label team=payments --no-token',
    ]) {
      const { code, err } = await run(...command.split(' '));
      assert.equal(code, 0, err);
    }
    const open = async (): Promise<unknown> =>
      (await examine()).flatMap(({ level, message }) =>
        /anybody can satisfy/.test(message) ? [[level, message]] : [],
      );
    assert.deepEqual(await open(), [
      [
        'warning',
        'anybody can satisfy the grant for tier=gold on salaries: the operator paula, who does not reach that endpoint, can give consumers these labels',
      ],
    ]);
    environment['POSTERN_MANAGE_LABEL_OWNERS'] = 'tier:admins';
    assert.deepEqual(await open(), []);
    delete environment['POSTERN_MANAGE_LABEL_OWNERS'];
  });

  it('finds nothing wrong with what commands made, down to every record', async () => {
    await fill();
    const { code, out } = await run('doctor', '--deep');
    assert.equal(code, 0, out);
    for (const kind of ['endpoints: 1', 'consumers: 1', 'credentials: 2', 'grants: 1']) {
      assert.ok(out.includes(`✓ ${kind} read, all are right`), out);
    }
  });

  it('finds indexes and validators that a hand removed, and mends them', async () => {
    await fill();
    await database.db().collection('credentials').dropIndexes();
    await database.db().command({ collMod: 'grants', validator: {} });
    const found = await faults();
    assert.ok(
      found.some((text) => /^collections: credentials lacks the index .*App Keys or priorities not unique$/.test(text)),
    );
    assert.ok(found.includes('collections: grants has another validator: nonsense can be stored'), found.join('\n'));
    assert.deepEqual(await faults('--fix'), []);
  });

  it('finds records that a hand made nonsense, without their secrets', async () => {
    await fill();
    const db = database.db();
    const anyhow = { bypassDocumentValidation: true };
    await db.collection('endpoints').updateOne({}, { $set: { authentication: 'magic' } }, anyhow);
    await db.collection('consumers').updateOne({}, { $set: { enabled: 'yes' } }, anyhow);
    await db.collection('credentials').updateOne({ _id: 'acme-hmac' as never }, { $set: { state: 'odd' } }, anyhow);
    const found = await faults('--deep');
    for (const pattern of [
      /^endpoints: endpoints "orders", authentication: /,
      /^consumers: consumers "acme", enabled: /,
      /^credentials: credentials "acme-hmac", state: /,
    ]) {
      assert.ok(
        found.some((text) => pattern.test(text)),
        found.join('\n'),
      );
    }
    const { code } = await run('doctor', '--deep');
    assert.equal(code, 1);
  });

  it('finds grants for groups that a hand made nonsense, or gave the same priority', async () => {
    await fill();
    for (const label of ['tier=gold', 'tier=silver --priority 1', 'tier=bronze --priority 2']) {
      assert.equal((await run(...`grant add --endpoint orders --label ${label}`.split(' '))).code, 0);
    }
    const deep = await run('doctor', '--deep');
    assert.ok(deep.out.includes('✓ grants for groups: 3 read, all are right'), deep.out);
    assert.ok(deep.out.includes('✓ grants: 1 read, all are right'), deep.out);
    assert.ok(!deep.out.includes('does not exist: it has no effect'), deep.out);
    const grants = database.db().collection<{ _id: string }>('grants');
    await grants.dropIndex('endpointId_1_priority_1');
    await grants.updateOne({ _id: 'orders/tier=silver' }, { $set: { priority: 0 } });
    const anyhow = { bypassDocumentValidation: true };
    await grants.updateOne({ _id: 'orders/tier=bronze' }, { $set: { priority: 'low' } }, anyhow);
    const found = (await faults()).filter((text) => text.startsWith('grants for groups')).sort();
    assert.match(found[0] ?? '', /^grants for groups: grants "orders\/tier=bronze", priority: /);
    assert.match(found[1] ?? '', /^grants for groups: grants "orders\/tier=\w+", priority: is that of the grant /);
    assert.equal(found.length, 2);
    await empty(database.db());
    await applyCollections(database.db());
  });

  it('finds a ciphertext that was moved to another credential', async () => {
    await fill();
    await run('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'acme-other');
    const credentials = database.db().collection('credentials');
    const other = await credentials.findOne({ _id: 'acme-other' as never });
    await credentials.updateOne({ _id: 'acme-hmac' as never }, { $set: { appSecret: other?.['appSecret'] } });
    assert.deepEqual(
      (await faults('--deep')).map((text) => text.slice(0, 66)),
      ['credentials: credentials "acme-hmac", appSecret: cannot be opened:'],
    );
  });

  it('finds endpoints that claim the same requests', async () => {
    await fill();
    const endpoints = database.db().collection('endpoints');
    const orders = await endpoints.findOne({ _id: 'orders' as never });
    await endpoints.insertOne({ ...orders, _id: 'copy' as never });
    assert.match((await faults()).join(), /claim the same requests/);
    const about = (await examine('--deep')).filter(({ subject }) => subject === 'endpoints');
    assert.deepEqual(
      about.map(({ level }) => level),
      ['fault'],
    );
  });

  it('finds orphans, with what they hang on', async () => {
    await fill();
    await database.db().collection('consumers').deleteMany({});
    const orphans = (await examine('--deep')).filter(({ message }) =>
      message.includes('does not exist: it has no effect'),
    );
    assert.deepEqual(
      orphans.map(({ level, subject, message }) => `${level} ${subject} ${message.split(' ').slice(0, 4).join(' ')}`),
      [
        'warning credentials acme-hmac has a consumerId',
        'warning credentials acme-key has a consumerId',
        'warning grants orders/acme has a consumerId',
      ],
    );
  });

  it('finds secrets of a former key, and of a key that is gone', async () => {
    await fill();
    await writeFile(String(environment['POSTERN_KEYRING']), ringText(1, 2));
    const former = (await examine()).find(({ subject }) => subject === 'sealed secrets');
    assert.equal(former?.level, 'warning');
    assert.equal(former.message, '2 are sealed with the former key test-key-1');
    await writeFile(String(environment['POSTERN_KEYRING']), ringText(2));
    assert.match((await faults()).join(), /2 are sealed with the key test-key-1, which is not in the key ring/);
    await writeFile(String(environment['POSTERN_KEYRING']), ringText(1));
  });

  it('reports that no login is needed, and that it is a replica set', async () => {
    const messages = (await examine()).map(({ level, message }) => `${level}: ${message}`);
    assert.ok(messages.some((text) => text.startsWith('ok: answers as the replica set')));
    assert.ok(messages.some((text) => text.startsWith('warning: takes this connection without a login')));
  });
});

describe('postern doctor beside a database that is down', () => {
  it('says so, and what to do', async () => {
    const away = 'mongodb://127.0.0.1:9/postern?serverSelectionTimeoutMS=100';
    const { code, out } = await runCli(['doctor'], { POSTERN_STORE: away, POSTERN_KEYRING: '/nowhere/ring.yaml' });
    assert.equal(code, 5);
    assert.match(out, /✗ key ring \/nowhere\/ring\.yaml: .*cannot be read \(ENOENT\)/);
    assert.match(out, /✗ MongoDB: MongoDB does not answer at 127\.0\.0\.1:9/);
  });
});
