import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { openStore } from '../../../src/cli/store/open-store.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { type Management, startManagement } from '../../../src/operators/process/management.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { testKeyRingHolder } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('the management API on MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  let management: Management;
  let base = '';

  before(async () => {
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    environment = {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' },
      POSTERN_MANAGE_ADDRESS: '127.0.0.1:0',
    };
    await run('operator add first --role admin --no-token');
    management = await start();
    const { address } = management;
    base = `http://127.0.0.1:${String(address.kind === 'tcp' ? address.port : 0)}`;
  });
  after(async () => {
    await management[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  async function start(more: Record<string, string> = {}): Promise<Management> {
    const given = { ...environment, ...more };
    const parsed = parseConfig(given);
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const store = await openStore(
      {
        ...{ store: undefined, environment: given, needsSecrets: 'new', command: 'manage', timeoutMs: 5000 },
        warn: (message) => assert.fail(message),
      },
      systemClock,
    );
    const logger = createLogger('error', { write: () => undefined });
    return await startManagement({
      config: parsed.config,
      clock: systemClock,
      logger,
      store,
      keyRing: testKeyRingHolder(),
    });
  }

  async function run(command: string): Promise<string> {
    const { code, out, err } = await runCli(command.split(' '), environment);
    assert.deepEqual([code, err], [0, ''], `${command}: ${err}`);
    return out;
  }

  async function newToken(command: string): Promise<{ readonly id: string; readonly text: string }> {
    const { token } = JSON.parse(await run(`${command} -o json`)) as { token: { id: string; token: string } };
    return { id: token.id, text: token.token };
  }

  async function ask(
    token: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
  }

  it('makes an endpoint and a partner, with the operator in the audit trail', async () => {
    const { text } = await newToken('operator add alice --role admin');
    const endpoint = { id: 'orders', match: { paths: [{ prefix: '/orders' }] }, authentication: 'hmac' };
    const made = await ask(text, 'POST', '/v1/endpoints', endpoint);
    assert.deepEqual([made.status, made.headers.get('etag'), made.body['scenario']], [201, '"1"', 'partner-openapi']);
    const partner = { id: 'acme', labels: { 'a.b$c': 'x' } };
    assert.equal((await ask(text, 'POST', '/v1/consumers', partner)).status, 201);
    const listed = await ask(text, 'GET', '/v1/consumers?fields=id&label=a.b%24c%3Dx');
    assert.deepEqual(listed.body['items'], [{ id: 'acme' }]);
    const events = JSON.parse(await run('audit list --actor alice -o json')) as { action: string }[];
    assert.deepEqual(
      events.map(({ action }) => action),
      ['api consumer create', 'api endpoint create'],
    );
  });

  it('refuses a token at once when it was revoked, and when its operator was removed', async () => {
    const bot = await newToken('operator add bot --role viewer');
    const other = await newToken('operator token issue bot --expires 1h');
    for (const { text } of [bot, other]) assert.equal((await ask(text, 'GET', '/v1/consumers')).status, 200);
    await run(`operator token revoke bot ${bot.id}`);
    assert.equal((await ask(bot.text, 'GET', '/v1/consumers')).body['code'], 'UNAUTHENTICATED');
    assert.equal((await ask(other.text, 'GET', '/v1/consumers')).status, 200);
    await run('operator remove bot --yes');
    assert.equal((await ask(other.text, 'GET', '/v1/consumers')).body['code'], 'UNAUTHENTICATED');
  });

  it('keeps no token that could be read from the database or the audit trail', async () => {
    const { text } = await newToken('operator add carla --role viewer');
    const secret = text.split('.')[1] ?? '';
    assert.equal(secret.length, 43);
    for (const { collectionName } of await database.db().collections()) {
      const documents = await database.db().collection(collectionName).find().toArray();
      assert.ok(!JSON.stringify(documents).includes(secret), collectionName);
    }
    assert.ok(!(await run('operator show carla -o json')).includes('hash'));
  });

  it('holds an operator to the labels, also when they change between reading and writing', async () => {
    const { text } = await newToken('operator add paula --role operator --label team=payments');
    await run('consumer create globex --label team=payments');
    await run('consumer create initech --label team=orders');
    const listed = await ask(text, 'GET', '/v1/consumers?fields=id');
    assert.deepEqual(listed.body['items'], [{ id: 'globex' }]);
    const patch = { description: 'x' };
    const beyond = await ask(text, 'PATCH', '/v1/consumers/initech', patch, { 'if-match': '*' });
    assert.equal(beyond.body['code'], 'NOT_FOUND');
    const within = await ask(text, 'PATCH', '/v1/consumers/globex', patch, { 'if-match': '"1"' });
    assert.deepEqual([within.status, within.headers.get('etag')], [200, '"2"']);
    const again = await ask(text, 'PATCH', '/v1/consumers/globex', { description: 'y' }, { 'if-match': '"1"' });
    assert.equal(again.body['code'], 'REVISION_CHANGED');
  });

  it('does not start on a file, nor beyond this machine without TLS', async () => {
    const path = join(folder.path, 'postern.yaml');
    writeFileSync(path, 'version: 1\nendpoints: []\n');
    await assert.rejects(
      start({ POSTERN_STORE: `file:${path}` }),
      /is a file, which the management API does not change/,
    );
    await assert.rejects(start({ POSTERN_MANAGE_ADDRESS: '0.0.0.0:0' }), /tokens would be readable on the way/);
  });
});
