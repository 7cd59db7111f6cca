import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON } from 'mongodb';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { commandsOfPage, withNewestRevision, writingInto } from '../../unit/docs/commands-of-page.ts';

const program = new URL('../../../dist/main.js', import.meta.url).pathname;
const imported = 'what the partner has had for years';

describe('the commands for operators on MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  before(async () => {
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    const { code, err } = await runCli(['keyring', 'create', ring]);
    assert.equal(code, 0, err);
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada', OLD: imported };
  });
  beforeEach(async () => {
    for (const { collectionName } of await database.db().collections()) {
      await database
        .db()
        .collection(collectionName)
        .deleteMany({ _id: { $nin: ['schema'] } } as object);
    }
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string, more: Record<string, string> = {}): Promise<CommandResult> {
    return await runCli(command.split(' '), { ...environment, ...more });
  }

  async function done(command: string): Promise<string> {
    const { code, out, err } = await run(command);
    assert.deepEqual([code, err], [0, ''], `${command}: ${err}`);
    return out;
  }

  /** All that the database holds, as text. */
  async function dump(): Promise<string> {
    const collections = await database.db().collections();
    const documents = await Promise.all(
      collections.map(async (collection) => ({
        [collection.collectionName]: await collection.find().sort({ _id: 1 }).toArray(),
      })),
    );
    return BSON.EJSON.stringify(documents);
  }

  async function prepare(): Promise<void> {
    await done('endpoint create orders --path /orders --authentication hmac --limit 9/minute/endpoint');
    await done('consumer create acme');
    await done('consumer create globex');
    await done('grant add --endpoint orders --consumer acme --limit 5/minute').catch((error: unknown) => {
      if (!(error instanceof Error && error.message.includes('note: '))) throw error;
    });
    await done('credential issue --consumer acme --method hmac --id acme-hmac');
  }

  const changing = [
    'endpoint create new --path /new --authentication key --grant acme',
    'endpoint edit orders --description x',
    'endpoint disable orders',
    'endpoint enable orders',
    'limit set 1/minute/endpoint --endpoint orders',
    'limit clear --endpoint orders --consumer acme',
    'limit clear --endpoint orders',
    'consumer create new',
    'consumer edit acme --name x',
    'consumer disable acme',
    'consumer enable acme',
    'credential issue --consumer acme --method key --id acme-key',
    'credential import --consumer acme --method hmac --app-key k --secret-from env:OLD --id acme-old',
    'credential rotate acme-hmac',
    'credential rotate acme-key --id acme-key-2',
    'credential revoke acme-hmac --yes',
    'grant add --endpoint orders --consumer globex',
    'grant remove --endpoint orders --consumer acme',
    'endpoint delete orders --yes',
    'consumer delete acme --yes',
  ];

  it('change with every verb what they say, leave an audit event each, and change nothing with --dry-run', async () => {
    await prepare();
    for (const command of changing) {
      const before = await dump();
      const dry = await run(`${command} --dry-run`);
      assert.equal(dry.code, 0, `${command}: ${dry.err}`);
      assert.equal(await dump(), before, `${command} --dry-run`);
      const { code, err } = await run(command);
      assert.equal(code, 0, `${command}: ${err}`);
      const [event] = JSON.parse(await done('audit list --limit 1 -o json')) as Record<string, unknown>[];
      assert.deepEqual([event?.['actor'], event?.['action']], ['ada', command.split(' ').slice(0, 2).join(' ')]);
    }
    assert.equal(await done('consumer list -o json').then((json) => (JSON.parse(json) as unknown[]).length), 2);
  });

  it('work as docs/commands.md has them', async () => {
    for (const words of commandsOfPage()) {
      const known = words.includes('REVISION') ? withNewestRevision(words, await done('audit list -o json')) : words;
      const { code, err } = await runCli(writingInto(folder.path, known), {
        ...environment,
        GLOBEX_SECRET: imported,
        UNKNOWN_KEY: 'globex-2019',
      });
      assert.equal(code, 0, `postern ${words.join(' ')}: ${err}`);
    }
  });

  it('show no secret where none was asked for, and keep none in the database as it is', async () => {
    await prepare();
    await done('credential issue --consumer acme --method key --id acme-key');
    await done('credential import --consumer acme --method oauth2 --app-key k --secret-from env:OLD --id acme-old');
    await done('credential rotate acme-hmac');
    const revealed = await Promise.all(
      ['acme-hmac', 'acme-key', 'acme-old'].map(
        async (id) => JSON.parse(await done(`credential show ${id} --reveal -o json`)) as Record<string, unknown>,
      ),
    );
    const [hmac, key, old] = revealed;
    const retiring = hmac?.['retiringSecret'] as Record<string, unknown>;
    const secrets = [hmac?.['appSecret'], retiring['appSecret'], key?.['appKey'], old?.['appSecret']].map(String);
    assert.equal(secrets[3], imported);
    for (const secret of secrets) assert.ok(secret.length > 15);
    let printed = await dump();
    for (const command of [
      'credential list',
      'credential show acme-hmac',
      'credential show acme-key',
      'consumer show acme',
      'audit list',
    ]) {
      for (const format of ['table', 'json', 'yaml']) printed += await done(`${command} -o ${format}`);
    }
    for (const secret of secrets) assert.ok(!printed.includes(secret));
  });

  it('let one of two edits win, and report the conflict to the other', async () => {
    await prepare();
    const results = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => await run(`consumer edit acme --name ${name} --revision 1`)),
    );
    assert.deepEqual(results.map(({ code }) => code).sort(), [0, 4, 4]);
    const { name, revision } = JSON.parse(await done('consumer show acme -o json')) as Record<string, unknown>;
    assert.equal(revision, 2);
    assert.equal(results[['one', 'two', 'three'].indexOf(String(name))]?.code, 0);
  });

  it('pass over a record that a hand made unreadable, and say so', async () => {
    await prepare();
    await database
      .db()
      .collection<{ _id: string }>('consumers')
      .updateOne({ _id: 'acme' }, { $set: { enabled: 'perhaps' } }, { bypassDocumentValidation: true });
    const list = await run('consumer list');
    assert.equal(list.code, 0);
    assert.match(list.out, /globex/);
    assert.match(list.err, /^warning: left out, because it cannot be read: consumers "acme", enabled: /);
    const show = await run('consumer show acme');
    assert.equal(show.code, 1);
    assert.match(show.err, /"acme"/);
  });

  it('list without the key ring', async () => {
    await prepare();
    const { code, out } = await run('credential list', { POSTERN_KEYRING: '' });
    assert.equal(code, 0);
    assert.match(out, /acme-hmac/);
    assert.equal((await run('credential show acme-hmac --reveal', { POSTERN_KEYRING: '' })).code, 2);
  });

  it('have an endpoint to sign for, too', async () => {
    await prepare();
    const sign = 'sign GET http://127.0.0.1:10000/orders --app-key k --secret-from env:OLD --endpoint';
    const { code, out } = await run(`${sign} orders`);
    assert.equal(code, 0);
    assert.match(out, /^curl .*\/orders/);
    const missing = await run(`${sign} order`);
    assert.deepEqual(
      [missing.code, missing.err],
      [3, 'postern sign: there is no endpoint "order"; did you mean "orders"?\n'],
    );
  });

  describe('as a process', () => {
    async function postern(
      command: string,
      given: { input?: string; env?: Record<string, string> } = {},
    ): Promise<CommandResult & { child: ChildProcess }> {
      const child = spawn(process.execPath, [program, ...command.split(' ')], {
        env: { ...process.env, ...environment, ...given.env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      child.stdin.end(given.input ?? '');
      const [code] = (await once(child, 'close')) as [number];
      return { code: code as CommandResult['code'], out, err, child };
    }

    it('ends with the exit code of what happened, in words, without a stack trace', async function () {
      this.timeout(60_000);
      await prepare();
      const file = join(folder.path, 'postern.yaml');
      writeFileSync(file, 'version: 1\n');
      const cases: readonly (readonly [string, number, RegExp])[] = [
        ['consumer list', 0, /^$/],
        [`consumer create x --store file:${file}`, 1, /edit the file .*postern\.yaml\n$/],
        ['consumer show', 2, /missing required argument 'id'/],
        ['consumer delete acme', 2, /add --yes\n$/],
        ['consumer show acne', 3, /did you mean "acme"\?\n$/],
        ['consumer create acme', 4, /the consumer "acme" already exists/],
        [
          'consumer list --timeout 2s --store mongodb://127.0.0.1:1/postern',
          5,
          /MongoDB does not answer at 127\.0\.0\.1:1/,
        ],
      ];
      await Promise.all(
        cases.map(async ([command, expected, message]) => {
          const { code, err } = await postern(command);
          assert.equal(code, expected, `${command}: ${err}`);
          assert.match(err, message);
          assert.doesNotMatch(err, /^\s+at /m);
        }),
      );
    });

    it('reads a secret from standard input', async () => {
      await prepare();
      const command = 'credential import --consumer acme --method hmac --app-key k --secret-from - --id i';
      const { code, err } = await postern(command, { input: `${imported}\n` });
      assert.equal(code, 0, err);
      const { appSecret } = JSON.parse(await done('credential show i --reveal -o json')) as Record<string, unknown>;
      assert.equal(appSecret, imported);
    });
  });
});
