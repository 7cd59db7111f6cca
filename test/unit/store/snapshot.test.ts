import assert from 'node:assert/strict';
import { StoreUnavailable } from '../../../src/store/credential-source.ts';
import { APP_KEY, grant, keyEndpoint, snapshotOf } from '../../support/pipeline/resources.ts';

describe('a snapshot', () => {
  const endpoint = keyEndpoint();
  const both = [grant(), grant({ consumerId: 'other', expiresAt: 1 }), grant({ endpointId: 'stock', limits: [] })];
  const snapshot = snapshotOf({ endpoints: [endpoint], grants: both });

  it('finds endpoints by id and by request', () => {
    assert.equal(snapshot.endpoints.findById('orders'), endpoint);
    assert.equal(snapshot.endpoints.find('any.example', '/orders/1', 'GET'), endpoint);
  });

  it('finds credentials', async () => {
    assert.equal((await snapshot.credentials.findByAppKey(APP_KEY))?.credential.id, 'acme-key');
  });

  it('finds the grant of a consumer on an endpoint, expired ones too', () => {
    assert.equal(snapshot.grants.find('orders', 'acme'), both[0]);
    assert.equal(snapshot.grants.find('orders', 'other'), both[1]);
    assert.equal(snapshot.grants.find('stock', 'acme'), both[2]);
  });

  it('finds no grant that is not there', () => {
    for (const [endpointId, consumerId] of [
      ['stock', 'other'],
      ['acme', 'orders'],
      ['', ''],
      ['__proto__', 'constructor'],
    ] as const) {
      assert.equal(snapshot.grants.find(endpointId, consumerId), null);
    }
  });

  it('of an empty store finds nothing', async () => {
    const empty = snapshotOf({ endpoints: [], consumers: [], credentials: [] });
    assert.equal(empty.endpoints.findById('orders'), null);
    assert.equal(empty.endpoints.find('a', '/', 'GET'), null);
    assert.equal(await empty.credentials.findByAppKey(APP_KEY), null);
    assert.equal(empty.grants.find('orders', 'acme'), null);
  });
});

describe('a store that has no answer', () => {
  it('is a fault of its own kind, with its cause', () => {
    const cause = new Error('no primary');
    const fault = new StoreUnavailable('the store is away', { cause });
    assert.equal(fault.name, 'StoreUnavailable');
    assert.equal(fault.cause, cause);
  });
});
