import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { credentialWith } from '../../resources/changes/credentials.ts';
import { itemsOf, type MemoryApi, namesIn } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

describe('management API: grants', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  it('are listed within reach: on endpoints within it, without those of consumers beyond it', async () => {
    const all = ['orders/acme', 'orders/initech', 'orders/team=payments,tier=gold', 'orders/tier=gold'];
    assert.deepEqual(namesIn(await api.ask('victor', 'GET', '/v1/grants')), [
      ...all,
      'salaries/acme',
      'salaries/team=people',
    ]);
    const own = all.filter((id) => id !== 'orders/initech');
    assert.deepEqual(namesIn(await api.ask('paula', 'GET', '/v1/grants')), own);
    assert.deepEqual(namesIn(await api.ask('paula', 'GET', '/v1/grants?consumer=acme')), ['orders/acme']);
    assert.deepEqual(namesIn(await api.ask('alice', 'GET', '/v1/grants?endpoint=salaries&forGroups=true')), [
      'salaries/team=people',
    ]);
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/grants?consumer=initech');
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/grants?endpoint=salaries');
  });

  it('have an id in the document that is not that of a resource', async () => {
    const { body } = await api.ask('alice', 'GET', '/openapi.json');
    const { schemas } = body['components'] as { schemas: Record<string, { properties: Record<string, unknown> }> };
    assert.deepEqual(schemas['Grant']?.properties['id'], { type: 'string' });
    const page = schemas['GrantPage']?.properties['items'] as { items: unknown };
    const refs = ['Grant', 'SomeFields'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    assert.deepEqual(page.items, { anyOf: refs });
  });

  it('come in pages', async () => {
    const first = await api.ask('paula', 'GET', '/v1/grants?limit=2');
    assert.deepEqual(namesIn(first), ['orders/acme', 'orders/team=payments,tier=gold']);
    const next = await api.ask('paula', 'GET', `/v1/grants?limit=2&cursor=${String(first.body['nextCursor'])}`);
    assert.deepEqual([namesIn(next), next.body['nextCursor']], [['orders/tier=gold'], null]);
    await api.refused('MALFORMED_REQUEST', 'paula', 'GET', '/v1/grants?cursor=b3JkZXJz');
  });

  it('are shown one by one, those of consumers and those for groups', async () => {
    const own = await api.ask('paula', 'GET', '/v1/grants/orders/acme');
    assert.deepEqual([own.status, own.headers.get('etag')], [200, '"1"']);
    assert.deepEqual(own.body['limits'], [{ requests: 9, unit: 'second', per: 'consumer' }]);
    const group = await api.ask('paula', 'GET', '/v1/grants/orders/team%3Dpayments%2Ctier=gold');
    assert.deepEqual([group.body['id'], group.body['priority']], ['orders/team=payments,tier=gold', 20]);
    for (const path of [
      'orders/initech',
      'salaries/acme',
      'salaries/team=people',
      'orders/globex',
      'orders/=,',
      'x/y',
    ]) {
      const answer = await api.refused('NOT_FOUND', 'paula', 'GET', `/v1/grants/${path}`);
      assert.equal(answer.body['detail'], `there is no grant "${path}"`);
    }
  });
});

describe('management API: access', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  it('judges the address that a consumer calls from', async () => {
    const headers = { 'if-match': '*' };
    await api.done('alice', 'PATCH', '/v1/consumers/acme', { headers, body: { allowFrom: ['203.0.113.0/24'] } });
    const verdicts = async (query: string): Promise<unknown> =>
      itemsOf(await api.ask('alice', 'GET', `/v1/consumers/acme/access?endpoint=orders${query}`)).map(
        ({ allowed, allowFrom, obstacles }) => [
          allowed,
          allowFrom,
          (obstacles as readonly { readonly code: string }[]).map(({ code }) => code),
        ],
      );
    assert.deepEqual(await verdicts(''), [[true, ['203.0.113.0/24'], []]]);
    assert.deepEqual(await verdicts('&from=203.0.113.7'), [[true, ['203.0.113.0/24'], []]]);
    assert.deepEqual(await verdicts('&from=2001:db8::1'), [[false, ['203.0.113.0/24'], ['address-not-allowed']]]);
    await api.refused('MALFORMED_REQUEST', 'alice', 'GET', '/v1/consumers/acme/access?from=10.0.0.0/8');
  });

  it('says of each endpoint within reach whether a consumer may call it, by what and why not', async () => {
    const answer = await api.ask('alice', 'GET', '/v1/consumers/acme/access');
    assert.deepEqual(
      itemsOf(answer).map(({ endpoint, allowed, by }) => [endpoint, allowed, by]),
      [
        ['orders', true, 'grant'],
        ['salaries', true, 'grant'],
        ['stock', true, 'authenticated'],
      ],
    );
    const [orders] = itemsOf(answer);
    assert.deepEqual(orders?.['limits'], [{ requests: 9, unit: 'second', per: 'consumer' }]);
    assert.deepEqual(
      (orders['grants'] as { outcome: string; priority?: number }[]).map(({ outcome, priority }) => [
        outcome,
        priority,
      ]),
      [
        ['in-effect', undefined],
        ['outranked', 20],
        ['outranked', 10],
      ],
    );
    assert.equal(orders['until'], '2026-10-11T14:13:20Z');
    const { allowed, by } = orders['afterwards'] as { allowed: boolean; by: string };
    assert.deepEqual([allowed, by], [false, 'grant']);
    assert.deepEqual(namesIn(await api.ask('paula', 'GET', '/v1/consumers/acme/access'), 'endpoint'), [
      'orders',
      'stock',
    ]);
  });

  it('says why not, without the words of commands', async () => {
    const [orders] = itemsOf(await api.ask('paula', 'GET', '/v1/consumers/globex/access?endpoint=orders'));
    assert.deepEqual(orders?.['obstacles'], [
      { code: 'no-grant', what: 'globex has no grant on orders' },
      {
        code: 'no-credential',
        what: 'globex has no credential for hmac that works: the credential globex-hmac is revoked',
      },
    ]);
    assert.deepEqual([orders['allowed'], orders['by']], [false, null]);
  });

  it('comes in pages, and picks fields', async () => {
    const first = await api.ask('alice', 'GET', '/v1/consumers/acme/access?limit=2&fields=endpoint,allowed');
    assert.deepEqual(first.body['items'], [
      { endpoint: 'orders', allowed: true },
      { endpoint: 'salaries', allowed: true },
    ]);
    const next = `/v1/consumers/acme/access?limit=2&cursor=${String(first.body['nextCursor'])}`;
    const second = await api.ask('alice', 'GET', next);
    assert.deepEqual([namesIn(second, 'endpoint'), second.body['nextCursor']], [['stock'], null]);
  });

  it('lists the callers of an endpoint within reach', async () => {
    assert.deepEqual(namesIn(await api.ask('alice', 'GET', '/v1/endpoints/orders/callers'), 'consumer'), [
      'acme',
      'initech',
    ]);
    const [acme, ...others] = itemsOf(await api.ask('paula', 'GET', '/v1/endpoints/orders/callers'));
    assert.deepEqual([acme?.['consumer'], acme?.['by'], others], ['acme', 'grant', []]);
    const lacking = await api.ask('paula', 'GET', '/v1/endpoints/stock/callers?allowed=false');
    assert.deepEqual(namesIn(lacking, 'consumer'), ['globex']);
    const page = await api.ask('alice', 'GET', '/v1/endpoints/orders/callers?limit=1');
    assert.deepEqual(namesIn(page, 'consumer'), ['acme']);
    const next = `/v1/endpoints/orders/callers?limit=1&cursor=${String(page.body['nextCursor'])}`;
    const last = await api.ask('alice', 'GET', next);
    assert.deepEqual([namesIn(last, 'consumer'), last.body['nextCursor']], [['initech'], null]);
  });

  it('looks at so many consumers for one page that has some, which leads on', async () => {
    const many = Array.from({ length: 6001 }, (_, index) => ({
      ...consumerDefaults,
      id: `many-${String(index).padStart(5, '0')}`,
      labels: { team: 'payments' },
    }));
    const changes = many.map((after) => ({ kind: 'consumer', id: after.id, before: null, after }) as const);
    await api.store.commit(changes, { actor: 'ada', action: 'apply' });
    const owned = ['many-00000', 'many-06000'].map((consumerId) => {
      const after = credentialWith({ id: `${consumerId}-key`, consumerId, methods: ['key'] });
      return { kind: 'credential', id: after.id, before: null, after } as const;
    });
    await api.store.commit(owned, { actor: 'ada', action: 'apply' });
    for (const [path, field] of [
      ['/v1/endpoints/stock/callers?limit=500', 'consumer'],
      ['/v1/credentials?endpoint=stock&limit=500', 'consumer'],
    ] as const) {
      const read = api.store.read.consumer;
      const first = await api.ask('alice', 'GET', path);
      assert.ok(api.store.read.consumer - read <= 5500, path);
      assert.deepEqual(new Set(namesIn(first, field)), new Set(['acme', 'many-00000']), path);
      const second = await api.ask('alice', 'GET', `${path}&cursor=${String(first.body['nextCursor'])}`);
      assert.deepEqual([namesIn(second, field), second.body['nextCursor']], [['many-06000'], null], path);
    }
    const read = api.store.read.consumer;
    const one = await api.ask('alice', 'GET', '/v1/credentials?endpoint=stock&consumer=many-06000');
    assert.deepEqual(namesIn(one), ['many-06000-key']);
    assert.equal(api.store.read.consumer - read, 1);
  });

  it('is not said of what is beyond reach', async () => {
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/consumers/initech/access');
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/consumers/acme/access?endpoint=salaries');
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/endpoints/salaries/callers');
  });
});
