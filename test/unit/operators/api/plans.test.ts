import assert from 'node:assert/strict';
import { hourOf } from '../../../../src/model/traffic-count.ts';
import { apiNow, itemsOf, type MemoryApi, namesIn } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const any = { 'if-match': '*' };
const limits = [{ requests: 1000, unit: 'day' }];

describe('management API: plans', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  function count(endpointId: string, consumerId: string, allowed: number, hoursAgo = 0): void {
    api.traffic.push({ endpointId, consumerId, hour: hourOf(apiNow) - hoursAgo, codes: { ALLOWED: allowed } });
  }

  it('are made, shown, changed and deleted', async () => {
    const body = { id: 'gold', consumerSelector: { tier: 'gold' }, priority: 1, limits };
    const made = await api.ask('alice', 'POST', '/v1/plans', { body });
    assert.deepEqual([made.status, made.headers.get('location')], [201, '/v1/plans/gold']);
    assert.deepEqual(made.body['limits'], limits);
    assert.deepEqual(namesIn(await api.ask('victor', 'GET', '/v1/plans')), ['gold', 'payments', 'people']);
    const patch = { endpoints: ['orders'], priority: 7 };
    const edited = await api.ask('alice', 'PATCH', '/v1/plans/gold', { body: patch, headers: { 'if-match': '"1"' } });
    assert.deepEqual([edited.status, edited.headers.get('etag')], [200, '"2"']);
    const shown = await api.ask('alice', 'GET', '/v1/plans/gold');
    assert.deepEqual([shown.body['endpoints'], shown.body['priority']], [['orders'], 7]);
    const byLabels = { endpointSelector: { team: 'payments' } };
    await api.done('alice', 'PATCH', '/v1/plans/gold', { body: byLabels, headers: any });
    const { body: selecting } = await api.ask('alice', 'GET', '/v1/plans/gold');
    assert.deepEqual([selecting['endpoints'], selecting['endpointSelector']], [undefined, { team: 'payments' }]);
    await api.done('alice', 'DELETE', '/v1/plans/gold', { headers: any });
    await api.refused('NOT_FOUND', 'alice', 'GET', '/v1/plans/gold');
  });

  it('are refused where they could not be served, with the place', async () => {
    const wrong = { id: 'gold', limits: [{ requests: 1, unit: 'week' }], consumerSelector: {} };
    const { body } = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/plans', { body: wrong });
    const errors = body['errors'] as readonly { readonly pointer: string }[];
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      ['/consumerSelector', '/limits/0/unit'],
    );
    const taken = { id: 'gold', priority: 10, limits };
    const conflict = await api.refused('CONFLICT', 'alice', 'POST', '/v1/plans', { body: taken });
    assert.match(
      String(conflict.body['detail']),
      /^the plan "payments" has priority 10 already; give this one another/,
    );
    const dangling = { id: 'gold', endpoints: ['nowhere'], limits };
    await api.refused('CONFLICT', 'alice', 'POST', '/v1/plans', { body: dangling });
  });

  it('that list an endpoint are named in a dry run of its deletion, to operators who reach them', async () => {
    await api.done('alice', 'POST', '/v1/plans', { body: { id: 'gold', endpoints: ['stock'], priority: 1, limits } });
    const path = '/v1/endpoints/stock?dryRun=true';
    const { body } = await api.refused('CONFLICT', 'alice', 'DELETE', path, { headers: any });
    const rule = 'the endpoint "stock"; take it out of the plan first. Nothing was changed';
    assert.equal(body['detail'], `the plan "gold" lists ${rule}`);
    const { body: beyond } = await api.refused('CONFLICT', 'petra', 'DELETE', path, { headers: any });
    assert.equal(beyond['detail'], `a plan lists ${rule}`);
  });

  it('of a team are its own, and nothing tells of those of others', async () => {
    assert.deepEqual(namesIn(await api.ask('petra', 'GET', '/v1/plans')), ['payments']);
    const own = { consumerSelector: { team: 'payments', tier: 'gold' }, endpointSelector: { team: 'payments' } };
    await api.done('petra', 'POST', '/v1/plans', { body: { id: 'mine', ...own, priority: 11, limits } });
    await api.done('petra', 'PATCH', '/v1/plans/mine', { body: { priority: 12 }, headers: any });
    const wide = { id: 'wide', consumerSelector: { tier: 'gold' }, priority: 40, limits };
    await api.refused('FORBIDDEN', 'petra', 'POST', '/v1/plans', { body: wide });
    await api.refused('FORBIDDEN', 'paula', 'POST', '/v1/plans', { body: { id: 'x', ...own, limits } });
    const taken = { id: 'other', ...own, priority: 20, limits };
    const conflict = await api.refused('CONFLICT', 'petra', 'POST', '/v1/plans', { body: taken });
    assert.equal(conflict.body['detail'], 'another plan has priority 20 already; give this one another "priority"');
  });

  it('show what was used of them, also in the usage of a consumer', async () => {
    count('orders', 'acme', 4);
    count('stock', 'acme', 3, 24 * 5);
    count('stock', 'acme', 30, 24 * 40);
    count('salaries', 'acme', 9);
    count('salaries', 'initech', 2);
    count('orders', 'globex', 1);
    const use = { plan: 'payments', requests: 10, unit: 'month', until: '2026-10-01T00:00:00Z' };
    const both = [
      { ...use, consumer: 'acme', used: 7 },
      { ...use, consumer: 'globex', used: 1 },
    ];
    for (const who of ['alice', 'petra']) {
      const answer = await api.ask(who, 'GET', '/v1/plans/payments/usage');
      assert.deepEqual(
        itemsOf(answer),
        both.map(({ consumer, used, ...rest }) => ({ ...rest, consumer, used })),
      );
    }
    assert.equal(itemsOf(await api.ask('alice', 'GET', '/v1/plans/payments/usage?limit=1')).length, 1);
    const ofAcme = await api.ask('paula', 'GET', '/v1/usage?consumer=acme');
    assert.deepEqual(ofAcme.body['plans'], [both[0]]);
    const { body } = await api.ask('alice', 'GET', '/v1/usage?consumer=initech');
    assert.deepEqual(body['plans'], [
      { plan: 'people', consumer: 'initech', requests: 4, unit: 'day', used: 2, until: '2026-09-22T00:00:00Z' },
    ]);
    assert.equal((await api.ask('alice', 'GET', '/v1/usage')).body['plans'], undefined);
  });
});
