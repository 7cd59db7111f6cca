import assert from 'node:assert/strict';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { APP_KEY, grant, keyEndpoint, catalogOf } from '../../support/pipeline/resources.ts';

describe('a catalog', () => {
  const endpoint = keyEndpoint();
  const both = [grant(), grant({ consumerId: 'other', expiresAt: 1 }), grant({ endpointId: 'stock', limits: [] })];
  const catalog = catalogOf({ endpoints: [endpoint], grants: both });

  it('finds endpoints by id and by request', () => {
    assert.equal(catalog.endpoints.findById('orders'), endpoint);
    assert.equal(catalog.endpoints.find('any.example', '/orders/1', 'GET'), endpoint);
  });

  it('finds credentials', async () => {
    assert.equal((await catalog.credentials.findByAppKey(APP_KEY))?.credential.id, 'acme-key');
  });

  it('finds the grants of a consumer with the credential, expired ones too', async () => {
    const held = await catalog.credentials.findByAppKey(APP_KEY);
    assert.deepEqual(
      [...(held?.grants ?? [])],
      [
        ['orders', both[0]],
        ['stock', both[2]],
      ],
    );
  });

  it('finds no grant that is not there', async () => {
    const held = await catalogOf().credentials.findByAppKey(APP_KEY);
    assert.equal(held?.grants.size, 0);
  });

  it('of an empty store finds nothing', async () => {
    const empty = catalogOf({ endpoints: [], consumers: [], credentials: [] });
    assert.equal(empty.endpoints.findById('orders'), null);
    assert.equal(empty.endpoints.find('a', '/', 'GET'), null);
    assert.equal(await empty.credentials.findByAppKey(APP_KEY), null);
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
