import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { useTwoDoors } from '../../support/management/two-doors.ts';

type Environment = Readonly<Record<string, string>>;

describe('commands over the management API: who may, and what is said where it does not work', () => {
  const doors = useTwoDoors();
  let alice: Environment = {};
  let paula: Environment = {};
  let victor: Environment = {};

  before(async () => {
    alice = doors.remote(await doors.newOperator('alice', '--role admin'));
    paula = doors.remote(await doors.newOperator('paula', '--role operator --label team=payments'));
    victor = doors.remote(await doors.newOperator('victor', '--role viewer'));
    await done('endpoint create orders --path /orders --authentication hmac --label team=payments', alice);
    await done('consumer create globex --label team=payments', alice);
    await done('consumer create initech --label team=people', alice);
  });

  async function done(line: string, environment: Environment): Promise<string> {
    const { code, out, err } = await doors.run(line.split(' '), environment);
    assert.equal(code, 0, `${line}: ${err}`);
    return out;
  }

  async function fails(line: string, environment: Environment, code: number, message: RegExp): Promise<void> {
    const result = await doors.run(line.split(' '), environment);
    assert.match(result.err, message, line);
    assert.equal(result.code, code, line);
    const { POSTERN_TOKEN: token = '' } = environment;
    assert.ok(token === '' || !`${result.out}${result.err}`.includes(token), 'the token is printed');
  }

  it('names the person in the audit trail, with the command and the reason', async () => {
    await done('consumer edit globex --name Globex --reason OPS-17', paula);
    const events = JSON.parse(await done('audit list --consumer globex --limit 1 -o json', alice)) as object[];
    const { actor, action, reason } = events[0] as Readonly<Record<string, unknown>>;
    assert.deepEqual([actor, action, reason], ['paula', 'api consumer edit', 'OPS-17']);
  });

  it('undoes a change, and says in the trail which', async () => {
    await done('consumer create umbrella --label team=payments', paula);
    await done('consumer edit umbrella --name Wrong', paula);
    const [changed] = JSON.parse(await done('audit list --consumer umbrella -o json', paula)) as { event: string }[];
    await done(`audit revert ${changed?.event ?? ''} --yes`, paula);
    assert.doesNotMatch(await done('consumer show umbrella -o json', paula), /Wrong/);
    const [undone] = JSON.parse(await done('audit list --consumer umbrella -o json', alice)) as {
      reverts?: { event: string };
    }[];
    assert.equal(undone?.reverts?.event, changed?.event);
  });

  it('holds to roles and labels', async () => {
    await fails('consumer edit globex --name X', victor, 1, /the role viewer does not allow this: it needs operator/);
    await fails('endpoint edit orders --description x', paula, 1, /the role operator does not allow this/);
    await fails('consumer edit initech --name X', paula, 3, /there is no consumer "initech"/);
    await fails('operator list', paula, 1, /only an admin without labels/);
    await fails('refusals', victor, 1, /the role viewer does not allow this/);
    assert.doesNotMatch(await done('consumer list', paula), /initech/);
    assert.doesNotMatch(await done('export', paula), /initech/);
  });

  it('says that somebody else changed a resource, and makes nothing of it', async () => {
    await fails('consumer edit globex --name Y --revision 1', paula, 4, /has revision \d now, not 1/);
  });

  it('shows no stored secret, and needs the database for what does', async () => {
    await done('credential issue --consumer globex --method hmac --id globex-hmac', paula);
    const path = join(doors.folder(), 'request.txt');
    await writeFile(path, 'GET /orders HTTP/1.1\r\nHost: localhost\r\n\r\n');
    for (const line of [
      'credential show globex-hmac --reveal',
      'export --with-secrets',
      'keyring rewrap',
      'credential rotate globex-hmac --new-key-ring',
    ]) {
      await fails(line, { ...alice, POSTERN_KEYRING: join(doors.folder(), 'keyring.yaml') }, 2, /database \(mongodb/);
    }
    await fails('serve', alice, 1, /is a management API, which commands use; a service needs mongodb/);
    await fails('manage', alice, 1, /is a management API, which commands use; a service needs mongodb/);
    const { out } = await doors.run(['doctor', '--fix', '-o', 'json'], alice);
    assert.match(out, /"--fix",\s+"message": "needs the database itself/);
  });

  it('says what is wrong with the token, and where to get one', async () => {
    const nobody = { ...alice, POSTERN_TOKEN: '' };
    await fails('consumer list', nobody, 2, /nobody is signed in at https:\/\/localhost.*postern login/);
    await fails('consumer list', { ...alice, POSTERN_TOKEN: 'a b' }, 2, /POSTERN_TOKEN: is no token/);
    const wrong = { ...alice, POSTERN_TOKEN: `pot_alice.${'A'.repeat(43)}` };
    await fails('consumer list', wrong, 1, /does not take the token: it is wrong, has ended, or was revoked/);
    const file = join(doors.folder(), 'token');
    await writeFile(file, `${alice['POSTERN_TOKEN'] ?? ''}\n`);
    assert.match(await done('consumer list', { ...nobody, POSTERN_TOKEN_FILE: file }), /globex/);
    await fails('consumer list', { ...alice, POSTERN_TOKEN_FILE: file }, 2, /give one of them/);
  });

  it('trusts no other authority, and calls other machines over TLS only', async () => {
    const untrusting = { ...alice, POSTERN_STORE_CA: '' };
    await fails('consumer list', untrusting, 5, /signed by none of the authorities .* POSTERN_STORE_CA/);
    await fails('consumer list', { ...alice, POSTERN_STORE: 'http://192.0.2.1' }, 2, /must begin with https:\/\//);
    await fails('consumer list', { ...alice, POSTERN_STORE: 'https://u:p@localhost' }, 2, /address of postern manage/);
    await fails('consumer list', { ...alice, POSTERN_STORE: 'https://localhost:1' }, 5, /does not answer/);
  });

  describe('of a server that is none', () => {
    let server: Server;
    const asked: string[] = [];
    let other: Environment = {};
    let answer: readonly [status: number, headers: Record<string, string>, body: string] = [200, {}, ''];
    before(async () => {
      server = createServer((request, response) => {
        asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
        response.writeHead(answer[0], answer[1]).end(answer[2]);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      other = { ...alice, POSTERN_STORE: `http://127.0.0.1:${String(port)}` };
    });
    after(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it('follows no redirect, and takes nothing else for an answer', async () => {
      answer = [302, { location: 'https://attacker.example/' }, ''];
      await fails('consumer list', other, 1, /answered 302 and is no management API/);
      answer = [200, { 'content-type': 'text/html' }, '<p>Hello'];
      await fails('consumer list', other, 1, /is no management API/);
      answer = [200, { 'content-type': 'application/json' }, '{"items":[{"resource":{}}],"next":null}'];
      await fails('consumer list', other, 1, /does not understand/);
      answer = [200, { 'content-type': 'application/json' }, ' '.repeat(33 * 1024 * 1024)];
      await fails('consumer list', other, 1, /answered more than a management API does/);
    });

    it('is asked for what is due, and not for all credentials', async () => {
      answer = [200, { 'content-type': 'application/json' }, '{"items":[],"next":null,"nextCursor":null}'];
      for (const [flags, query] of [
        ['--expiring 30d', 'expiringWithin=2592000s'],
        ['--unused 90d', 'unusedFor=7776000s'],
        ['--former-in-use', 'formerInUse=true'],
      ] as const) {
        asked.length = 0;
        await done(`credential list ${flags}`, other);
        assert.deepEqual(asked, [`GET /v1/credentials?${query}&fields=id&limit=500`], flags);
      }
    });

    it('asks for no pages without end', async () => {
      const json = { 'content-type': 'application/json' };
      const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
      const record = { resource: { id: 'acme', enabled: true }, revision: 1, ...times };
      const message =
        /^postern consumer list: http:\/\/127\.0\.0\.1:\d+ answers POST \/v1\/resources:list with a page that leads to no further one/m;
      for (const page of [
        { items: [], next: 'acme' },
        { items: [record], next: 'acme' },
      ]) {
        answer = [200, json, JSON.stringify(page)];
        await fails('consumer list', other, 1, message);
      }
      const at = '2026-01-01T00:00:00.000Z';
      const event = {
        event: '0'.repeat(24),
        at,
        actor: 'ada',
        action: 'x',
        storeRevision: 1,
        kind: 'consumer',
        id: 'a',
      };
      for (const items of [[], [event]]) {
        answer = [200, json, JSON.stringify({ items, nextCursor: 'more' })];
        await fails('audit list', other, 1, /answers GET \/v1\/audit with a page that leads to no further one/);
      }
    });

    it('has nothing of it obeyed by the terminal', async () => {
      const problem = { code: 'CONFLICT', detail: 'a\u001b]0;b\u0007\u202ec' };
      answer = [409, { 'content-type': 'application/problem+json' }, JSON.stringify(problem)];
      await fails('consumer list', other, 4, /a\ufffd\]0;b\ufffd\ufffdc/);
      await fails('login --token-from env:POSTERN_TOKEN', other, 1, /a\ufffd\]0;b\ufffd\ufffdc/);
    });
  });
});
