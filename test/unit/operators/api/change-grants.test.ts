import assert from 'node:assert/strict';
import type { MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

const any = { 'if-match': '*' };

describe('management API: changes of grants', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  it('authorise a consumer, change the grant and remove it', async () => {
    const body = { endpoint: 'orders', consumer: 'globex', expiresAt: '2027-01-01T00:00:00Z' };
    const made = await api.ask('paula', 'POST', '/v1/grants', { body });
    assert.deepEqual(
      [made.status, made.headers.get('location')],
      [201, '/v1/grants/orders/globex'],
      JSON.stringify(made.body),
    );
    assert.deepEqual([made.body['id'], made.body['expiresAt']], ['orders/globex', '2027-01-01T00:00:00Z']);
    const patch = { expiresAt: null, limits: [{ requests: 3, unit: 'hour', per: 'consumer' }] };
    await api.refused('REVISION_REQUIRED', 'paula', 'PATCH', '/v1/grants/orders/globex', { body: patch });
    const headers = { 'if-match': '"1"' };
    const changed = await api.ask('paula', 'PATCH', '/v1/grants/orders/globex', { body: patch, headers });
    assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"']);
    const { limits, expiresAt } = (await api.store.find('grant', 'orders/globex'))?.resource ?? {};
    assert.deepEqual([limits, expiresAt], [patch.limits, null]);
    await api.refused('REVISION_CHANGED', 'paula', 'DELETE', '/v1/grants/orders/globex', { headers });
    const planned = await api.ask('paula', 'DELETE', '/v1/grants/orders/globex?dryRun=true', { headers: any });
    assert.deepEqual([planned.status, planned.body['dryRun']], [200, true]);
    assert.ok((await api.store.find('grant', 'orders/globex')) !== null);
    assert.equal((await api.ask('paula', 'DELETE', '/v1/grants/orders/globex', { headers: any })).status, 200);
    assert.equal(await api.store.find('grant', 'orders/globex'), null);
  });

  it('authorise a group whose labels lie within those of the operator', async () => {
    const own = { endpoint: 'stock', consumerSelector: { team: 'payments', tier: 'gold' }, priority: 5 };
    const made = await api.ask('paula', 'POST', '/v1/grants', { body: own });
    assert.deepEqual(
      [made.status, made.headers.get('location')],
      [201, '/v1/grants/stock/team%3Dpayments%2Ctier%3Dgold'],
      JSON.stringify(made.body),
    );
    const shown = await api.ask('paula', 'GET', String(made.headers.get('location')));
    assert.equal(shown.body['priority'], 5);
    for (const consumerSelector of [{ tier: 'gold' }, { team: 'people' }]) {
      const body = { endpoint: 'stock', consumerSelector };
      const refused = await api.refused('FORBIDDEN', 'paula', 'POST', '/v1/grants', { body });
      assert.equal(refused.body['detail'], 'the consumerSelector must name the labels of the operator: team=payments');
    }
    const path = '/v1/grants/orders/tier=gold';
    await api.refused('FORBIDDEN', 'paula', 'PATCH', path, { body: { priority: 1 }, headers: any });
    await api.refused('FORBIDDEN', 'paula', 'DELETE', path, { headers: any });
    await api.refused('FORBIDDEN', 'paula', 'PUT', `${path}/limits`, { body: { limits: [] }, headers: any });
    await api.refused('FORBIDDEN', 'paula', 'DELETE', `${path}/limits`, { headers: any });
    assert.equal((await api.store.find('grant', 'orders/tier=gold'))?.revision, 1);
  });

  it('refuse a taken priority, a grant that is there, and what is no grant', async () => {
    const group = { endpoint: 'orders', consumerSelector: { team: 'payments' }, priority: 20 };
    const taken = await api.refused('CONFLICT', 'paula', 'POST', '/v1/grants', { body: group });
    assert.equal(
      taken.body['detail'],
      'the grant for team=payments tier=gold on orders has priority 20 already; give this one another "priority", such as 30 to count before all of them',
    );
    const there = { endpoint: 'orders', consumer: 'acme' };
    const twice = await api.refused('CONFLICT', 'paula', 'POST', '/v1/grants', { body: there });
    assert.match(String(twice.body['detail']), /^there is a grant of acme on orders already; edit that one$/);
    for (const [body, pointer] of [
      [{ endpoint: 'stock', consumer: 'acme', priority: 1 }, '/priority'],
      [{ endpoint: 'stock', consumer: 'acme', revision: 7 }, '/revision'],
      [{ endpoint: 'stock' }, ''],
    ] as const) {
      const refused = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/grants', { body });
      assert.deepEqual(
        (refused.body['errors'] as { pointer: string }[]).map((each) => each.pointer),
        [pointer],
      );
    }
  });

  it('need endpoint and consumer within reach, and the role', async () => {
    for (const [target, detail] of [
      [{ endpoint: 'salaries', consumer: 'acme' }, 'there is no endpoint "salaries"'],
      [{ endpoint: 'stock', consumer: 'initech' }, 'there is no consumer "initech"'],
    ] as const) {
      const refused = await api.refused('NOT_FOUND', 'paula', 'POST', '/v1/grants', { body: target });
      assert.equal(refused.body['detail'], detail);
    }
    const body = { endpoint: 'stock', consumer: 'globex' };
    await api.refused('FORBIDDEN', 'victor', 'POST', '/v1/grants', { body });
    for (const id of ['orders/initech', 'salaries/acme', 'salaries/team=people']) {
      const path = `/v1/grants/${id}`;
      await api.refused('NOT_FOUND', 'paula', 'PATCH', path, { body: { expiresAt: null }, headers: any });
      await api.refused('NOT_FOUND', 'paula', 'DELETE', path, { headers: any });
      await api.refused('NOT_FOUND', 'paula', 'GET', `${path}/limits`);
      await api.refused('NOT_FOUND', 'paula', 'PUT', `${path}/limits`, { body: { limits: [] }, headers: any });
      await api.refused('NOT_FOUND', 'paula', 'DELETE', `${path}/limits`, { headers: any });
      assert.equal((await api.store.find('grant', id))?.revision, 1);
    }
  });

  it('never turn a grant, a consumer or an endpoint into another one', async () => {
    for (const patch of [
      { consumer: 'globex' },
      { endpoint: 'stock' },
      { consumerSelector: { a: 'b' } },
      { id: 'x' },
    ]) {
      const asking = { body: patch, headers: any };
      const refused = await api.refused('INVALID_RESOURCE', 'alice', 'PATCH', '/v1/grants/orders/acme', asking);
      assert.deepEqual(refused.body['errors'], [
        {
          pointer: `/${Object.keys(patch).join('')}`,
          detail: `"${Object.keys(patch).join('')}" names the resource and does not change`,
        },
      ]);
    }
    const asking = { body: { id: 'initech', name: 'mine' }, headers: any };
    await api.refused('INVALID_RESOURCE', 'paula', 'PATCH', '/v1/consumers/acme', asking);
    await api.refused('INVALID_RESOURCE', 'petra', 'PATCH', '/v1/endpoints/orders', {
      ...asking,
      body: { id: 'salaries' },
    });
    assert.equal((await api.store.find('consumer', 'initech'))?.resource.name, null);
  });

  it('go with an endpoint, and name no consumer beyond reach', async () => {
    const answer = await api.ask('petra', 'DELETE', '/v1/endpoints/orders', { headers: any });
    assert.deepEqual([answer.status, answer.body['beyondReach']], [200, 1], JSON.stringify(answer.body));
    assert.ok(!JSON.stringify(answer.body).includes('initech'));
    assert.equal(await api.store.find('grant', 'orders/initech'), null);
  });

  it('keep a consumer that has one on an endpoint beyond reach', async () => {
    const refused = await api.refused('CONFLICT', 'paula', 'DELETE', '/v1/consumers/acme', { headers: any });
    assert.equal(
      refused.body['detail'],
      'a grant on an endpoint beyond reach would go with it; it has to be removed first',
    );
    assert.ok((await api.store.find('consumer', 'acme')) !== null);
    assert.equal((await api.ask('paula', 'DELETE', '/v1/consumers/globex', { headers: any })).status, 200);
  });
});

describe('management API: limits', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  const limits = [{ requests: 7, unit: 'day', per: 'endpoint' }];

  it('of an endpoint are shown, set and removed', async () => {
    const path = '/v1/endpoints/orders/limits';
    const shown = await api.ask('paula', 'GET', path);
    assert.deepEqual(shown.body, { limits: [{ requests: 5, unit: 'minute', per: 'consumer' }] });
    await api.refused('FORBIDDEN', 'paula', 'PUT', path, { body: { limits }, headers: any });
    await api.refused('REVISION_REQUIRED', 'petra', 'PUT', path, { body: { limits } });
    const set = await api.ask('petra', 'PUT', path, { body: { limits }, headers: { 'if-match': '"1"' } });
    assert.deepEqual([set.status, set.headers.get('etag')], [200, '"2"'], JSON.stringify(set.body));
    assert.deepEqual((await api.store.find('endpoint', 'orders'))?.resource.limits, limits);
    const planned = await api.ask('petra', 'DELETE', `${path}?dryRun=true`, { headers: any });
    assert.deepEqual([planned.body['dryRun'], planned.headers.get('etag')], [true, '"2"']);
    assert.equal((await api.ask('petra', 'DELETE', path, { headers: any })).status, 200);
    assert.deepEqual((await api.ask('petra', 'GET', path)).body, { limits: [] });
    await api.refused('NOT_FOUND', 'petra', 'GET', '/v1/endpoints/salaries/limits');
    await api.refused('NOT_FOUND', 'petra', 'PUT', '/v1/endpoints/salaries/limits', { body: { limits }, headers: any });
    await api.refused('NOT_FOUND', 'petra', 'DELETE', '/v1/endpoints/salaries/limits', { headers: any });
  });

  it('of a grant are shown, set and removed', async () => {
    const path = '/v1/grants/orders/acme/limits';
    assert.deepEqual((await api.ask('paula', 'GET', path)).body, {
      limits: [{ requests: 9, unit: 'second', per: 'consumer' }],
    });
    assert.equal((await api.ask('paula', 'PUT', path, { body: { limits: [] }, headers: any })).status, 200);
    assert.deepEqual((await api.ask('paula', 'GET', path)).body, { limits: [] });
    assert.equal((await api.ask('paula', 'DELETE', path, { headers: any })).status, 200);
    assert.deepEqual((await api.ask('paula', 'GET', path)).body, { limits: null });
    await api.refused('FORBIDDEN', 'victor', 'PUT', path, { body: { limits: [] }, headers: any });
    await api.refused('REVISION_REQUIRED', 'paula', 'DELETE', path);
  });

  it('are refused by the place of each fault', async () => {
    const refusedAt = async (path: string, wrong: unknown): Promise<unknown> => {
      const asking = { body: { limits: wrong }, headers: any };
      const { body } = await api.refused('INVALID_RESOURCE', 'alice', 'PUT', path, asking);
      return (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);
    };
    const twice = [...limits, { requests: 0, unit: 'day', per: 'endpoint' }];
    assert.deepEqual(await refusedAt('/v1/endpoints/orders/limits', twice), ['/limits/1/requests']);
    assert.deepEqual(await refusedAt('/v1/grants/orders/acme/limits', limits), ['/limits/0/per']);
    const more = { body: { limits, enabled: false }, headers: any };
    await api.refused('MALFORMED_REQUEST', 'alice', 'PUT', '/v1/endpoints/orders/limits', more);
  });
});
