import assert from 'node:assert/strict';
import { type Document } from 'mongodb';
import { type FollowedCollection } from '../../../src/stores/mongodb/feed/follow-collection.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { grant, openEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { acme, empty, hmacCredential, keyRingOf, openStore, type OpenStore, put } from './support.ts';

const GRANTED = 'acme active granted orders';

describe('documents edited by hand into nonsense', () => {
  const database = useDatabase();
  let store: OpenStore;

  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), acme);
    await put(database.db(), {
      endpoints: [openEndpoint({ id: 'all', paths: [{ prefix: '/' }] })],
      grants: [grant({ endpointId: 'stock' })],
    });
    store = openStore(database.uri());
    await store.untilTold('following');
    await store.until('acme active granted orders, stock');
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  async function edit(collection: FollowedCollection, id: string, update: Document): Promise<void> {
    await database
      .db()
      .collection<{ _id: string }>(collection)
      .updateOne({ _id: id }, update, { bypassDocumentValidation: true });
  }

  async function untilOwner(path: string, owner: string | null): Promise<void> {
    await poll(`${path} for ${String(owner)}`, () => Promise.resolve(store.ownerOf(path) === owner ? true : null));
  }

  it('of an endpoint: its requests are refused, others go on, and the place of the fault is reported', async () => {
    await edit('endpoints', 'orders', { $set: { scenario: 'opne' } });
    await untilOwner('/orders', 'refused');
    assert.equal(store.ownerOf('/other'), 'all');
    assert.equal(store.checks.faultCount('endpoints'), 1);
    await store.untilTold(/^faulty endpoints "orders", scenario: "scenario" must be "partner-openapi" or "open"/);
    await edit('endpoints', 'orders', { $set: { scenario: 'partner-openapi' } });
    await untilOwner('/orders', 'orders');
    assert.equal(store.checks.faultCount('endpoints'), 0);
  });

  it('of an endpoint whose match is gone: its former requests are refused', async () => {
    await edit('endpoints', 'orders', { $unset: { match: '' } });
    await untilOwner('/orders', 'refused');
    assert.equal(store.ownerOf('/other'), 'all');
  });

  it('of an endpoint that claims the requests of another: both lose them', async () => {
    await edit('endpoints', 'all', { $set: { match: { paths: [{ prefix: '/orders' }] } } });
    await untilOwner('/orders', 'refused');
    await store.untilTold(/^faulty endpoints "(all|orders)", match: claims the same requests as/);
  });

  it('of a credential: it is refused like a revoked one, and works once it is fixed', async () => {
    for (const nonsense of [
      { $set: { methods: 'hmac' } },
      { $set: { state: 'actve' } },
      { $set: { allowFrom: [] } },
      { $unset: { consumerId: '' } },
      { $set: { consumerId: ['acme'] } },
      { $set: { surplus: 1 } },
      { $set: { 'appSecret.ciphertext': 'AAAA' } },
      { $set: { 'retiringSecret.expiresAt': 7 } },
    ]) {
      await edit('credentials', 'acme-hmac', nonsense);
      await poll(JSON.stringify(nonsense), async () => (/ (revoked|disabled) /.test(await store.ask()) ? true : null));
      assert.equal(store.checks.faultCount('credentials'), 1, JSON.stringify(nonsense));
      await put(database.db(), { credentials: [hmacCredential()] });
      await store.until('acme active granted orders, stock');
      assert.equal(store.checks.faultCount('credentials'), 0);
    }
    assert.equal(store.told.filter((line) => line.startsWith('faulty credentials "acme-hmac"')).length, 8);
  });

  it('of a consumer: it is refused like a disabled one', async () => {
    await edit('consumers', 'acme', { $set: { enabled: 'yes' } });
    await store.until('acme disabled granted orders, stock');
    await store.untilTold('faulty consumers "acme", enabled: "enabled" must be true or false; it is a text');
  });

  it('of a grant: it is as if there were none, and others go on', async () => {
    await edit('grants', 'stock/acme', { $set: { expiresAt: 'never' } });
    await store.until(GRANTED);
    await store.untilTold(/^faulty grants "stock\/acme", expiresAt: /);
    await edit('grants', 'orders/acme', { $set: { endpointId: 'stock' } });
    await store.until('acme active not granted');
  });

  it('of a credential that got the secret of another: it does not open', async () => {
    await put(database.db(), { credentials: [hmacCredential({ id: 'other', appKey: 'other-app-key' })] });
    await store.until('acme active granted orders, stock', 'other-app-key');
    const other = await database.db().collection<{ _id: string }>('credentials').findOne({ _id: 'other' });
    assert.ok(other !== null && 'appSecret' in other);
    await edit('credentials', 'acme-hmac', { $set: { appSecret: other.appSecret } });
    await store.until('acme revoked granted orders, stock');
    await store.untilTold(/^faulty credentials "acme-hmac", appSecret: cannot be opened: /);
    assert.equal(await store.ask('other-app-key'), 'acme active granted orders, stock');
  });

  it('reports a fault once, however often it is met', async () => {
    await edit('consumers', 'acme', { $set: { enabled: 'yes' } });
    await store.until('acme disabled granted orders, stock');
    for (let revision = 2; revision < 5; revision += 1) {
      await edit('grants', 'orders/acme', { $set: { revision } });
      await poll('a look-up', async () => {
        await store.ask();
        return store.checks.cache.counters.reads > revision ? true : null;
      });
    }
    assert.equal(store.told.filter((line) => line.startsWith('faulty')).length, 1);
  });
});

describe('a secret whose key is not in the ring', () => {
  const database = useDatabase();

  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), acme, testKeyRing(1, 2));
    // A ring that opens nothing at all would be the wrong one.
    await put(database.db(), { credentials: [hmacCredential({ id: 'opens', appKey: 'opens-app-key' })] });
  });

  it('is opened once the ring has the key', async () => {
    const keyRing = keyRingOf(testKeyRing(1));
    await using store = openStore(database.uri(), { keyRing });
    await store.checks.ready;
    assert.equal(await store.ask(), 'unavailable');
    await store.untilTold(
      'faulty credentials "acme-hmac", appSecret: cannot be opened: the key ring has no key "test-key-2"',
    );
    keyRing.replace(testKeyRing(1, 2));
    await store.until(GRANTED);
    assert.equal(store.checks.faultCount('credentials'), 0);
  });

  it('keeps no other caller out, however often it is looked up', async () => {
    const other = hmacCredential({ id: 'other', appKey: 'other-app-key', methods: ['key'], appSecret: null });
    await put(database.db(), { credentials: [other] });
    await using store = openStore(database.uri(), { keyRing: keyRingOf(testKeyRing(1)) });
    await store.checks.ready;
    for (let asked = 0; asked < 20; asked += 1) assert.equal(await store.ask(), 'unavailable');
    assert.equal(await store.ask('other-app-key'), GRANTED);
    assert.equal(store.checks.findNotice(), null);
  });
});
