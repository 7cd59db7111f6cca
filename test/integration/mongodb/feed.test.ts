import assert from 'node:assert/strict';
import { MongoClient } from 'mongodb';
import { consumer, grant, keyEndpoint, openEndpoint } from '../../support/pipeline/resources.ts';
import { standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { acme, APP_SECRET, empty, hmacCredential, openStore, type OpenStore, put } from './support.ts';
import { secretsOf } from '../../support/store/secrets.ts';

describe('following MongoDB', () => {
  const database = useDatabase();
  let store: OpenStore;

  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), acme);
    store = openStore(database.uri());
    await store.checks.ready;
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  it('has the state of the database at start', async () => {
    assert.equal(store.ownerOf('/orders/1'), 'orders');
    assert.equal(await store.ask(), 'acme active granted orders');
    assert.equal(await store.ask('nobody'), 'unknown');
    const held = await store.checks.current().credentials.findByAppKey('acme-hmac-app-key');
    assert.equal(secretsOf(held?.credential).appSecret?.reveal().toString(), APP_SECRET);
  });

  it('takes an endpoint that is made, edited, disabled, deleted', async () => {
    const until = async (owner: string | null, path: string): Promise<void> => {
      await poll(`${path} for ${String(owner)}`, () => Promise.resolve(store.ownerOf(path) === owner ? true : null));
    };
    await put(database.db(), { endpoints: [openEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }] })] });
    await until('stock', '/stock');
    await put(database.db(), { endpoints: [openEndpoint({ id: 'stock', paths: [{ prefix: '/store' }] })] });
    await until('stock', '/store');
    assert.equal(store.ownerOf('/stock'), null);
    await put(database.db(), { endpoints: [keyEndpoint({ enabled: false })] });
    await until('refused', '/orders');
    await database.db().collection<{ _id: string }>('endpoints').deleteOne({ _id: 'orders' });
    await until(null, '/orders');
  });

  it('takes a credential that is revoked, deleted, made again', async () => {
    assert.equal(await store.ask(), 'acme active granted orders');
    await put(database.db(), { credentials: [hmacCredential({ state: 'revoked' })] });
    await store.until('acme revoked granted orders');
    await database.db().collection<{ _id: string }>('credentials').deleteOne({ _id: 'acme-hmac' });
    await store.until('unknown');
    await put(database.db(), { credentials: [hmacCredential()] });
    await store.until('acme active granted orders');
  });

  it('takes a consumer that is disabled, deleted, made again', async () => {
    assert.equal(await store.ask(), 'acme active granted orders');
    await put(database.db(), { consumers: [consumer({ enabled: false })] });
    await store.until('acme disabled granted orders');
    await put(database.db(), { consumers: [consumer()] });
    await store.until('acme active granted orders');
    await database.db().collection<{ _id: string }>('consumers').deleteOne({ _id: 'acme' });
    await store.until('acme disabled granted orders');
    await store.untilTold('faulty credentials "acme-hmac", consumerId: there is no consumer "acme"');
    await put(database.db(), { consumers: [consumer()] });
    await store.until('acme active granted orders');
    assert.equal(store.checks.faultCount('credentials'), 0);
  });

  it('takes a grant that is added and removed', async () => {
    assert.equal(await store.ask(), 'acme active granted orders');
    await put(database.db(), { grants: [grant({ endpointId: 'stock' })] });
    await store.until('acme active granted orders, stock');
    await database.db().collection<{ _id: string }>('grants').deleteOne({ _id: 'orders/acme' });
    await store.until('acme active granted stock');
  });

  it('keeps the last state of a database that is dropped, until it is there again', async () => {
    await store.untilTold('following');
    assert.equal(await store.ask(), 'acme active granted orders');
    await database.db().dropDatabase();
    await store.untilTold('missed changes');
    await store.untilTold('down schema');
    assert.equal(store.ownerOf('/orders'), 'orders');
    assert.equal(await store.ask(), 'acme active granted orders');
    assert.equal(await store.ask('somebody-else'), 'unavailable');
    await empty(database.db());
    await put(database.db(), { ...acme, endpoints: [], grants: [] });
    await store.until('acme active not granted');
    await poll('no endpoints', () => Promise.resolve(store.ownerOf('/orders') === null ? true : null));
    await store.untilTold('up');
  });

  it('reaches every replica', async () => {
    await using other = openStore(database.uri());
    await other.checks.ready;
    for (const each of [store, other]) assert.equal(await each.ask(), 'acme active granted orders');
    await put(database.db(), { credentials: [hmacCredential({ state: 'revoked' })] });
    for (const each of [store, other]) await each.until('acme revoked granted orders');
  });

  it('takes ten thousand changes, and lets checks go on', async () => {
    await store.untilTold('following');
    assert.equal(await store.ask(), 'acme active granted orders');
    const many = Array.from({ length: 10_000 }, (_, index) => ({ _id: `consumer-${String(index)}`, enabled: true }));
    const inserted = database
      .db()
      .collection<{ _id: string }>('consumers')
      .insertMany(many, { bypassDocumentValidation: true });
    let answers = 0;
    await poll('all changes', async () => {
      assert.equal(await store.ask(), 'acme active granted orders');
      answers += 1;
      return store.checks.changeCount('consumers') >= many.length ? true : null;
    });
    await inserted;
    assert.ok(answers > 1);
  });

  it('leaves nothing behind when it is disposed', async () => {
    await store.untilTold('following');
    await store[Symbol.asyncDispose]();
    const count = store.told.length;
    await put(database.db(), { endpoints: [keyEndpoint({ enabled: false })] });
    assert.equal(store.told.length, count);
    assert.equal(await store.ask('nobody'), 'unavailable');
  });
});

describe('a stand-alone MongoDB', function () {
  this.timeout(60_000);

  it('is polled: endpoints and credentials take changes in a few seconds', async () => {
    const uri = await standAloneDatabase();
    await using client = new MongoClient(uri);
    const db = client.db();
    await empty(db);
    await put(db, acme);
    await using store = openStore(uri, { pollIntervalMs: 50 });
    await store.untilTold('polling');
    assert.equal(store.ownerOf('/orders'), 'orders');
    assert.equal(await store.ask(), 'acme active granted orders');
    await db.collection<{ _id: string }>('endpoints').updateOne({ _id: 'orders' }, { $set: { enabled: false } });
    await poll('the disabled endpoint', () => Promise.resolve(store.ownerOf('/orders') === 'refused' ? true : null));
    await put(db, { credentials: [hmacCredential({ state: 'revoked' })] });
    await store.until('acme revoked granted orders');
    assert.deepEqual(
      store.told.filter((line) => !line.startsWith('loaded')),
      ['polling'],
    );
    assert.deepEqual(store.defects, []);
  });
});
