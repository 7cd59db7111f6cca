import assert from 'node:assert/strict';
import { type Document, MongoClient, MongoServerError } from 'mongodb';
import { authorize } from '../../../src/check/authorize/authorize.ts';
import { vouchFor, unchanged } from '../../../src/check/methods/authenticated.ts';
import { isRefusal } from '../../../src/check/refusal.ts';
import type { Routed } from '../../../src/check/route/route.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { applyCollections } from '../../../src/stores/mongodb/schema/differences.ts';
import { consumer, keyEndpoint, plan } from '../../support/pipeline/resources.ts';
import { standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { empty, HMAC_APP_KEY, hmacCredential, openStore, type OpenStore, put, type Seed } from './support.ts';

const goldAcme = consumer({ labels: { tier: 'gold' } });
const orders = keyEndpoint({ labels: { team: 'sales' } });
const stock = keyEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }] });
const gold = plan({ endpointSelector: { team: 'sales' }, limits: [{ requests: 100, unit: 'day' }] });
const seed: Seed = { endpoints: [orders, stock], consumers: [goldAcme], credentials: [hmacCredential()] };
const NONE = 'no plan';

/** The plan that a check of `acme` on an endpoint would count, with its limits. */
async function decide(store: OpenStore, endpointId = 'orders'): Promise<string> {
  const catalog = store.checks.current();
  const held = await catalog.credentials.findByAppKey(HMAC_APP_KEY);
  const endpoint = catalog.endpoints.findById(endpointId);
  assert.ok(held !== null && endpoint !== null);
  const routed = { endpoint, catalog } as unknown as Routed;
  const permit = authorize(vouchFor(routed, held, unchanged), systemClock.nowSeconds());
  assert.ok(!isRefusal(permit));
  if (permit.plan === null) return NONE;
  const limits = permit.plan.limits.map(({ requests, unit, per }) => `${String(requests)}/${unit}/${per}`);
  return `${permit.plan.id} ${limits.join(', ')}`;
}

async function until(store: OpenStore, expected: string, endpointId?: string): Promise<void> {
  await poll(`the decision "${expected}"`, async () => ((await decide(store, endpointId)) === expected ? true : null));
}

describe('plans in MongoDB', () => {
  const database = useDatabase();
  let store: OpenStore;

  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), { ...seed, plans: [gold] });
    store = openStore(database.uri());
    await store.checks.ready;
    await store.untilTold('following');
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  const edit = async (id: string, update: Document): Promise<void> => {
    const plans = database.db().collection<{ _id: string }>('plans');
    await plans.updateOne({ _id: id }, update, { bypassDocumentValidation: true });
  };
  const remove = async (id: string): Promise<void> => {
    await database.db().collection<{ _id: string }>('plans').deleteOne({ _id: id });
  };

  it('decide from the start, on the endpoints that they select', async () => {
    assert.equal(await decide(store), 'gold 100/day/plan');
    assert.equal(await decide(store, 'stock'), NONE);
  });

  it('take effect when they are made, edited and deleted, within a second', async () => {
    await edit('gold', { $set: { limits: [{ requests: 8, unit: 'month' }] } });
    await until(store, 'gold 8/month/plan');
    const startMs = performance.now();
    await remove('gold');
    await until(store, NONE);
    assert.ok(performance.now() - startMs < 1000);
    await put(database.db(), { plans: [plan({ id: 'all', consumerSelector: {}, endpointIds: ['stock'] })] });
    await until(store, 'all 2/day/plan', 'stock');
    assert.equal(await decide(store), NONE);
    assert.ok(store.checks.changeCount('plans') >= 3);
  });

  it('count by their priority', async () => {
    await put(database.db(), { plans: [plan({ id: 'any', consumerSelector: {}, priority: -1 })] });
    await until(store, 'any 2/day/plan', 'stock');
    assert.equal(await decide(store), 'gold 100/day/plan');
    await edit('any', { $set: { priority: 1 } });
    await until(store, 'any 2/day/plan');
  });

  it('cover consumers and endpoints as their labels change', async () => {
    await put(database.db(), { consumers: [consumer({ labels: { tier: 'silver' } })] });
    await until(store, NONE);
    await put(database.db(), { consumers: [goldAcme] });
    await until(store, 'gold 100/day/plan');
    await put(database.db(), { endpoints: [{ ...orders, labels: {} }] });
    await until(store, NONE);
    await put(database.db(), { endpoints: [orders, { ...stock, labels: { team: 'sales', x: 'y' } }] });
    await until(store, 'gold 100/day/plan', 'stock');
  });

  it('count as absent while they are faulty, and are reported', async () => {
    await edit('gold', { $set: { limits: [] } });
    await until(store, NONE);
    await store.untilTold(/^faulty plans "gold", limits: "limits" is empty/);
    assert.equal(store.checks.faultCount('plans'), 1);
    await edit('gold', { $set: { limits: [{ requests: 1, unit: 'day' }] } });
    await until(store, 'gold 1/day/plan');
    assert.equal(store.checks.faultCount('plans'), 0);
  });

  it('with the same priority, which only a hand without the index makes, count by their ids', async () => {
    const plans = database.db().collection('plans');
    const same = plan({ id: 'bronze', limits: [{ requests: 3, unit: 'day' }] });
    await assert.rejects(put(database.db(), { plans: [same] }), (error) => {
      assert.ok(error instanceof MongoServerError);
      assert.equal(error.code, 11000);
      return true;
    });
    await plans.dropIndex('priority_1');
    await put(database.db(), { plans: [same] });
    await until(store, 'bronze 3/day/plan');
    await store.untilTold(/^faulty plans "gold", priority: is that of the plan "bronze" too/);
    await remove('bronze');
    await until(store, 'gold 100/day/plan');
    await applyCollections(database.db());
  });

  it('are refused by the database itself where they could not be read', async () => {
    const plans = database.db().collection<{ _id: string }>('plans');
    const { _id, ...valid } = (await plans.findOne({ _id: 'gold' })) as unknown as Document;
    assert.equal(_id, 'gold');
    for (const document of [
      { ...valid, priority: undefined },
      { ...valid, priority: 1, consumerSelector: {} },
      { ...valid, priority: 1, endpoints: [] },
      { ...valid, priority: 1, limits: [{ requests: 1, unit: 'week' }] },
      { ...valid, priority: 1, enabled: true },
    ]) {
      const other = { ...document, _id: 'other' };
      await assert.rejects(plans.insertOne(other, { ignoreUndefined: true }), (error) => {
        assert.ok(error instanceof MongoServerError);
        assert.equal(error.code, 121);
        return true;
      });
    }
  });
});

describe('plans on a stand-alone MongoDB', function () {
  this.timeout(60_000);

  it('are polled', async () => {
    const uri = await standAloneDatabase();
    await using client = new MongoClient(uri);
    await empty(client.db());
    await put(client.db(), { ...seed, plans: [gold] });
    await using store = openStore(uri, { pollIntervalMs: 50 });
    await store.untilTold('polling');
    assert.equal(await decide(store), 'gold 100/day/plan');
    await put(client.db(), { plans: [{ ...gold, limits: [{ requests: 7, unit: 'hour' }] }] });
    await until(store, 'gold 7/hour/plan');
    await client.db().collection<{ _id: string }>('plans').deleteOne({ _id: 'gold' });
    await until(store, NONE);
    assert.deepEqual(store.defects, []);
  });
});
