import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../run-cli.ts';

const secret = 'the secret of this test, in a file';
const appKey = 'key-that-is-secret';
const yaml = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac }
  - { id: keyed, scenario: partner-openapi, match: { paths: [{ prefix: /keyed }] }, authentication: key }
consumers:
  - id: globex
  - id: acme
    name: Acme Ltd
    credentials:
      - { id: acme-hmac, method: hmac, appKey: public-key, appSecretFrom: { env: ACME_SECRET } }
      - { method: key, appKey: ${appKey} }
grants:
  - { endpoint: orders, consumer: acme }
`;

describe('a command without POSTERN_STORE', () => {
  const fault =
    'POSTERN_STORE is not set, and so is its default, file:postern.yaml, which is not there: set it to file:PATH or mongodb://HOST:27017/DATABASE, or give --store';

  it('says that it is missing, where the file of its default is', async () => {
    for (const command of ['endpoint list', 'consumer create acme', 'apply -f x.yaml', 'validate']) {
      const { code, out, err } = await runCli(command.split(' '));
      const name = command === 'endpoint list' ? command : command.replace(/ (?:acme|-f x\.yaml)$/, '');
      assert.deepEqual([code, out, err], [2, '', `postern ${name}: ${fault}\n`]);
    }
    assert.deepEqual(await runCli(['serve']), { code: 1, out: '', err: `postern: ${fault}\n` });
  });
});

describe('commands on a declarative file', () => {
  let folder: TemporaryDirectory;
  let path = '';
  before(async () => {
    folder = await temporaryDirectory();
    path = join(folder.path, 'postern.yaml');
    writeFileSync(path, yaml);
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string, environment: Record<string, string> = {}): Promise<CommandResult> {
    return await runCli(command.split(' '), { POSTERN_STORE: `file:${path}`, ...environment });
  }

  it('cannot say what nobody uses', async () => {
    const { code, err } = await run('credential list --unused 90d');
    assert.deepEqual(
      [code, err],
      [2, `postern credential list: --unused: when a credential was used is kept in MongoDB, not in ${path}\n`],
    );
  });

  it('list and show what it declares, without the secrets that it names', async () => {
    const lists: readonly (readonly [string, RegExp])[] = [
      ['endpoint list', /^ID .*\nkeyed .*\norders .*\n$/],
      ['consumer list', /^ID .*\nacme +Acme Ltd .*\nglobex .*\n$/],
      [
        'credential list',
        /^ID .*\nacme-hmac +acme +hmac +public-key +active .*\nacme-key-1 +acme +key +\(secret\) .*\n$/,
      ],
      ['credential list --consumer globex -o json', /^\[\]\n$/],
      ['grant list', /^ENDPOINT .*\norders +acme .*\n$/],
      ['grant list --endpoint keyed -o json', /^\[\]\n$/],
      ['endpoint show orders', /authorised +1 consumer: acme/],
      ['consumer show acme -o yaml', /^id: acme\nname: Acme Ltd\nenabled: true\ncredentials:\n {2}- id: acme-hmac\n/],
      ['credential show acme-hmac', /App Secret +\(secret/],
    ];
    for (const [command, expected] of lists) {
      const { code, out, err } = await run(command);
      assert.equal(code, 0, `${command}: ${err}`);
      assert.match(out, expected, command);
      assert.ok(!out.includes(appKey) && !/revision|createdAt|xxxx/.test(out), command);
    }
  });

  it('reveal a secret only where it can be looked up', async () => {
    const { code, out } = await run('credential show acme-hmac --reveal', { ACME_SECRET: secret });
    assert.equal(code, 0);
    assert.ok(out.includes(secret));
    assert.ok((await run('credential show acme-key-1 --reveal', { ACME_SECRET: secret })).out.includes(appKey));
    const missing = await run('credential show acme-hmac --reveal');
    assert.deepEqual([missing.code, missing.out], [1, '']);
    assert.match(missing.err, /postern\.yaml:10:\d+: "appSecretFrom" names an environment variable that is not set/);
  });

  it('change nothing, and say what to do', async () => {
    for (const command of [
      'consumer create new',
      'credential revoke acme-hmac --yes',
      'endpoint disable nothing',
      'grant add --endpoint orders --consumer acme --dry-run',
    ]) {
      const { code, out, err } = await run(command, { ACME_SECRET: secret });
      assert.deepEqual([code, out], [1, ''], command);
      assert.ok(err.endsWith(`the store is a file, which commands do not change: edit the file ${path}\n`), err);
    }
    const audit = await run('audit list');
    assert.equal(audit.code, 1);
    assert.match(audit.err, /keeps no audit trail/);
  });

  it('name what may have been meant, and what is wrong with the file', async () => {
    const missing = await run('consumer show acne');
    assert.deepEqual(
      [missing.code, missing.err],
      [3, 'postern consumer show: there is no consumer "acne"; did you mean "acme"?\n'],
    );
    const absent = await run('consumer list', { POSTERN_STORE: 'file:/nowhere/postern.yaml' });
    assert.deepEqual(
      [absent.code, absent.err],
      [1, 'postern consumer list: /nowhere/postern.yaml: the file cannot be read (ENOENT)\n'],
    );
    const faulty = join(folder.path, 'faulty.yaml');
    writeFileSync(faulty, 'version: 1\nconsumers: [{ id: Acme }]\n');
    const wrong = await run('consumer list', { POSTERN_STORE: `file:${faulty}` });
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /faulty\.yaml:2:19: "id" must be 1 to 63/);
    const nonsense = await run('consumer list --store nonsense');
    assert.deepEqual(
      [nonsense.code, nonsense.err],
      [2, 'postern consumer list: --store: must be file:PATH, mongodb://…/DATABASE or https://HOST\n'],
    );
  });
});

describe('commands on a database', () => {
  it('need a key ring for what seals secrets only, and an address that is one', async () => {
    const store = { POSTERN_STORE: 'mongodb://127.0.0.1:1/postern?serverSelectionTimeoutMS=1' };
    const issue = ['credential', 'issue', '--consumer', 'acme', '--method', 'hmac'];
    const without = await runCli(issue, store);
    assert.equal(without.code, 2);
    assert.match(without.err, /POSTERN_KEYRING is missing: .*"postern keyring create FILE"/);
    const absent = await runCli(issue, { ...store, POSTERN_KEYRING: '/nowhere/ring.yaml' });
    assert.equal(absent.code, 1);
    assert.match(absent.err, /\/nowhere\/ring\.yaml.*cannot be read \(ENOENT\)/);
    const address = await runCli(['consumer', 'list'], { POSTERN_STORE: 'mongodb://ada:pass word@127.0.0.1' });
    assert.equal(address.code, 2);
    assert.ok(!address.err.includes('pass'));
  });
});
