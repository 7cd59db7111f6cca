import assert from 'node:assert/strict';
import { planNewEndpoint } from '../../../../src/resources/changes/plan-endpoint.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';
import { MemoryApi, namesIn } from '../../../support/api/memory-api.ts';
import { credentialWith } from '../../resources/changes/credentials.ts';

/** More than a page looks at. */
const CONSUMERS = 5600;

function grantedEndpoint(): Endpoint {
  const wish = { 'match.paths': [{ prefix: '/orders' }], authentication: 'hmac', labels: { team: 'payments' } };
  const planned = planNewEndpoint('orders', { ...wish, accessCondition: 'authenticated-and-authorized' }, []);
  assert.ok('changes' in planned && planned.changes[0]?.kind === 'endpoint' && planned.changes[0].after !== null);
  return planned.changes[0].after;
}

/** An endpoint of payments with grants for consumers of another team, and for `zulu`, which is behind all of them. */
async function manyCallers(team: string): Promise<MemoryApi> {
  const ids = Array.from({ length: CONSUMERS }, (_, index) => `c-${String(index).padStart(5, '0')}`);
  const consumers = ids.map((id) => ({ ...consumerDefaults, id, labels: { team } }));
  const holders = [...ids, 'zulu'];
  const api = new MemoryApi({
    endpoints: [grantedEndpoint()],
    consumers: [...consumers, { ...consumerDefaults, id: 'zulu', labels: { team: 'payments' } }],
    credentials: [credentialWith({ id: 'zulu-hmac', consumerId: 'zulu' })],
    grants: holders.map((consumerId) => ({ endpointId: 'orders', consumerId, limits: null, expiresAt: null })),
  });
  await api.add('paula', 'operator', { selector: { team: 'payments' } });
  return api;
}

describe('a page of callers, and one of credentials', () => {
  const lists = [
    ['/v1/endpoints/orders/callers', 'consumer', 'zulu'],
    ['/v1/credentials?endpoint=orders', 'id', 'zulu-hmac'],
    ['/v1/credentials', 'id', 'zulu-hmac'],
  ] as const;

  it('tells nothing of consumers beyond reach, however many are before those within it', async () => {
    const api = await manyCallers('people');
    for (const [path, name, only] of lists) {
      const { grant } = api.store.read;
      const page = await api.ask('paula', 'GET', path);
      assert.deepEqual([namesIn(page, name), page.body['nextCursor']], [[only], null], path);
      // Found by its labels: what others were granted costs next to nothing.
      assert.ok(api.store.read.grant - grant < 1000, `${path}: ${String(api.store.read.grant - grant)}`);
    }
  });

  it('reads little more than it shows, where all are wanted', async () => {
    const api = await manyCallers('payments');
    await api.add('alice', 'admin');
    for (const path of ['/v1/endpoints/orders/callers?allowed=any&limit=10', '/v1/grants?endpoint=orders&limit=10']) {
      const { grant, consumer } = api.store.read;
      const { body } = await api.done('alice', 'GET', path);
      assert.equal((body['items'] as readonly unknown[]).length, 10, path);
      const read = [api.store.read.grant - grant, api.store.read.consumer - consumer];
      assert.ok(
        read.every((count) => count <= 11),
        `${path}: ${read.join(' grants, ')} consumers`,
      );
    }
  });

  it('reads on where none of many within reach is wanted', async () => {
    const api = await manyCallers('payments');
    for (const [path, name, only] of lists) {
      const page = await api.ask('paula', 'GET', path);
      assert.deepEqual(namesIn(page, name), [only], path);
    }
    const none = await api.ask('paula', 'GET', '/v1/credentials?status=revoked');
    assert.deepEqual([none.body['items'], none.body['nextCursor']], [[], null]);
  });
});
