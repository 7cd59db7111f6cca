import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { BSON, type Db, type Document } from 'mongodb';
import { systemClock } from '../../../src/base/clock.ts';
import type { Sealer } from '../../../src/model/keyring/sealed.ts';
import type { Change } from '../../../src/resources/changes/change.ts';
import { grantId } from '../../../src/resources/grant.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../../src/resources/resource.ts';
import { Conflict, type ResourceStore } from '../../../src/resources/changes/resource-store.ts';
import { Secret } from '../../../src/model/secret.ts';
import { collections } from '../../../src/stores/mongodb/schema/collections.ts';
import { MongodbUnavailable, type UnavailableReason } from '../../../src/stores/mongodb/faults.ts';
import { describeFault } from '../../../src/stores/mongodb/mapping/document-fault.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { openMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { MAX_CHANGES_PER_COMMIT } from '../../../src/model/bounds.ts';
import { MongoResourceStore, type MongoResourceStorePorts } from '../../../src/stores/mongodb/resource-store.ts';
import { createUsageSource } from '../../../src/stores/mongodb/usage.ts';
import { APP_SECRET, creation, managed, OTHER_SECRET } from '../../conformance/resource-store.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { borrowReplicaSet, standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { consumer, grant, keyEndpoint } from '../../support/pipeline/resources.ts';
import { secretsOf, materialWith } from '../../support/store/secrets.ts';

type Anything = { _id: string } & Document;

const operation = { actor: 'ada', action: 'test' };

describe('the resource store on MongoDB', () => {
  const { db, uri, failPoint } = useDatabase();
  const faults: string[] = [];

  beforeEach(async () => {
    await ensureSchema(db());
    await emptyCollections(db());
    faults.length = 0;
  });

  function storeOn(
    database: Db,
    sealer: Sealer | null = testKeyRing(),
    more: Partial<MongoResourceStorePorts> = {},
  ): MongoResourceStore {
    const onFault = (fault: Parameters<typeof describeFault>[0]): void => void faults.push(describeFault(fault));
    return new MongoResourceStore({ db: database, sealer, clock: systemClock, onFault, ...more });
  }

  const whole = (): Change[] => [
    creation('endpoint', keyEndpoint()),
    creation('consumer', consumer()),
    creation('credential', managed()),
    creation('grant', grant()),
  ];

  const insertRaw = async (collection: string, document: Anything): Promise<void> => {
    await db().collection<Anything>(collection).insertOne(document, { bypassDocumentValidation: true });
  };

  it('lists credentials with their secrets as they are stored, where none is looked at', async () => {
    const store = storeOn(db());
    await store.commit(whole(), operation);
    for await (const { resource } of store.list('credential', { isSealed: true })) {
      const { appSecret } = secretsOf(resource);
      assert.throws(() => appSecret?.reveal(), /opens no secrets/);
    }
    for await (const { resource } of store.list('credential')) {
      assert.equal(secretsOf(resource).appSecret?.reveal().toString(), APP_SECRET);
    }
  });

  describe('on an empty database', () => {
    beforeEach(async () => {
      await db().dropDatabase();
    });

    it('finds nothing, makes nothing, and makes the schema with the first change', async () => {
      const store = storeOn(db());
      assert.equal(await store.find('consumer', 'acme'), null);
      assert.deepEqual(await idsOf(store, 'endpoint'), []);
      assert.deepEqual(await db().listCollections().toArray(), []);
      assert.equal(await store.commit(whole(), operation), 1);
      assert.ok(await store.find('grant', 'orders/acme'));
    });

    it('neither reads nor changes what a newer or older version made', async () => {
      for (const version of [1, 99]) {
        await insertRaw('meta', { _id: 'schema', version });
        const store = storeOn(db());
        await assertUnavailable(store.find('consumer', 'acme'), 'schema');
        await assertUnavailable(idsOf(store, 'consumer'), 'schema');
        if (version === 99) await assertUnavailable(store.commit(whole(), operation), 'schema');
        await db().dropDatabase();
      }
    });
  });

  it('refuses to change a stand-alone server, and says what to do', async () => {
    await using store = openMongoStore(await standAloneDatabase(), {
      ...{ sealer: testKeyRing(), clock: systemClock, onFault: (fault) => assert.fail(describeFault(fault)) },
    });
    await ensureSchema(store.db);
    assert.equal(await store.resources.find('consumer', 'acme'), null);
    await assertUnavailable(store.resources.commit(whole(), operation), 'stand-alone', /make it a replica set of one/);
    assert.equal(await store.db.collection('consumers').countDocuments(), 0);
  });

  it('reads without a key ring what is no secret, changes what needs none, and seals nothing', async () => {
    await storeOn(db()).commit([...whole(), creation('credential', managed({ id: 'k', methods: ['key'] }))], operation);
    const store = storeOn(db(), null);
    assert.deepEqual(await idsOf(store, 'credential'), ['acme-hmac', 'k']);
    const { resource } = (await store.find('credential', 'acme-hmac')) ?? assert.fail();
    assert.throws(() => secretsOf(resource).appSecret?.reveal(), /^Error: this command opens no secrets$/);
    assert.equal(resource.appKey?.reveal().toString(), 'acme-hmac-app-key');
    await store.commit([creation('consumer', consumer({ id: 'x' }))], operation);
    const other = creation('credential', managed({ id: 'other', consumerId: 'x' }));
    await assert.rejects(store.commit([other], operation), /key ring/);
    assert.deepEqual(await idsOf(store, 'credential'), ['acme-hmac', 'k']);
  });

  it('notes since when new credentials are not used, and how their App Keys end, also where a replica wrote of a former one', async () => {
    const lastUsedAt = new Date(1_700_000_000_000);
    await insertRaw('usage', { _id: 'acme-hmac', lastUsedAt });
    const key = managed({ id: 'acme-key', methods: ['key'], key: 'an-app-key-that-is-the-secret' });
    await storeOn(db()).commit([...whole(), creation('credential', key)], operation);
    const usage = db().collection<{ _id: string; lastUsedAt?: Date; idleSince: Date; appKeyEnd?: string }>('usage');
    const [former, created] = await usage.find().sort({ _id: 1 }).toArray();
    assert.deepEqual([former?._id, former?.lastUsedAt, former?.appKeyEnd], ['acme-hmac', lastUsedAt, '-key']);
    assert.deepEqual(created, { _id: 'acme-key', idleSince: former?.idleSince, appKeyEnd: 'cret' });
  });

  it('refuses a plan that contradicts itself', async () => {
    const twice = [creation('consumer', consumer()), creation('consumer', consumer())];
    await assert.rejects(storeOn(db()).commit(twice, operation), /changed twice/);
  });

  it('keeps no secret in clear in any collection', async () => {
    const store = storeOn(db());
    const former = { appSecret: Secret.fromText(OTHER_SECRET), expiresAt: 1_900_000_000 };
    const material = materialWith(secretsOf(managed()).appSecret, former);
    const key = managed({ id: 'acme-key', methods: ['key'], key: 'an-app-key-that-is-the-secret' });
    await store.commit([...whole(), creation('credential', key)], operation);
    await store.commit([await edit(store, 'credential', 'acme-hmac', { material })], operation);
    await store.commit([await edit(store, 'credential', 'acme-key', { state: 'revoked' })], operation);
    await store.commit([await deletion(store, 'credential', 'acme-key')], operation);
    const dump: Document[] = [];
    for (const { name } of collections) dump.push(...(await db().collection(name).find().toArray()));
    const text = BSON.EJSON.stringify(dump);
    assert.ok(text.includes('acme-hmac-app-key'), 'the dump holds what it should');
    for (const secret of [APP_SECRET, OTHER_SECRET, 'an-app-key-that-is-the-secret']) {
      assert.ok(!text.includes(secret));
      assert.ok(!text.includes(Buffer.from(secret).toString('base64')));
    }
  });

  it('knows when credentials were used, and forgets it with them', async () => {
    const store = storeOn(db());
    await store.commit(whole(), operation);
    const lastUsedAt = new Date(1_7240_000_000_500);
    assert.equal((await createUsageSource(db()).usageOf(['acme-hmac'])).size, 0);
    await db().collection<Anything>('usage').updateOne({ _id: 'acme-hmac' }, { $set: { lastUsedAt } });
    await insertRaw('usage', { _id: 'nonsense', lastUsedAt: 'yesterday' });
    const usage = createUsageSource(db());
    assert.deepEqual(
      await usage.usageOf(['acme-hmac', 'nonsense', 'nobody']),
      new Map([
        ['acme-hmac', { lastUsedAt: 1_7240_000_000, retiringSecretLastUsedAt: null }],
        ['nonsense', { lastUsedAt: null, retiringSecretLastUsedAt: null }],
      ]),
    );
    await store.commit(
      [await deletion(store, 'grant', 'orders/acme'), await deletion(store, 'credential', 'acme-hmac')],
      operation,
    );
    assert.equal((await usage.usageOf(['acme-hmac'])).size, 0);
  });

  it('names who was faster', async () => {
    const store = storeOn(db());
    await store.commit(whole(), operation);
    const late = await edit(store, 'consumer', 'acme', { name: 'Late' });
    await store.commit([await edit(store, 'consumer', 'acme', { name: 'Early' })], {
      actor: 'ben',
      action: 'consumer edit',
    });
    await assert.rejects(store.commit([late], operation), (error) => {
      assert.ok(error instanceof Conflict);
      assert.match(error.message, /^the consumer "acme" was changed meanwhile by ben \(consumer edit\)/);
      return true;
    });
  });

  describe('records that a hand made nonsense', () => {
    const version = { revision: 1, createdAt: new Date(), updatedAt: new Date() };

    it('are passed over in lists and reported, and change nothing for others', async () => {
      const store = storeOn(db());
      await store.commit(whole(), operation);
      await insertRaw('consumers', { _id: 'bad', enabled: 'maybe', ...version });
      await insertRaw('credentials', { _id: 'bad', consumerId: 'acme', appKeyHash: 'x', ...version });
      await insertRaw('grants', { _id: 'bad', endpointId: 'orders', consumerId: 'acme', ...version });
      await insertRaw('endpoints', {
        _id: 'bad',
        scenario: 'open',
        match: { paths: [{ prefix: '/orders' }] },
        extra: 1,
      });
      await insertRaw('consumers', { _id: 'unversioned', enabled: true });
      assert.deepEqual(
        [await idsOf(store, 'consumer'), await idsOf(store, 'credential'), await idsOf(store, 'grant')],
        [['acme'], ['acme-hmac'], ['orders/acme']],
      );
      assert.deepEqual(await idsOf(store, 'endpoint'), ['orders']);
      assert.deepEqual(faults, [
        'consumers "bad", enabled: "enabled" must be true or false; it is a text',
        'consumers "unversioned": "revision" is missing; a document needs it',
        'credentials "bad": "methods" is missing; a credential needs it',
        'grants "bad", _id: must be "endpointId/consumerId" of the same document',
        'endpoints "bad", extra: unknown key in an endpoint; known keys: id, description, labels, scenario, match, authentication, accessCondition, trafficControl, options, enabled',
      ]);
      await store.commit([await edit(store, 'consumer', 'acme', { name: 'Still' })], operation);
      await store.commit([creation('endpoint', keyEndpoint({ id: 'more', paths: [{ prefix: '/more' }] }))], operation);
    });

    it('are reported when they are read, and do not free their id', async () => {
      await insertRaw('consumers', { _id: 'acme', enabled: 'maybe', ...version });
      const store = storeOn(db());
      await assertUnavailable(
        store.find('consumer', 'acme'),
        'record',
        /^consumers "acme", enabled: .*; fix it in the MongoDB shell/,
      );
      await assert.rejects(
        store.commit([creation('consumer', consumer())], operation),
        /the consumer "acme" already exists/,
      );
    });

    it('are fixed by a change of what was read before', async () => {
      const store = storeOn(db());
      await store.commit([creation('consumer', consumer())], operation);
      const change = await edit(store, 'consumer', 'acme', { enabled: true });
      await db().command({ collMod: 'consumers', validationLevel: 'off' });
      await db()
        .collection<Anything>('consumers')
        .updateOne({ _id: 'acme' }, { $set: { enabled: 1 } });
      await db().command({ collMod: 'consumers', validationLevel: 'strict' });
      await store.commit([change], operation);
      assert.ok(await store.find('consumer', 'acme'));
    });

    it('stop a list when the key ring is another one, so that they are not taken for deleted', async () => {
      await storeOn(db()).commit(whole(), operation);
      const store = storeOn(db(), testKeyRing(2));
      await assertUnavailable(
        store.find('credential', 'acme-hmac'),
        'key-ring',
        /the key ring has no key "test-key-1"/,
      );
      await assertUnavailable(idsOf(store, 'credential'), 'key-ring');
    });
  });

  describe('when something fails inside of a commit', () => {
    /** Of everything but the schema, and the count of commits, which goes up with those that fail, too. */
    const dump = async (): Promise<readonly (readonly Document[])[]> =>
      await Promise.all(
        collections
          .filter(({ name }) => name !== 'meta')
          .map(async ({ name }) => await db().collection(name).find().sort({ _id: 1 }).toArray()),
      );
    const resourcesAndEvents = async (): Promise<readonly Document[]> => (await dump()).flat();

    /** An edit, and the fail point for one of the commands of its transaction. */
    async function editWith(failing: string, data: object): Promise<[MongoResourceStore, Change, AsyncDisposable]> {
      const store = storeOn(db());
      await store.commit(whole(), operation);
      const change = await edit(store, 'consumer', 'acme', { name: 'Changed' });
      return [store, change, await failPoint({ mode: { times: 1 }, data: { failCommands: [failing], ...data } })];
    }

    for (const failing of ['findAndModify', 'find', 'update', 'insert', 'commitTransaction']) {
      it(`changes nothing: ${failing} is refused`, async () => {
        const store = storeOn(db());
        await store.commit(whole(), operation);
        const change = await edit(store, 'consumer', 'acme', { name: 'Changed' });
        const before = await dump();
        // The first find is that of the schema, before the transaction.
        const skip = failing === 'find' ? 1 : 0;
        const point = await failPoint({ mode: { skip }, data: { failCommands: [failing], errorCode: 8 } });
        await assert.rejects(store.commit([change], operation), /^Error: MongoDB refused what Postern asked \(code 8/);
        await point[Symbol.asyncDispose]();
        assert.deepEqual(await dump(), before);
        assert.ok((await store.commit([change], operation)) >= 2);
      });

      it(`makes the change once all the same: ${failing} loses its connection`, async () => {
        const [store, change, point] = await editWith(failing, { closeConnection: true });
        assert.equal(await store.commit([change], operation), 2);
        await point[Symbol.asyncDispose]();
        assert.equal((await store.find('consumer', 'acme'))?.revision, 2);
        assert.equal(await db().collection('audit').countDocuments({ storeRevision: 2 }), 1);
      });

      it(`makes the change once all the same: ${failing} meets an election`, async () => {
        const [store, change, point] = await editWith(failing, { errorCode: 189 });
        assert.equal(await store.commit([change], operation), 2);
        await point[Symbol.asyncDispose]();
        assert.equal(await db().collection('audit').countDocuments({ storeRevision: 2 }), 1);
      });
    }

    it('says that the outcome is unknown, when no server confirms', async () => {
      const store = storeOn(db(), testKeyRing(), { timeoutMs: 500 });
      await store.commit(whole(), operation);
      const change = await edit(store, 'consumer', 'acme', { name: 'Changed' });
      const point = await failPoint({ mode: 'alwaysOn', data: { failCommands: ['commitTransaction'], errorCode: 91 } });
      await assertUnavailable(
        store.commit([change], operation),
        'uncertain',
        /^MongoDB did not confirm the change: it may be in force/,
      );
      await point[Symbol.asyncDispose]();
    });

    it('reads back what the server did not confirm', async () => {
      const store = storeOn(db());
      await store.commit(whole(), operation);
      const change = await edit(store, 'consumer', 'acme', { name: 'Changed' });
      // Committed, but the server goes on saying that it is not known by how many.
      const writeConcernError = {
        code: 64,
        codeName: 'WriteConcernFailed',
        errmsg: 'waiting for replication timed out',
      };
      const point = await failPoint({
        mode: 'alwaysOn',
        data: { failCommands: ['commitTransaction'], writeConcernError },
      });
      assert.equal(await store.commit([change], operation), 2);
      await point[Symbol.asyncDispose]();
      assert.equal((await store.find('consumer', 'acme'))?.resource.name, 'Changed');
    });

    it('sends nothing more of a commit that was given up', async () => {
      const store = storeOn(db(), testKeyRing(), { timeoutMs: 600 });
      await store.commit(whole(), operation);
      const change = await edit(store, 'consumer', 'acme', { name: 'Changed' });
      const before = await resourcesAndEvents();
      const data = { failCommands: ['insert'], blockConnection: true, blockTimeMS: 1000 };
      const point = await failPoint({ mode: { times: 1 }, data });
      await assertUnavailable(store.commit([change], operation), 'slow', /\. Nothing was changed$/);
      await point[Symbol.asyncDispose]();
      // The next commit of the same record would meet whatever was still on its way.
      assert.ok((await storeOn(db()).commit([change], operation)) > 2);
      assert.equal((await resourcesAndEvents()).length, before.length + 1);
    });
  });

  it('makes as many changes in one commit as it promises', async () => {
    const store = storeOn(db());
    const ids = Array.from({ length: MAX_CHANGES_PER_COMMIT / 2 }, (_, index) => `c${String(index)}`);
    const made = ids.flatMap((id) => [
      creation('consumer', consumer({ id })),
      creation('credential', managed({ id: `${id}-hmac`, consumerId: id })),
    ]);
    assert.equal(await store.commit(made, operation), 1);
    const gone: Change[] = [];
    for (const kind of ['credential', 'consumer'] as const) {
      for await (const before of store.list(kind)) {
        gone.push({ kind, id: before.resource.id, before, after: null } as unknown as Change);
      }
    }
    assert.equal(gone.length, MAX_CHANGES_PER_COMMIT);
    assert.equal(await store.commit(gone, operation), 2);
    assert.equal(await db().collection('formerAppKeys').countDocuments(), ids.length);
    assert.equal(await db().collection('audit').countDocuments(), 2 * MAX_CHANGES_PER_COMMIT);
  }).timeout(60_000);

  it('loses and doubles nothing while primaries step down and crash', async () => {
    await using set = await borrowReplicaSet({ members: 3 });
    await using store = openMongoStore(set.uri('postern'), {
      ...{ sealer: testKeyRing(), clock: systemClock, onFault: (fault) => assert.fail(describeFault(fault)) },
    });
    const { resources } = store;
    const over = new AbortController();
    const confirmed: string[] = [];
    const unknown: string[] = [];
    const traffic = (async () => {
      for (let index = 0; !over.signal.aborted; index += 1) {
        const id = `c${String(index)}`;
        try {
          await resources.commit([creation('consumer', consumer({ id }))], operation);
          confirmed.push(id);
        } catch (error) {
          assert.ok(error instanceof MongodbUnavailable, inspect(error));
          unknown.push(id);
        }
      }
    })();
    const until = async (count: number): Promise<void> => {
      // Traffic that fails ends the wait with its error.
      while (confirmed.length < count) await Promise.race([traffic, new Promise((resolve) => setTimeout(resolve, 20))]);
    };
    await until(20);
    await set.stepDown();
    await until(confirmed.length + 20);
    const crashed = await set.primary();
    await crashed.kill();
    await until(confirmed.length + 20);
    await crashed.restart();
    over.abort();
    await traffic;
    const there = new Set(await idsOf(resources, 'consumer'));
    assert.deepEqual(
      confirmed.filter((id) => !there.has(id)),
      [],
    );
    const events = new Map<string, number>();
    const revisions = new Set<number>();
    for await (const { id, storeRevision } of store.audit.events({})) {
      events.set(id, (events.get(id) ?? 0) + 1);
      revisions.add(storeRevision);
    }
    assert.deepEqual([...events.keys()].toSorted(), [...there].toSorted());
    assert.ok([...events.values()].every((count) => count === 1));
    assert.equal(revisions.size, there.size);
    assert.ok(there.size <= confirmed.length + unknown.length);
  }).timeout(240_000);

  it('is reached by the address alone', async () => {
    await using store = openMongoStore(uri(), {
      ...{ sealer: testKeyRing(), clock: systemClock, onFault: (fault) => assert.fail(describeFault(fault)) },
    });
    await store.resources.commit(whole(), operation);
    assert.deepEqual(await idsOf(store.resources, 'consumer'), ['acme']);
  });
});

async function idsOf(store: ResourceStore, kind: Exclude<ResourceKind, 'grant'> | 'grant'): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { resource } of store.list(kind)) {
    ids.push('endpointId' in resource ? grantId(resource) : resource.id);
  }
  return ids;
}

async function stored<K extends ResourceKind>(
  store: ResourceStore,
  kind: K,
  id: string,
): Promise<Stored<ResourceOf[K]>> {
  return (await store.find(kind, id)) ?? assert.fail(`there is no ${kind} ${id}`);
}

async function edit<K extends ResourceKind>(
  store: ResourceStore,
  kind: K,
  id: string,
  parts: Partial<ResourceOf[K]>,
): Promise<Change> {
  const before = await stored(store, kind, id);
  return { kind, id, before, after: { ...before.resource, ...parts } } as unknown as Change;
}

async function deletion(store: ResourceStore, kind: ResourceKind, id: string): Promise<Change> {
  return { kind, id, before: await stored(store, kind, id), after: null } as unknown as Change;
}

async function assertUnavailable(work: Promise<unknown>, reason: UnavailableReason, message = /./): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof MongodbUnavailable, inspect(error));
    assert.equal(error.reason, reason, error.message);
    assert.match(error.message, message);
    assert.ok(!error.message.includes(APP_SECRET));
    return true;
  });
}
