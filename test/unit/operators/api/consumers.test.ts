import assert from 'node:assert/strict';
import { namesIn } from '../../../support/api/memory-api.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { type Answer, MemoryApi } from '../../../support/api/memory-api.ts';

describe('management API: consumers', () => {
  let api: MemoryApi;

  beforeEach(async () => {
    api = new MemoryApi({
      consumers: [
        { ...consumerDefaults, id: 'acme', labels: { team: 'payments', tier: 'gold' } },
        { ...consumerDefaults, id: 'globex', labels: { team: 'payments' } },
        { ...consumerDefaults, id: 'initech', labels: { team: 'orders' } },
      ],
    });
    await api.add('alice', 'admin');
    await api.add('victor', 'viewer');
    await api.add('paula', 'operator', { selector: { team: 'payments' } });
  });

  it('needs a live token of an enabled operator', async () => {
    const missing = await api.refused('UNAUTHENTICATED', null, 'GET', '/v1/consumers');
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="postern"');
    await api.refused('UNAUTHENTICATED', 'pot_alice.AAAA', 'GET', '/v1/consumers');
    await api.refused('UNAUTHENTICATED', `pot_bob.${'A'.repeat(43)}`, 'GET', '/v1/consumers');
    await api.refused('UNAUTHENTICATED', `pot_alice.${'A'.repeat(43)}`, 'GET', '/v1/consumers');
    const good = await api.ask('alice', 'GET', '/v1/consumers');
    assert.equal(good.status, 200);
    const alice = await api.store.find('operator', 'alice');
    assert.ok(alice !== null);
    const disabled = { ...alice.resource, enabled: false };
    await api.store.commit([{ kind: 'operator', id: 'alice', before: alice, after: disabled }], {
      actor: 't',
      action: 't',
    });
    await api.refused('UNAUTHENTICATED', 'alice', 'GET', '/v1/consumers');
  });

  it('slows down who guesses tokens of an operator', async () => {
    for (let guess = 0; guess < 20; guess += 1) {
      await api.refused('UNAUTHENTICATED', `pot_alice.${String(guess).padStart(43, 'A')}`, 'GET', '/v1/consumers');
    }
    const slowed = await api.refused('TOO_MANY_REQUESTS', 'alice', 'GET', '/v1/consumers');
    assert.match(slowed.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await api.ask('victor', 'GET', '/v1/consumers')).status, 200);
  });

  it('lists within reach, by labels and by pages', async () => {
    const idsOf = ({ body }: Answer): unknown => (body['items'] as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(idsOf(await api.ask('alice', 'GET', '/v1/consumers')), ['acme', 'globex', 'initech']);
    assert.deepEqual(idsOf(await api.ask('paula', 'GET', '/v1/consumers')), ['acme', 'globex']);
    assert.deepEqual(idsOf(await api.ask('paula', 'GET', '/v1/consumers?label=team%3Dorders')), []);
    assert.deepEqual(idsOf(await api.ask('alice', 'GET', '/v1/consumers?label=team%3Dpayments&label=tier%3Dgold')), [
      'acme',
    ]);
    const first = await api.ask('alice', 'GET', '/v1/consumers?limit=2&fields=id');
    assert.deepEqual(first.body['items'], [{ id: 'acme' }, { id: 'globex' }]);
    const next = await api.ask('alice', 'GET', `/v1/consumers?limit=2&cursor=${String(first.body['nextCursor'])}`);
    assert.deepEqual([idsOf(next), next.body['nextCursor']], [['initech'], null]);
    await api.refused('MALFORMED_REQUEST', 'alice', 'GET', '/v1/consumers?limit=0');
    await api.refused('MALFORMED_REQUEST', 'alice', 'GET', '/v1/consumers?colour=red');
    await api.refused('MALFORMED_REQUEST', 'alice', 'GET', '/v1/consumers?cursor=%21');
  });

  it('does not tell what is beyond reach from what is not there', async () => {
    const beyond = await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/consumers/initech');
    const absent = await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/consumers/nobody');
    assert.equal(beyond.body['detail'], 'there is no consumer "initech"');
    assert.equal(absent.body['detail'], 'there is no consumer "nobody"');
    await api.refused('NOT_FOUND', 'paula', 'DELETE', '/v1/consumers/initech', { headers: { 'if-match': '*' } });
  });

  it('lists the newest first, and how many there are', async () => {
    for (const id of ['zeta', 'alpha']) {
      api.now += 10;
      await api.done('alice', 'POST', '/v1/consumers', { body: { id } });
    }
    const first = await api.done('alice', 'GET', '/v1/consumers?sort=-createdAt&limit=1');
    assert.deepEqual(namesIn(first), ['alpha']);
    const cursor = String(first.body['nextCursor']);
    const second = await api.done('alice', 'GET', `/v1/consumers?sort=-createdAt&limit=1&cursor=${cursor}`);
    assert.deepEqual(namesIn(second), ['zeta']);
    await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `/v1/consumers?sort=-updatedAt&cursor=${cursor}`);
    assert.equal(first.body['total'], namesIn(await api.done('alice', 'GET', '/v1/consumers')).length);
    for (const query of ['q=alpha', 'label=a=b']) {
      assert.equal((await api.done('alice', 'GET', `/v1/consumers?${query}`)).body['total'], undefined);
    }
  });

  it('creates, changes and deletes with the revision that was seen, as the operator', async () => {
    const made = await api.ask('alice', 'POST', '/v1/consumers', {
      body: { id: 'umbrella', labels: { tier: 'gold', a: 'b' } },
    });
    assert.deepEqual([made.status, made.headers.get('etag')], [201, '"1"']);
    assert.equal(made.headers.get('location'), '/v1/consumers/umbrella');
    await api.refused('REVISION_REQUIRED', 'alice', 'PATCH', '/v1/consumers/umbrella', { body: { name: 'U' } });
    const headers = { 'if-match': '"1"' };
    const patch = { name: 'Umbrella', labels: { tier: null, c: 'd' } };
    const changed = await api.ask('alice', 'PATCH', '/v1/consumers/umbrella', { body: patch, headers });
    assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"']);
    const stored = await api.store.find('consumer', 'umbrella');
    assert.deepEqual([stored?.resource.name, stored?.resource.labels], ['Umbrella', { a: 'b', c: 'd' }]);
    await api.refused('REVISION_CHANGED', 'alice', 'DELETE', '/v1/consumers/umbrella', { headers });
    const planned = await api.ask('alice', 'DELETE', '/v1/consumers/umbrella?dryRun=true', {
      headers: { 'if-match': '"2"' },
    });
    assert.deepEqual([planned.body['dryRun'], planned.body['revision']], [true, null]);
    assert.ok((await api.store.find('consumer', 'umbrella')) !== null);
    await api.ask('alice', 'DELETE', '/v1/consumers/umbrella', { headers: { 'if-match': '"2"' } });
    assert.equal(await api.store.find('consumer', 'umbrella'), null);
    const [last] = await collect(api.store.events({}));
    assert.deepEqual([last?.actor, last?.action], ['alice', 'api consumer delete']);
  });

  it('refuses by role, and beyond reach', async () => {
    await api.refused('FORBIDDEN', 'victor', 'POST', '/v1/consumers', { body: { id: 'umbrella' } });
    await api.refused('FORBIDDEN', 'paula', 'POST', '/v1/consumers', { body: { id: 'umbrella' } });
    const headers = { 'if-match': '*' };
    const leaving = { labels: { team: 'orders' } };
    await api.refused('FORBIDDEN', 'paula', 'PATCH', '/v1/consumers/acme', { body: leaving, headers });
    assert.deepEqual((await api.store.find('consumer', 'acme'))?.revision, 1);
  });

  it('refuses an endpoint that would take the requests of one beyond reach', async () => {
    await api.add('petra', 'admin', { selector: { team: 'payments' } });
    const orders = { id: 'orders', labels: { team: 'orders' }, match: { paths: [{ prefix: '/orders' }] } };
    assert.equal(
      (await api.ask('alice', 'POST', '/v1/endpoints', { body: { ...orders, authentication: 'key' } })).status,
      201,
    );
    const open = { labels: { team: 'payments' }, scenario: 'open' };
    const narrower = { ...open, id: 'mine', match: { paths: [{ prefix: '/orders/1' }] } };
    const answer = await api.refused('CONFLICT', 'petra', 'POST', '/v1/endpoints', { body: narrower });
    assert.equal(answer.body['detail'], '"mine" would take requests of an endpoint beyond reach');
    const beside = { ...open, id: 'mine', match: { paths: [{ prefix: '/payments' }] } };
    assert.equal((await api.ask('petra', 'POST', '/v1/endpoints', { body: beside })).status, 201);
    const moved = { match: { paths: [{ exact: '/orders' }] } };
    const headers = { 'if-match': '*' };
    await api.refused('CONFLICT', 'petra', 'PATCH', '/v1/endpoints/mine', { body: moved, headers });
    assert.equal(
      (await api.ask('alice', 'POST', '/v1/endpoints', { body: { ...narrower, id: 'allowed' } })).status,
      201,
    );
  });

  it('names every fault of a body by its place, and takes nothing that is not a field', async () => {
    const body = { id: 'umbrella', enabled: 'yes', revision: 7, name: ' ' };
    const wrong = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/consumers', { body });
    const pointers = (wrong.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    assert.deepEqual(pointers, ['/enabled', '/name', '/revision']);
    assert.equal(await api.store.find('consumer', 'umbrella'), null);
    await api.refused('CONFLICT', 'alice', 'POST', '/v1/consumers', { body: { id: 'acme' } });
    await api.refused('MALFORMED_REQUEST', 'alice', 'POST', '/v1/consumers', { body: ['acme'] });
    const text = { 'content-type': 'text/plain' };
    await api.refused('UNSUPPORTED_MEDIA_TYPE', 'alice', 'POST', '/v1/consumers', { body: {}, headers: text });
    const label = { id: 'nul', labels: { 'a\0b': 'c' } };
    const nul = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/consumers', { body: label });
    assert.match(String(nul.body['detail']), /a key in "labels" holds the character U\+0000, which nobody sees/);
    await api.refused('BODY_TOO_LARGE', 'alice', 'POST', '/v1/consumers', { body: { id: 'x'.repeat(300_000) } });
  });

  it('says in its document what it takes', async () => {
    const { body } = await api.ask(null, 'GET', '/openapi.json');
    assert.equal(body['openapi'], '3.1.0');
    const paths = body['paths'] as Record<string, Record<string, unknown>>;
    assert.deepEqual(Object.keys(paths['/v1/consumers/{id}'] ?? {}), ['get', 'patch', 'delete']);
    assert.deepEqual(Object.keys(paths['/v1/credentials/{id}:rotate'] ?? {}), ['post']);
    const { schemas } = body['components'] as { schemas: Record<string, unknown> };
    const named = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
    assert.deepEqual(
      named.filter((name) => !(name in schemas)),
      [],
    );
  });

  it('reports a defect by its request id only', async () => {
    api.store.beforeCommit = () => {
      throw new Error('secret of the program');
    };
    const answer = await api.refused('INTERNAL', 'alice', 'POST', '/v1/consumers', { body: { id: 'umbrella' } });
    assert.ok(!JSON.stringify(answer.body).includes('secret of the program'));
    assert.equal(api.defects.length, 1);
    assert.equal(api.answered.at(-1)?.status, 500);
    assert.equal(api.answered.at(-1)?.requestId, answer.body['requestId']);
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
