import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MemoryApi } from '../../../support/api/memory-api.ts';

const any = { 'if-match': '*' };

/** A change that would be done, were it not for one key more. */
interface Way {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const ways: readonly Way[] = [
  { method: 'POST', path: '/v1/consumers', body: { id: 'new' } },
  { method: 'PATCH', path: '/v1/consumers/acme', body: { name: 'Acme' } },
  { method: 'POST', path: '/v1/endpoints', body: { id: 'new', authentication: 'key', match: {} } },
  { method: 'PATCH', path: '/v1/credentials/acme-key', body: { allowFrom: ['203.0.113.7'] } },
  { method: 'PATCH', path: '/v1/endpoints/orders', body: { description: 'orders' } },
  { method: 'POST', path: '/v1/grants', body: { endpoint: 'orders', consumer: 'acme' } },
  { method: 'PATCH', path: '/v1/grants/orders/tier=gold', body: { priority: 7 } },
  {
    method: 'POST',
    path: '/v1/issuers',
    body: { id: 'new', issuer: 'x', jwksUri: 'https://x.example/k', audiences: ['a'] },
  },
  { method: 'POST', path: '/v1/plans', body: { id: 'new', priority: 5, limits: [{ requests: 1, unit: 'day' }] } },
  { method: 'POST', path: '/v1/operators', body: { id: 'new', role: 'viewer' } },
  { method: 'PATCH', path: '/v1/operators/vic', body: { name: 'Vic' } },
];

/** Bodies whose keys are all given, or that take no fields of a resource. */
const closed: readonly Way[] = [
  { method: 'PUT', path: '/v1/endpoints/orders/limits', body: { limits: [] } },
  { method: 'PUT', path: '/v1/grants/orders/tier=gold/limits', body: { limits: [] } },
  { method: 'POST', path: '/v1/operators/vic/tokens:issue', body: {} },
  { method: 'POST', path: '/v1/credentials:issue', body: { consumer: 'acme', method: 'key' } },
];

describe('management API: keys of bodies', () => {
  let api: MemoryApi;
  before(async () => {
    api = new MemoryApi();
    await api.add('root', 'admin');
    await api.add('vic', 'viewer', { selector: { team: 'orders' } });
    const labels = { team: 'orders', 'example.com/tier': 'gold' };
    await api.done('root', 'POST', '/v1/consumers', { body: { id: 'acme', labels } });
    await api.done('root', 'POST', '/v1/credentials:issue', {
      body: { consumer: 'acme', method: 'key', id: 'acme-key' },
    });
    const match = { paths: [{ prefix: '/orders' }] };
    await api.done('root', 'POST', '/v1/endpoints', {
      body: { id: 'orders', authentication: 'key', accessCondition: 'authenticated-and-authorized', match },
    });
    const group = { endpoint: 'orders', consumerSelector: { tier: 'gold' }, priority: 5 };
    await api.done('root', 'POST', '/v1/grants', { body: group });
  });
  beforeEach(() => {
    api.now += 60; // or there would be too many requests of a minute
  });

  const everything = async (): Promise<unknown> => {
    const lists = ['/v1/consumers', '/v1/endpoints', '/v1/grants', '/v1/operators', '/v1/credentials'];
    return await Promise.all(lists.map(async (path) => (await api.ask('root', 'GET', path)).body['items']));
  };
  const places = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
    (body['errors'] as readonly { readonly pointer: string }[]).map(({ pointer }) => pointer);

  it('are no paths: those with a dot are refused, with their place, and change nothing', async () => {
    const before = await everything();
    const dotted: readonly (readonly [path: RegExp, key: string, value: unknown])[] = [
      [/endpoints/, 'match.paths', [{ prefix: '/elsewhere' }]],
      [/endpoints/, 'options.mode', 'observe'],
      [/endpoints/, 'trafficControl.limits', []],
      [/consumers|endpoints/, 'labels.$set', 'x'],
      [/consumers|endpoints/, 'labels.team', 'payments'],
      [/grants/, 'consumerSelector.team', 'orders'],
      [/operators/, 'selector.team', null],
    ];
    let asked = 0;
    for (const { method, path, body } of ways) {
      for (const [fits, key, value] of dotted) {
        if (!fits.test(path)) continue;
        const sent = { body: { ...body, [key]: value }, headers: any };
        const refused = await api.refused('INVALID_RESOURCE', 'root', method, path, sent);
        assert.deepEqual(places(refused.body), [`/${key}`], `${method} ${path}`);
        asked += 1;
      }
    }
    assert.equal(asked, 18);
    assert.deepEqual(await everything(), before);
  });

  it('are refused when they are unknown, whatever they would be to a database or to JavaScript', async () => {
    const before = await everything();
    for (const { method, path, body } of ways) {
      for (const key of ['$set', '$where', 'constructor', 'a.b', '.', '..', 'id.', 'x.labels', 'toString']) {
        const sent = { body: { ...body, [key]: {} }, headers: any };
        await api.refused('INVALID_RESOURCE', 'root', method, path, sent);
      }
    }
    for (const { method, path, body } of closed) {
      for (const key of ['$set', 'limits.0', 'constructor']) {
        await api.refused('MALFORMED_REQUEST', 'root', method, path, { body: { ...body, [key]: {} }, headers: any });
      }
    }
    assert.deepEqual(await everything(), before);
  });

  it('are refused at any depth when they are __proto__, however it is written, and with the place', async () => {
    const before = await everything();
    for (const { method, path, body } of [...ways, ...closed]) {
      for (const written of ['__proto__', '\\u005f_proto__', '__\\u0070roto__']) {
        const inner = JSON.stringify(body).slice(1, -1);
        const own = `{${[inner, `"${written}":{"role":"admin"}`].filter((part) => part !== '').join(',')}}`;
        const refused = await api.refused('INVALID_RESOURCE', 'root', method, path, { body: own, headers: any });
        assert.deepEqual(places(refused.body), ['/__proto__'], path);
      }
    }
    for (const field of ['labels', 'match', 'options', 'a~b/c']) {
      const body = `{"id":"new",${JSON.stringify(field)}:[{"__proto__":"x"}]}`;
      const refused = await api.refused('INVALID_RESOURCE', 'root', 'POST', '/v1/consumers', { body });
      assert.deepEqual(places(refused.body), [`/${field.replace('~', '~0').replace('/', '~1')}/0/__proto__`]);
    }
    const said = '{"id":"new","description":"about __proto__ and \\\\u0041"}';
    await api.done('root', 'POST', '/v1/consumers?dryRun=true', { body: said });
    assert.deepEqual(await everything(), before);
  });

  it('of labels may have dots and slashes, and a patch takes each as one key', async () => {
    const patch = { labels: { 'example.com/tier': null, 'a.b.c': 'd', $set: 'e', constructor: 'f', '..': 'g' } };
    await api.done('root', 'PATCH', '/v1/consumers/acme', { body: patch, headers: any });
    const { body } = await api.done('root', 'GET', '/v1/consumers/acme');
    assert.deepEqual(body['labels'], { team: 'orders', 'a.b.c': 'd', $set: 'e', constructor: 'f', '..': 'g' });
    const back = { labels: { 'a.b.c': null, $set: null, constructor: null, '..': null, 'example.com/tier': 'gold' } };
    await api.done('root', 'PATCH', '/v1/consumers/acme', { body: back, headers: any });
  });

  it('never end in a defect, whatever they and their values are', async () => {
    const key = fc.oneof(
      fc.constantFrom('labels', 'match', 'selector', 'limits', 'options', 'id', '__proto__', '$set', 'match.paths'),
      fc.string({ maxLength: 12 }),
    );
    const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('\0', '\ud800', -0, 1e308, [[]], { '': '' }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ways, ...closed),
        fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }),
        async ({ method, path, body }, more) => {
          api.now += 60;
          const text = JSON.stringify({ ...body, ...more });
          const { status } = await api.ask('root', method, `${path}?dryRun=true`, { body: text, headers: any });
          assert.ok(status < 500, `${method} ${path} ${text}`);
        },
      ),
      { numRuns: 300 },
    );
    assert.deepEqual(api.defects, []);
  });
});
