import assert from 'node:assert/strict';
import { type Answer, useManagement } from '../../support/management/use-management.ts';

const any = { 'if-match': '*' };

describe('what partners hold and may call, over the management API on MongoDB', () => {
  const management = useManagement();
  const { database, run } = management;
  let alice = '';
  let paula = '';

  before(async () => {
    alice = await management.newOperator('alice', '--role admin');
    paula = await management.newOperator('paula', '--role operator --label team=payments');
    for (const [id, team] of [
      ['orders', 'payments'],
      ['salaries', 'people'],
    ] as const) {
      const match = { paths: [{ prefix: `/${id}` }] };
      const access = { authentication: 'hmac', accessCondition: 'authenticated-and-authorized' };
      await made(alice, '/v1/endpoints', { id, labels: { team }, match, ...access });
    }
    for (const [id, team] of [
      ['acme', 'payments'],
      ['globex', 'payments'],
      ['initech', 'people'],
    ] as const) {
      await made(alice, '/v1/consumers', { id, labels: { team } });
    }
  });

  async function ask(
    token: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return await management.ask(method, path, { token, body, headers });
  }

  async function made(token: string, path: string, body: object): Promise<Answer> {
    const answer = await ask(token, 'POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer;
  }

  async function idsOf(token: string, path: string): Promise<readonly unknown[]> {
    const { body } = await ask(token, 'GET', path);
    return (body['items'] as readonly Readonly<Record<string, unknown>>[]).map(
      (item) => item['id'] ?? item['consumer'],
    );
  }

  it('issues a secret that the database has sealed only, and rotates and revokes it', async () => {
    const issued = await made(paula, '/v1/credentials:issue', { consumer: 'acme', method: 'hmac', id: 'acme-hmac' });
    const secret = String(issued.body['appSecret']);
    assert.match(secret, /^[\w-]{43}$/);
    assert.ok(!management.logs().includes(secret));
    const revealed = JSON.parse(await run('credential show acme-hmac --reveal -o json')) as { appSecret: string };
    assert.equal(revealed.appSecret, secret);
    for (const { collectionName } of await database.db().collections()) {
      const documents = await database.db().collection(collectionName).find().toArray();
      assert.ok(!JSON.stringify(documents).includes(secret), collectionName);
    }
    const shown = await ask(paula, 'GET', '/v1/credentials/acme-hmac');
    assert.deepEqual([shown.headers.get('etag'), shown.body['status']], ['"1"', 'active']);
    const path = '/v1/credentials/acme-hmac:rotate';
    const rotated = await ask(paula, 'POST', path, { grace: '1d' }, { 'if-match': '"1"' });
    assert.deepEqual([rotated.status, rotated.headers.get('etag')], [200, '"2"'], JSON.stringify(rotated.body));
    assert.notEqual((rotated.body['credential'] as { appSecret: string }).appSecret, secret);
    assert.equal((await ask(paula, 'POST', path, {}, { 'if-match': '"1"' })).body['code'], 'REVISION_CHANGED');
    const revoked = await ask(paula, 'POST', '/v1/credentials/acme-hmac:revoke', undefined, any);
    assert.deepEqual([revoked.status, revoked.headers.get('etag')], [200, '"3"']);
    const events = JSON.parse(await run('audit list --actor paula -o json')) as { action: string }[];
    assert.deepEqual(
      events.map(({ action }) => action),
      ['api credential revoke', 'api credential rotate', 'api credential issue'],
    );
  });

  it('authorises, limits, and says who may call', async () => {
    await made(paula, '/v1/credentials:issue', { consumer: 'globex', method: 'hmac', id: 'globex-hmac' });
    await made(paula, '/v1/grants', { endpoint: 'orders', consumer: 'globex' });
    const limits = [{ requests: 9, unit: 'minute', per: 'consumer' }];
    const set = await ask(paula, 'PUT', '/v1/grants/orders/globex/limits', { limits }, { 'if-match': '"1"' });
    assert.deepEqual([set.status, set.headers.get('etag')], [200, '"2"'], JSON.stringify(set.body));
    const { body } = await ask(paula, 'GET', '/v1/consumers/globex/access');
    const items = body['items'] as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual(
      items.map(({ endpoint, allowed, by, limits: own }) => [endpoint, allowed, by, own]),
      [['orders', true, 'grant', limits]],
    );
    assert.deepEqual(await idsOf(paula, '/v1/endpoints/orders/callers'), ['globex']);
    assert.deepEqual(await idsOf(paula, '/v1/credentials?endpoint=orders'), ['globex-hmac']);
    const group = { endpoint: 'orders', consumerSelector: { team: 'payments', 'a b': 'x,y' }, priority: 1 };
    const { body: grant } = await made(paula, '/v1/grants', group);
    const [, holder = ''] = String(grant['id']).split('/');
    const path = `/v1/grants/orders/${encodeURIComponent(holder)}`;
    assert.equal((await ask(paula, 'GET', path)).body['id'], grant['id']);
    assert.equal((await ask(paula, 'DELETE', path, undefined, { 'if-match': '"1"' })).status, 200);
  });

  it('holds an operator to the labels, and tells nothing of what is beyond them', async () => {
    await made(alice, '/v1/credentials:issue', { consumer: 'initech', method: 'hmac', id: 'initech-hmac' });
    await made(alice, '/v1/grants', { endpoint: 'orders', consumer: 'initech' });
    await made(alice, '/v1/grants', { endpoint: 'salaries', consumer: 'initech' });
    assert.ok((await idsOf(alice, '/v1/credentials')).includes('initech-hmac'));
    assert.ok(!(await idsOf(paula, '/v1/credentials')).includes('initech-hmac'));
    assert.deepEqual(await idsOf(paula, '/v1/grants'), ['orders/globex']);
    assert.deepEqual(await idsOf(paula, '/v1/endpoints/orders/callers'), ['globex']);
    assert.deepEqual(await idsOf(alice, '/v1/endpoints/orders/callers'), ['globex', 'initech']);
    for (const [method, path, body] of [
      ['GET', '/v1/credentials/initech-hmac'],
      ['GET', '/v1/credentials/initech-hmac/view'],
      ['POST', '/v1/credentials/initech-hmac:rotate', {}],
      ['POST', '/v1/credentials/initech-hmac:revoke'],
      ['POST', '/v1/credentials:issue', { consumer: 'initech', method: 'hmac' }],
      ['GET', '/v1/grants/orders/initech'],
      ['DELETE', '/v1/grants/salaries/initech'],
      ['PUT', '/v1/grants/salaries/initech/limits', { limits: [] }],
      ['POST', '/v1/grants', { endpoint: 'salaries', consumer: 'acme' }],
      ['POST', '/v1/grants', { endpoint: 'orders', consumer: 'initech' }],
      ['GET', '/v1/consumers/initech/access'],
      ['GET', '/v1/endpoints/salaries/callers'],
    ] as const) {
      const answer = await ask(paula, method, path, body, any);
      assert.deepEqual([answer.status, answer.body['code']], [404, 'NOT_FOUND'], `${method} ${path}`);
    }
    const renamed = await ask(paula, 'PATCH', '/v1/consumers/acme', { id: 'initech' }, any);
    assert.equal(renamed.body['code'], 'INVALID_RESOURCE');
    const { body } = await ask(alice, 'GET', '/v1/consumers/initech');
    assert.deepEqual([body['revision'], body['labels']], [1, { team: 'people' }]);
  });

  it('goes through credentials page by page', async () => {
    const all = await idsOf(alice, '/v1/credentials');
    const seen: unknown[] = [];
    let next: unknown = '';
    do {
      const { body } = await ask(
        alice,
        'GET',
        `/v1/credentials?limit=1${next === '' ? '' : `&cursor=${String(next)}`}`,
      );
      seen.push(...(body['items'] as { id: string }[]).map(({ id }) => id));
      next = body['nextCursor'];
    } while (next !== null);
    assert.deepEqual(seen, all);
    assert.deepEqual(all, ['acme-hmac', 'globex-hmac', 'initech-hmac']);
  });
});
