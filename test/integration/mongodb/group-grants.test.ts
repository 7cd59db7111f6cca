import assert from 'node:assert/strict';
import { type Document, MongoClient, MongoServerError } from 'mongodb';
import { authorize } from '../../../src/check/authorize/authorize.ts';
import { vouchFor, unchanged } from '../../../src/check/methods/authenticated.ts';
import type { GroupGrant } from '../../../src/model/grant.ts';
import { isRefusal } from '../../../src/check/refusal.ts';
import type { Routed } from '../../../src/check/route/route.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { applyCollections } from '../../../src/stores/mongodb/schema/differences.ts';
import { forGroups } from '../../../src/stores/mongodb/documents.ts';
import { consumer, grant, groupGrant, keyEndpoint, limit } from '../../support/pipeline/resources.ts';
import { borrowReplicaSet, standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { acme, empty, HMAC_APP_KEY, hmacCredential, openStore, type OpenStore, put, type Seed } from './support.ts';

const endpoint = keyEndpoint({ accessCondition: 'authenticated-and-authorized', limits: [limit('5/hour/consumer')] });
const goldAcme = consumer({ labels: { tier: 'gold' } });
const gold = groupGrant({ priority: 10, limits: [limit('100/minute/consumer')] });
const seed: Seed = { endpoints: [endpoint], consumers: [goldAcme], credentials: [hmacCredential()] };

/** What a check would decide for `acme` on `orders`: its limits, or the reason of the refusal. */
async function decide(store: OpenStore): Promise<string> {
  const catalog = store.checks.current();
  const held = await catalog.credentials.findByAppKey(HMAC_APP_KEY);
  const found = catalog.endpoints.findById('orders');
  assert.ok(held !== null && found !== null);
  const routed = { endpoint: found, catalog } as unknown as Routed;
  const permit = authorize(vouchFor(routed, held, unchanged), systemClock.nowSeconds());
  if (isRefusal(permit)) return permit.detail;
  return permit.limits.map(({ requests, unit }) => `${String(requests)}/${unit}`).join(', ');
}

async function until(store: OpenStore, expected: string): Promise<void> {
  await poll(`the decision "${expected}"`, async () => ((await decide(store)) === expected ? true : null));
}

const NO_GRANT = 'the consumer acme has no grant';

describe('grants for groups in MongoDB', () => {
  const database = useDatabase();
  let store: OpenStore;

  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), { ...seed, grants: [gold] });
    store = openStore(database.uri());
    await store.checks.ready;
    await store.untilTold('following');
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  const edit = async (id: string, update: Document): Promise<void> => {
    const grants = database.db().collection<{ _id: string }>('grants');
    await grants.updateOne({ _id: id }, update, { bypassDocumentValidation: true });
  };
  const remove = async (id: string): Promise<void> => {
    await database.db().collection<{ _id: string }>('grants').deleteOne({ _id: id });
  };

  it('decide from the start', async () => {
    assert.equal(await decide(store), '100/minute');
  });

  it('take effect when they are made, edited and deleted, within a second', async () => {
    const region = groupGrant({ consumerSelector: { tier: 'gold' }, endpointId: 'stock' });
    await put(database.db(), { grants: [region, { ...gold, limits: [limit('7/day/consumer')] }] });
    await until(store, '7/day');
    await edit('orders/tier=gold', { $set: { limits: [{ requests: 8, unit: 'day', per: 'consumer' }] } });
    await until(store, '8/day');
    const startMs = performance.now();
    await remove('orders/tier=gold');
    await until(store, NO_GRANT);
    assert.ok(performance.now() - startMs < 1000);
    await put(database.db(), { grants: [gold] });
    await until(store, '100/minute');
  });

  it('count by their priority, after the own grant', async () => {
    const eu = groupGrant({ consumerSelector: { region: 'eu' }, priority: 20, limits: [limit('20/day/consumer')] });
    await put(database.db(), { grants: [eu], consumers: [consumer({ labels: { tier: 'gold', region: 'eu' } })] });
    await until(store, '20/day');
    await edit('orders/tier=gold', { $set: { priority: 30 } });
    await until(store, '100/minute');
    await put(database.db(), { grants: [grant({ limits: [limit('1/day/consumer')] })] });
    await until(store, '1/day');
    await remove('orders/acme');
    await until(store, '100/minute');
  });

  it('fit a consumer as its labels change', async () => {
    await put(database.db(), { consumers: [consumer({ labels: { tier: 'silver' } })] });
    await until(store, NO_GRANT);
    await put(database.db(), { consumers: [goldAcme] });
    await until(store, '100/minute');
  });

  it('take the limits of the endpoint as it is now', async () => {
    await put(database.db(), { grants: [{ ...gold, limits: null }] });
    await until(store, '5/hour');
    await put(database.db(), { endpoints: [{ ...endpoint, limits: [limit('6/hour/consumer')] }] });
    await until(store, '6/hour');
  });

  it('count as absent while they are faulty, and are reported', async () => {
    for (const [update, message, fix] of [
      [{ $set: { priority: 'high' } }, /^faulty grants "orders\/tier=gold", priority: /, { $set: { priority: 10 } }],
      [{ $set: { consumerSelector: {} } }, /consumerSelector: "consumerSelector" must name/, undefined],
      [{ $set: { 'consumerSelector.region': 'eu' } }, /_id: must be "endpointId\/name=value,…"/, undefined],
      [{ $set: { consumerId: 'acme' } }, /consumerSelector: a grant is for one/, { $unset: { consumerId: 1 } }],
    ] as const) {
      await edit('orders/tier=gold', update);
      await until(store, NO_GRANT);
      await store.untilTold(message);
      assert.equal(store.checks.faultCount('grants'), 1);
      await edit('orders/tier=gold', fix ?? { $set: { consumerSelector: { tier: 'gold' } } });
      await until(store, '100/minute');
      assert.equal(store.checks.faultCount('grants'), 0);
    }
  });

  it('become those of a consumer, and back, by hand', async () => {
    await edit('orders/tier=gold', { $unset: { consumerSelector: 1, priority: 1 } });
    await until(store, NO_GRANT);
    await edit('orders/tier=gold', { $set: { consumerSelector: { tier: 'gold' }, priority: 10 } });
    await until(store, '100/minute');
  });

  it('neither count with the same priority, which only a hand without the index makes', async () => {
    const grants = database.db().collection('grants');
    const same = groupGrant({ consumerSelector: { tier: 'silver' }, priority: 10 });
    await assert.rejects(put(database.db(), { grants: [same] }), (error) => {
      assert.ok(error instanceof MongoServerError);
      assert.equal(error.code, 11000);
      return true;
    });
    await grants.dropIndex('endpointId_1_priority_1');
    await put(database.db(), { grants: [same] });
    await until(store, NO_GRANT);
    await store.untilTold(/^faulty grants "orders\/tier=\w+", priority: is that of the grant "orders\/tier=\w+" too/);
    await remove('orders/tier=silver');
    await until(store, '100/minute');
    await applyCollections(database.db());
  });

  it('are no grants of a credential that belongs to no consumer', async () => {
    const credentials = database.db().collection<{ _id: string }>('credentials');
    const unset = { $unset: { consumerId: 1 } } as const;
    await credentials.updateOne({ _id: 'acme-hmac' }, unset, { bypassDocumentValidation: true });
    await poll('the faulty credential', async () => (/disabled not granted$/.test(await store.ask()) ? true : null));
  });

  it('are refused by the database itself where they could not be read', async () => {
    const grants = database.db().collection<{ _id: string }>('grants');
    const valid = await grants.findOne({ _id: 'orders/tier=gold' });
    assert.ok(valid !== null);
    const { consumerSelector, priority, ...rest } = valid as unknown as GroupGrant & { _id: string };
    const others = [
      rest,
      { ...rest, consumerSelector },
      { ...rest, priority, consumerId: 'acme' },
      { ...rest, priority, consumerSelector: {} },
      { ...rest, priority, consumerSelector: { tier: 1 } },
      { ...rest, priority, consumerSelector, consumerId: 'acme' },
    ];
    for (const document of others) {
      await assert.rejects(grants.insertOne({ ...document, _id: 'orders/other' }), (error) => {
        assert.ok(error instanceof MongoServerError);
        assert.equal(error.code, 121);
        return true;
      });
    }
  });

  it('are found without a look at the others', async () => {
    const grants = database.db().collection<{ _id: string }>('grants');
    const common = { endpointId: 'orders', revision: 1, createdAt: new Date(0), updatedAt: new Date(0) };
    const many = Array.from({ length: 2000 }, (_, at) => ({
      ...common,
      ...{ _id: `orders/partner-${String(at)}`, consumerId: `partner-${String(at)}` },
    }));
    await grants.insertMany(many);
    for (const options of [{}, { sort: { _id: 1 } as const }]) {
      const plan = await grants.find(forGroups, options).explain('executionStats');
      const { totalDocsExamined } = (plan as { executionStats: { totalDocsExamined: number } }).executionStats;
      assert.ok(totalDocsExamined < 10, `${String(totalDocsExamined)} documents were read`);
    }
  });
});

describe('grants for groups of a database that is down', function () {
  this.timeout(60_000);

  it('stay in force as they were read', async () => {
    await using set = await borrowReplicaSet();
    const uri = set.uri('postern');
    await using client = new MongoClient(uri);
    await empty(client.db());
    await put(client.db(), { ...seed, grants: [gold] });
    await using store = openStore(uri);
    await store.untilTold('following');
    assert.equal(await decide(store), '100/minute');
    const [server] = set.members;
    await server?.kill();
    await store.untilTold('down unreachable');
    assert.equal(await decide(store), '100/minute');
    await server?.restart();
    await store.untilTold('up');
    await client.db().collection<{ _id: string }>('grants').deleteOne({ _id: 'orders/tier=gold' });
    await until(store, NO_GRANT);
  });
});

describe('grants for groups on a stand-alone MongoDB', function () {
  this.timeout(60_000);

  it('are polled', async () => {
    const uri = await standAloneDatabase();
    await using client = new MongoClient(uri);
    await empty(client.db());
    await put(client.db(), { ...acme, ...seed, grants: [gold] });
    await using store = openStore(uri, { pollIntervalMs: 50 });
    await store.untilTold('polling');
    assert.equal(await decide(store), '100/minute');
    await put(client.db(), { grants: [{ ...gold, limits: [limit('7/day/consumer')] }] });
    await until(store, '7/day');
    await client.db().collection<{ _id: string }>('grants').deleteOne({ _id: 'orders/tier=gold' });
    await until(store, NO_GRANT);
    assert.deepEqual(store.defects, []);
  });
});
