import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { createApi } from '../../../src/api/app.ts';
import type { AnsweredRequest, ApiEnvironment } from '../../../src/api/ports.ts';
import { issueToken } from '../../../src/manage/operator-token.ts';
import { textOf } from '../../../src/manage/generate-credential.ts';
import { operatorDefaults, type Operator } from '../../../src/model/operator.ts';
import { consumerDefaults } from '../../../src/model/consumer.ts';
import { MemoryResourceStore } from '../../support/manage/memory-resource-store.ts';

const now = 1_790_000_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

describe('management API: consumers', () => {
  let store: MemoryResourceStore;
  let api: OpenAPIHono<ApiEnvironment>;
  let answered: AnsweredRequest[];
  let defects: unknown[];
  const tokens = new Map<string, string>();

  async function add(id: string, role: Operator['role'], more: Partial<Operator> = {}): Promise<void> {
    const issued = issueToken(id, now - 10, now + 3600);
    const operator = { ...operatorDefaults, id, role, tokens: [issued.token], ...more };
    await store.commit([{ kind: 'operator', id, before: null, after: operator }], { actor: 'test', action: 'test' });
    tokens.set(id, textOf(issued.text));
  }

  beforeEach(async () => {
    store = new MemoryResourceStore({
      consumers: [
        { ...consumerDefaults, id: 'acme', labels: { team: 'payments', tier: 'gold' } },
        { ...consumerDefaults, id: 'globex', labels: { team: 'payments' } },
        { ...consumerDefaults, id: 'initech', labels: { team: 'orders' } },
      ],
    });
    answered = [];
    defects = [];
    api = createApi({
      store: { resources: store, usage: { usageOf: async () => await Promise.resolve(new Map()) }, audit: store },
      clock: { nowSeconds: () => now, nowMs: () => now * 1000, elapsedMs: () => 0 },
      observer: {
        answered: (request) => answered.push(request),
        defect: (error) => defects.push(error),
      },
    });
    await add('alice', 'admin');
    await add('victor', 'viewer');
    await add('paula', 'operator', { selector: { team: 'payments' } });
  });

  async function ask(
    who: string | null,
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const authorization = who === null ? {} : { authorization: `Bearer ${tokens.get(who) ?? who}` };
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = {
      method,
      headers: { ...authorization, ...content, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const incoming = new IncomingMessage(new Socket());
    const answer = await api.request(path, init, { incoming });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
  }

  async function refused(code: string, asking: Promise<Answer>): Promise<Answer> {
    const answer = await asking;
    assert.equal(answer.body['code'], code, JSON.stringify(answer.body));
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(answer.status, answer.body['status']);
    return answer;
  }

  it('needs a live token of an enabled operator', async () => {
    const missing = await refused('UNAUTHENTICATED', ask(null, 'GET', '/v1/consumers'));
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="postern"');
    await refused('UNAUTHENTICATED', ask('pot_alice.AAAA', 'GET', '/v1/consumers'));
    await refused('UNAUTHENTICATED', ask(`pot_bob.${'A'.repeat(43)}`, 'GET', '/v1/consumers'));
    await refused('UNAUTHENTICATED', ask(`pot_alice.${'A'.repeat(43)}`, 'GET', '/v1/consumers'));
    const good = await ask('alice', 'GET', '/v1/consumers');
    assert.equal(good.status, 200);
    const alice = await store.find('operator', 'alice');
    assert.ok(alice !== null);
    const disabled = { ...alice.resource, enabled: false };
    await store.commit([{ kind: 'operator', id: 'alice', before: alice, after: disabled }], {
      actor: 't',
      action: 't',
    });
    await refused('UNAUTHENTICATED', ask('alice', 'GET', '/v1/consumers'));
  });

  it('slows down who guesses tokens of an operator', async () => {
    for (let guess = 0; guess < 20; guess += 1) {
      await refused('UNAUTHENTICATED', ask(`pot_alice.${String(guess).padStart(43, 'A')}`, 'GET', '/v1/consumers'));
    }
    const slowed = await refused('TOO_MANY_REQUESTS', ask('alice', 'GET', '/v1/consumers'));
    assert.match(slowed.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await ask('victor', 'GET', '/v1/consumers')).status, 200);
  });

  it('lists within reach, by labels and by pages', async () => {
    const idsOf = ({ body }: Answer): unknown => (body['items'] as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(idsOf(await ask('alice', 'GET', '/v1/consumers')), ['acme', 'globex', 'initech']);
    assert.deepEqual(idsOf(await ask('paula', 'GET', '/v1/consumers')), ['acme', 'globex']);
    assert.deepEqual(idsOf(await ask('paula', 'GET', '/v1/consumers?label=team%3Dorders')), []);
    assert.deepEqual(idsOf(await ask('alice', 'GET', '/v1/consumers?label=team%3Dpayments&label=tier%3Dgold')), [
      'acme',
    ]);
    const first = await ask('alice', 'GET', '/v1/consumers?limit=2&fields=id');
    assert.deepEqual(first.body['items'], [{ id: 'acme' }, { id: 'globex' }]);
    const next = await ask('alice', 'GET', `/v1/consumers?limit=2&cursor=${String(first.body['nextCursor'])}`);
    assert.deepEqual([idsOf(next), next.body['nextCursor']], [['initech'], null]);
    await refused('MALFORMED_REQUEST', ask('alice', 'GET', '/v1/consumers?limit=0'));
    await refused('MALFORMED_REQUEST', ask('alice', 'GET', '/v1/consumers?colour=red'));
    await refused('MALFORMED_REQUEST', ask('alice', 'GET', '/v1/consumers?cursor=%21'));
  });

  it('does not tell what is beyond reach from what is not there', async () => {
    const beyond = await refused('NOT_FOUND', ask('paula', 'GET', '/v1/consumers/initech'));
    const absent = await refused('NOT_FOUND', ask('paula', 'GET', '/v1/consumers/nobody'));
    assert.equal(beyond.body['detail'], 'there is no consumer "initech"');
    assert.equal(absent.body['detail'], 'there is no consumer "nobody"');
    await refused('NOT_FOUND', ask('paula', 'DELETE', '/v1/consumers/initech', { headers: { 'if-match': '*' } }));
  });

  it('creates, changes and deletes with the revision that was seen, as the operator', async () => {
    const made = await ask('alice', 'POST', '/v1/consumers', {
      body: { id: 'umbrella', labels: { tier: 'gold', a: 'b' } },
    });
    assert.deepEqual([made.status, made.headers.get('etag')], [201, '"1"']);
    assert.equal(made.headers.get('location'), '/v1/consumers/umbrella');
    await refused('REVISION_REQUIRED', ask('alice', 'PATCH', '/v1/consumers/umbrella', { body: { name: 'U' } }));
    const headers = { 'if-match': '"1"' };
    const patch = { name: 'Umbrella', labels: { tier: null, c: 'd' } };
    const changed = await ask('alice', 'PATCH', '/v1/consumers/umbrella', { body: patch, headers });
    assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"']);
    const stored = await store.find('consumer', 'umbrella');
    assert.deepEqual([stored?.resource.name, stored?.resource.labels], ['Umbrella', { a: 'b', c: 'd' }]);
    await refused('REVISION_CHANGED', ask('alice', 'DELETE', '/v1/consumers/umbrella', { headers }));
    const planned = await ask('alice', 'DELETE', '/v1/consumers/umbrella?dryRun=true', {
      headers: { 'if-match': '"2"' },
    });
    assert.deepEqual([planned.body['dryRun'], planned.body['revision']], [true, null]);
    assert.ok((await store.find('consumer', 'umbrella')) !== null);
    await ask('alice', 'DELETE', '/v1/consumers/umbrella', { headers: { 'if-match': '"2"' } });
    assert.equal(await store.find('consumer', 'umbrella'), null);
    const [last] = await collect(store.events({}));
    assert.deepEqual([last?.actor, last?.action], ['alice', 'api consumer delete']);
  });

  it('refuses by role, and beyond reach', async () => {
    await refused('FORBIDDEN', ask('victor', 'POST', '/v1/consumers', { body: { id: 'umbrella' } }));
    await refused('FORBIDDEN', ask('paula', 'POST', '/v1/consumers', { body: { id: 'umbrella' } }));
    const headers = { 'if-match': '*' };
    const leaving = { labels: { team: 'orders' } };
    await refused('FORBIDDEN', ask('paula', 'PATCH', '/v1/consumers/acme', { body: leaving, headers }));
    assert.deepEqual((await store.find('consumer', 'acme'))?.revision, 1);
  });

  it('refuses an endpoint that would take the requests of one beyond reach', async () => {
    await add('petra', 'admin', { selector: { team: 'payments' } });
    const orders = { id: 'orders', labels: { team: 'orders' }, match: { paths: [{ prefix: '/orders' }] } };
    assert.equal(
      (await ask('alice', 'POST', '/v1/endpoints', { body: { ...orders, authentication: 'key' } })).status,
      201,
    );
    const open = { labels: { team: 'payments' }, scenario: 'open' };
    const narrower = { ...open, id: 'mine', match: { paths: [{ prefix: '/orders/1' }] } };
    const answer = await refused('CONFLICT', ask('petra', 'POST', '/v1/endpoints', { body: narrower }));
    assert.equal(
      answer.body['detail'],
      '"mine" would take requests of an endpoint beyond reach, such as GET /orders/1',
    );
    const beside = { ...open, id: 'mine', match: { paths: [{ prefix: '/payments' }] } };
    assert.equal((await ask('petra', 'POST', '/v1/endpoints', { body: beside })).status, 201);
    const moved = { match: { paths: [{ exact: '/orders' }] } };
    const headers = { 'if-match': '*' };
    await refused('CONFLICT', ask('petra', 'PATCH', '/v1/endpoints/mine', { body: moved, headers }));
    assert.equal((await ask('alice', 'POST', '/v1/endpoints', { body: { ...narrower, id: 'allowed' } })).status, 201);
  });

  it('names every fault of a body by its place, and takes nothing that is not a field', async () => {
    const wrong = await refused(
      'INVALID_RESOURCE',
      ask('alice', 'POST', '/v1/consumers', { body: { id: 'umbrella', enabled: 'yes', revision: 7, name: ' ' } }),
    );
    const pointers = (wrong.body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    assert.deepEqual(pointers, ['/enabled', '/name', '/revision']);
    assert.equal(await store.find('consumer', 'umbrella'), null);
    await refused('CONFLICT', ask('alice', 'POST', '/v1/consumers', { body: { id: 'acme' } }));
    await refused('MALFORMED_REQUEST', ask('alice', 'POST', '/v1/consumers', { body: ['acme'] }));
    const text = { 'content-type': 'text/plain' };
    await refused('UNSUPPORTED_MEDIA_TYPE', ask('alice', 'POST', '/v1/consumers', { body: {}, headers: text }));
    await refused('BODY_TOO_LARGE', ask('alice', 'POST', '/v1/consumers', { body: { id: 'x'.repeat(300_000) } }));
  });

  it('says in its document what it takes', async () => {
    const { body } = await ask(null, 'GET', '/openapi.json');
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
    store.beforeCommit = () => {
      throw new Error('secret of the program');
    };
    const answer = await refused('INTERNAL', ask('alice', 'POST', '/v1/consumers', { body: { id: 'umbrella' } }));
    assert.ok(!JSON.stringify(answer.body).includes('secret of the program'));
    assert.equal(defects.length, 1);
    assert.equal(answered.at(-1)?.status, 500);
    assert.equal(answered.at(-1)?.requestId, answer.body['requestId']);
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
