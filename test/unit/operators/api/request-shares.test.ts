import assert from 'node:assert/strict';
import { throttleLimits } from '../../../../src/base/throttle.ts';
import { MemoryApi } from '../../../support/api/memory-api.ts';

const inTurn = async (count: number, ask: () => Promise<unknown>): Promise<void> => {
  for (let sent = 0; sent < count; sent += 1) await ask();
};

describe('management API: how many requests an address may send', () => {
  let api: MemoryApi;
  let found = 0;
  beforeEach(async () => {
    api = new MemoryApi();
    await api.add('alice', 'admin');
    found = 0;
    const find = api.store.find.bind(api.store);
    api.store.find = async (kind, id) => {
      found += 1;
      return await find(kind, id);
    };
  });

  it('counts requests without a proof, such as images of a web page, apart from those of an operator', async () => {
    const { requests } = throttleLimits;
    await inTurn(requests, async () => await api.refused('UNAUTHENTICATED', null, 'GET', '/v1/consumers'));
    await api.refused('TOO_MANY_REQUESTS', null, 'GET', '/v1/consumers');
    assert.equal(found, 0);
    await inTurn(requests, async () => await api.done('alice', 'GET', '/v1/operators/me'));
    await api.refused('TOO_MANY_REQUESTS', 'alice', 'GET', '/v1/operators/me');
    api.address = '192.0.2.2';
    await api.done('alice', 'GET', '/v1/operators/me');
    await api.refused('UNAUTHENTICATED', null, 'GET', '/v1/consumers');
  });

  it('bounds what needs no operator, and does not ask the store for it', async () => {
    const paths = ['/livez', '/readyz', '/openapi.json'];
    await inTurn(throttleLimits.requests / paths.length, async () => {
      for (const path of paths) assert.equal((await api.send(null, 'GET', path)).status, 200);
    });
    for (const path of paths) {
      const { headers } = await api.refused('TOO_MANY_REQUESTS', null, 'GET', path);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    }
    assert.equal(found, 0);
    await api.done('alice', 'GET', '/v1/operators/me');
    api.now += 60;
    assert.equal((await api.send(null, 'GET', '/readyz')).status, 200);
  });

  it('says on /readyz what was seen last of the store', async () => {
    api.unreadiness = 'MongoDB does not answer';
    const { body, headers } = await api.refused('STORE_UNAVAILABLE', null, 'GET', '/readyz');
    assert.equal(body['detail'], 'MongoDB does not answer');
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal(found, 0);
  });
});
