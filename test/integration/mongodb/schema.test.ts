import assert from 'node:assert/strict';
import { type Db, type Document } from 'mongodb';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { Conflict } from '../../../src/resources/changes/resource-store.ts';
import { Secret } from '../../../src/model/secret.ts';
import { MongodbUnavailable } from '../../../src/stores/mongodb/faults.ts';
import { readCredentialDocument } from '../../../src/stores/mongodb/mapping/map-credential.ts';
import { ensureSchema, findSchemaDifferences, repairSchema } from '../../../src/stores/mongodb/migrate.ts';
import { collections, SCHEMA_VERSION } from '../../../src/stores/mongodb/schema/collections.ts';
import { readSchemaVersion, requireSchema } from '../../../src/stores/mongodb/schema/schema-version.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

type Anything = { _id: string } & Document;

/** A credential for HTTP message signatures, whole but for its version. */
function signer(given: Document): Anything {
  const whole = { consumerId: 'acme', methods: ['http-message-signature'], appKey: 'a', appKeyHash: '0'.repeat(64) };
  return { _id: 'acme-signer', ...whole, state: 'active', ...given };
}

describe('the schema of the database', () => {
  const { db: use, uri } = useDatabase();
  let db: Db;

  beforeEach(async () => {
    db = use();
    await db.dropDatabase();
  });

  const schema = (): Promise<Anything | null> => db.collection<Anything>('meta').findOne({ _id: 'schema' });
  const insertRaw = async (collection: string, document: Document): Promise<void> => {
    await db.collection(collection).insertOne(document, { bypassDocumentValidation: true });
  };

  it('is made once, with every collection, validator and index', async () => {
    assert.ok(uri() !== '');
    assert.equal(await readSchemaVersion(db), null);
    assert.equal(await ensureSchema(db), 'created');
    assert.equal(await ensureSchema(db), 'current');
    assert.deepEqual(await schema(), { _id: 'schema', version: SCHEMA_VERSION });
    assert.deepEqual(
      (await db.listCollections().toArray()).map(({ name }) => name).sort(),
      collections.map(({ name }) => name).toSorted(),
    );
    assert.deepEqual(await findSchemaDifferences(db), []);
    await requireSchema(db);
  });

  it('is made by many at once as by one', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ensureSchema(db)));
    assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1);
    assert.deepEqual(await findSchemaDifferences(db), []);
    assert.deepEqual(await schema(), { _id: 'schema', version: SCHEMA_VERSION });
  });

  it('keeps App Keys apart', async () => {
    await ensureSchema(db);
    await insertRaw('credentials', { _id: 'one', appKeyHash: 'same' });
    await assert.rejects(insertRaw('credentials', { _id: 'two', appKeyHash: 'same' }), { code: 11000 });
  });

  it('takes an App Key of 512 characters, and none of more', async () => {
    await ensureSchema(db);
    const insert = (length: number): Promise<unknown> =>
      db.collection<Anything>('credentials').insertOne({
        _id: `of-${String(length)}`,
        consumerId: 'acme',
        methods: ['oauth2'],
        appKey: 'k'.repeat(length),
        appKeyHash: hashAppKey('k'.repeat(length)),
        state: 'active',
        revision: 1,
        createdAt: new Date(),
        updatedAt: new Date(),
      });
    await insert(512);
    await assert.rejects(insert(513), { code: 121 });
  });

  const refused: readonly (readonly [string, Document])[] = [
    ['endpoints', { _id: 'orders', scenario: 'opne', match: { paths: [{ prefix: '/' }] } }],
    ['consumers', { _id: 'acme', enabled: 'yes' }],
    ['consumers', { _id: 'acme', enabled: true, labels: { tier: 1 } }],
    ['consumers', { _id: 'acme', enabled: true, quota: 5 }],
    ['consumers', { _id: 'acme', enabled: true, allowFrom: [] }],
    [
      'credentials',
      { _id: 'acme-hmac', consumerId: 'acme', methods: ['hmac'], appKeyHash: '0'.repeat(64), state: 'on' },
    ],
    ['credentials', { _id: 'a', consumerId: 'acme', methods: ['hmac'], appKeyHash: 'x', state: 'active' }],
    ['credentials', signer({ publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'eA', d: 'ZA' } })],
    ['credentials', signer({ publicKey: { kty: 'oct', k: 'aw' } })],
    ['credentials', signer({ publicKey: { kty: 'EC', crv: 'secp256k1', x: 'eA', y: 'eQ' } })],
    ['credentials', signer({ retiringPublicKey: { publicKey: { kty: 'RSA', n: 'bg', e: 'AQAB' } } })],
    ['grants', { _id: 'orders/acme', endpointId: 'orders', consumerId: 'acme', expiresAt: '2027-01-01' }],
    ['usage', { _id: 'a', lastUsedAt: 5 }],
    ['audit', { at: new Date(), actor: 'ada' }],
    ['formerAppKeys', { _id: 'x', deletedAt: new Date() }],
    ['revokedTokens', { _id: 'x', credentialId: 'acme', expiresAt: 5 }],
    ['refusals', { consumerId: 'acme' }],
    ['refusals', { at: new Date(), consumerId: 'A partner' }],
    ['refusals', { at: new Date(), consumerId: 'acme', body: 'x' }],
    ['sessions', { _id: '0'.repeat(64), operatorId: 'alice', createdAt: new Date() }],
    ['sessions', { _id: 'x', operatorId: 'alice', createdAt: new Date(), expiresAt: new Date() }],
    ['idempotency', { _id: '0'.repeat(64), operatorId: 'alice', createdAt: new Date(), expiresAt: new Date() }],
    ['jobs', { _id: 'x', operatorId: 'alice', key: 'k', title: 'Disable 2 consumers', expiresAt: new Date() }],
    ['replay', { _id: 'x' }],
    ['replay', { _id: 'x', expiresAt: new Date(), appKey: 'acme' }],
  ];
  it('refuses an edit by hand that makes nonsense', async () => {
    await ensureSchema(db);
    const version = { revision: 1, createdAt: new Date(), updatedAt: new Date() };
    for (const [collection, document] of refused) {
      const isResource = ['endpoints', 'consumers', 'credentials', 'grants'].includes(collection);
      const whole = { ...document, ...(isResource ? version : {}) };
      await assert.rejects(db.collection(collection).insertOne(whole), { code: 121 }, JSON.stringify(document));
    }
    await db.collection<Anything>('consumers').insertOne({ _id: 'acme', enabled: true, ...version });
    await assert.rejects(db.collection<Anything>('consumers').updateOne({ _id: 'acme' }, { $set: { enabled: 1 } }), {
      code: 121,
    });
  });

  it('is fixed where a hand removed or changed something', async () => {
    await ensureSchema(db);
    await db.dropCollection('usage');
    await db.collection('grants').dropIndex('consumerId_1__id_1');
    await db.collection('credentials').dropIndex('appKeyHash_1');
    await db.collection('credentials').createIndex({ appKeyHash: 1 }, {}, {});
    await db.command({ collMod: 'consumers', validationLevel: 'off' });
    assert.deepEqual(await findSchemaDifferences(db), [
      { what: 'validator', collection: 'consumers' },
      { what: 'index', collection: 'credentials', index: 'appKeyHash_1', isThereOtherwise: true },
      { what: 'index', collection: 'grants', index: 'consumerId_1__id_1', isThereOtherwise: false },
      { what: 'collection', collection: 'usage' },
    ]);
    assert.equal(await ensureSchema(db), 'current');
    assert.equal(await repairSchema(db), 'current');
    assert.deepEqual(await findSchemaDifferences(db), []);
  });

  it('reports which records prevent an index', async () => {
    await insertRaw('credentials', { _id: 'one', appKeyHash: 'same' });
    await insertRaw('credentials', { _id: 'two', appKeyHash: 'same' });
    await assert.rejects(ensureSchema(db), (error) => {
      assert.ok(error instanceof Conflict);
      assert.match(error.message, /two documents of "credentials" have the same appKeyHash; remove one/);
      return true;
    });
    await db.collection<Anything>('credentials').deleteOne({ _id: 'two' });
    assert.equal(await ensureSchema(db), 'created');
  });

  it('is refused when a newer version made it', async () => {
    await insertRaw('meta', { _id: 'schema', version: SCHEMA_VERSION + 1 });
    for (const work of [ensureSchema, requireSchema, repairSchema]) {
      await assert.rejects(work(db), (error) => {
        assert.ok(error instanceof MongodbUnavailable && error.reason === 'schema');
        const [newer, own] = [String(SCHEMA_VERSION + 1), String(SCHEMA_VERSION)];
        assert.match(error.message, /use that one$/);
        assert.ok(error.message.includes(`has schema version ${newer}, and this Postern knows ${own} at most: `));
        return true;
      });
    }
    assert.deepEqual(await schema(), { _id: 'schema', version: SCHEMA_VERSION + 1 });
  });

  it('is required by those who may not make it, who learn what to do', async () => {
    await assert.rejects(requireSchema(db), /is empty: .*postern doctor --fix/);
    await insertRaw('meta', { _id: 'schema', version: 1 });
    const needs = `has schema version 1, and this Postern needs ${String(SCHEMA_VERSION)}: .*postern doctor --fix`;
    await assert.rejects(requireSchema(db), new RegExp(needs));
  });

  it('goes on where a migrator crashed, when its lease has run out', async () => {
    await insertRaw('meta', { _id: 'schema', lease: { holder: 'gone', until: new Date(0) } });
    assert.equal(await ensureSchema(db), 'created');
    assert.deepEqual(await schema(), { _id: 'schema', version: SCHEMA_VERSION });
  });

  it('waits for another migrator that is at work', async () => {
    await insertRaw('meta', { _id: 'schema', lease: { holder: 'other', until: new Date('2100-01-01') } });
    const waiting = ensureSchema(db);
    await db
      .collection<Anything>('meta')
      .updateOne({ _id: 'schema' }, { $set: { version: SCHEMA_VERSION }, $unset: { lease: '' } });
    assert.equal(await waiting, 'current');
  });

  describe('of version 6', () => {
    const operator = (id: string, more: Document = {}): Anything => ({
      ...{ _id: id, role: 'viewer', enabled: true, tokens: [], revision: 1 },
      ...{ createdAt: new Date('2026-01-01'), updatedAt: new Date('2026-01-02'), ...more },
    });

    beforeEach(async () => {
      await ensureSchema(db);
      for (const name of ['sessions', 'idempotency']) await db.dropCollection(name);
      for (const name of ['subjects_1', 'certificateNames_1']) await db.collection('operators').dropIndex(name);
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 6 } });
      const subjects = ['s1', 's2'];
      await db
        .collection<Anything>('operators')
        .insertMany([operator('alice', { subjects }), operator('ben'), operator('carla')]);
    });

    it('gets what version 7 added, and keeps its operators', async () => {
      const before = await db.collection('operators').find().toArray();
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      assert.deepEqual(await db.collection('operators').find().toArray(), before);
      const second = db.collection<Anything>('operators').insertOne(operator('dora', { subjects: ['s2'] }));
      await assert.rejects(second, { code: 11000 });
    });

    it('stays as it is while two operators have the same subject, and says so', async () => {
      await db.collection<Anything>('operators').insertOne(operator('dora', { subjects: ['s2'] }));
      await assert.rejects(ensureSchema(db), (error) => {
        assert.ok(error instanceof Conflict);
        assert.match(error.message, /two documents of "operators" have the same subjects; remove one/);
        return true;
      });
      // One before the newest, whose indexes are made last.
      assert.equal(await readSchemaVersion(db), SCHEMA_VERSION - 1);
    });
  });

  describe('of version 7', () => {
    it('gets what version 8 added, and takes what commits write now', async () => {
      await ensureSchema(db);
      for (const [name, index] of [
        ['audit', 'ownedBy_1_at_-1__id_-1'],
        ['refusals', 'ownedBy_1_at_-1'],
      ] as const) {
        await db.collection(name).dropIndex(index);
        await db.command({ collMod: name, validator: {} });
      }
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 7 } });
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
    });
  });

  describe('of version 12', () => {
    it('knows since when credentials are not used, those too that never were', async () => {
      await ensureSchema(db);
      await db.collection('usage').dropIndex('idleSince_1__id_1');
      const schema = { bsonType: 'object', properties: { _id: {}, lastUsedAt: {} }, additionalProperties: false };
      await db.command({ collMod: 'usage', validator: { $jsonSchema: schema } });
      const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));
      const version = { revision: 1, createdAt: at(1), updatedAt: at(1) };
      const holders = ['never', 'used', 'later'].map((id, index) => ({
        ...signer({}),
        ...{ _id: id, methods: ['oauth2'], appKeyHash: String(index).repeat(64) },
        ...(id === 'later' ? { notBefore: at(3) } : {}),
        ...version,
      }));
      await db.collection<Anything>('credentials').insertMany(holders);
      await db.collection<Anything>('usage').insertOne({ _id: 'used', lastUsedAt: at(2) });
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 12 } });
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      assert.deepEqual(await db.collection('usage').find().sort({ _id: 1 }).toArray(), [
        { _id: 'later', idleSince: at(3) },
        { _id: 'never', idleSince: at(1) },
        { _id: 'used', lastUsedAt: at(2), idleSince: at(2) },
      ]);
    });
  });

  describe('of version 9', () => {
    it('takes public keys and methods that came since, and keeps the credentials that are there', async () => {
      await ensureSchema(db);
      const credentials = db.collection<Anything>('credentials');
      const version = { revision: 1, createdAt: new Date(), updatedAt: new Date() };
      const former = { ...signer({}), _id: 'former', methods: ['oauth2'], appKeyHash: '1'.repeat(64), ...version };
      await credentials.insertOne(former);
      await credentials.dropIndex('retiringPublicKey.expiresAt_1__id_1');
      await db.command({
        collMod: 'credentials',
        validator: { publicKey: { $exists: false }, methods: { $ne: 'http-message-signature' } },
      });
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 9 } });
      const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
      const added = { ...signer({ publicKey: key }), ...version };
      await assert.rejects(credentials.insertOne(added), { code: 121 });
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      await credentials.insertOne(added);
      assert.deepEqual(await credentials.findOne({ _id: 'former' }), former);
    });
  });

  describe('of version 8', () => {
    it('takes refusals of nobody, and keeps those that are there', async () => {
      await ensureSchema(db);
      const former = { at: new Date(), consumerId: 'acme', code: 'TOKEN_INVALID' };
      await db.collection('refusals').insertOne(former);
      await db.command({
        collMod: 'refusals',
        validator: { $jsonSchema: { bsonType: 'object', required: ['at', 'consumerId'] } },
      });
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 8 } });
      await assert.rejects(db.collection('refusals').insertOne({ at: new Date() }), /failed validation/);
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      await db.collection('refusals').insertOne({ at: new Date() });
      assert.equal(await db.collection('refusals').countDocuments({ consumerId: 'acme' }), 1);
    });
  });

  describe('of version 13', () => {
    it('gets issuers, and takes credentials without an App Key beside those that are there', async () => {
      await ensureSchema(db);
      await db.dropCollection('issuers');
      await db.collection('credentials').dropIndex('issuer_1_claimNames_1');
      const known = { bsonType: 'object', properties: { issuer: { not: {} }, certificate: { not: {} } } };
      await db.command({ collMod: 'credentials', validator: { $jsonSchema: known } });
      const version = { revision: 1, createdAt: new Date(), updatedAt: new Date() };
      const credentials = db.collection<Anything>('credentials');
      const there = { ...signer({}), _id: 'there', ...version };
      await credentials.insertOne(there);
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: 13 } });
      const common = { consumerId: 'acme', state: 'active', ...version };
      const claims = { issuer: 'idp', claims: [{ name: 'azp', value: 'x' }], claimNames: '["azp"]' };
      const named = { ...common, _id: 'jwt', methods: ['jwt'], appKeyHash: '1'.repeat(64), ...claims };
      await assert.rejects(credentials.insertOne(named), { code: 121 });
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      assert.deepEqual(await credentials.findOne({ _id: 'there' }), there);
      await credentials.insertOne(named);
      const address = { issuer: 'https://idp.example', jwksUri: 'https://idp.example/keys', audiences: ['orders'] };
      const issuers = db.collection<Anything>('issuers');
      await issuers.insertOne({ _id: 'idp', ...address, enabled: true, ...version });
      await assert.rejects(issuers.insertOne({ _id: 'other', ...address, enabled: true, ...version }), { code: 11000 });
    });
  });

  describe('of the version before plans', () => {
    it('gets their collection while commits go on, which lose nothing', async () => {
      await ensureSchema(db);
      await db.dropCollection('plans');
      await db.collection<Anything>('meta').updateOne({ _id: 'schema' }, { $set: { version: SCHEMA_VERSION - 1 } });
      const common = { revision: 1, createdAt: new Date(), updatedAt: new Date() };
      const ids = Array.from({ length: 200 }, (_, at) => `c${String(at)}`);
      const [outcome] = await Promise.all([
        ensureSchema(db),
        ...ids.map(async (_id) => {
          await db.collection<Anything>('consumers').insertOne({ _id, enabled: true, ...common });
        }),
      ]);
      assert.equal(outcome, 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      assert.equal(await db.collection('consumers').countDocuments(), ids.length);
      const gold = { limits: [{ requests: 1, unit: 'day' }], priority: 0, ...common };
      await db.collection<Anything>('plans').insertOne({ _id: 'gold', ...gold });
      await assert.rejects(db.collection<Anything>('plans').insertOne({ _id: 'other', ...gold }), /duplicate key/);
    });
  });

  describe('of version 1', () => {
    const sealer = testKeyRing();
    const sealed = sealer.seal(Secret.fromText('a secret of version 1'), { credentialId: 'x', what: 'app-secret' });
    const version = { revision: 4, createdAt: new Date('2026-01-01'), updatedAt: new Date('2026-01-02') };

    beforeEach(async () => {
      await db.createCollection('credentials', { validator: { methods: { $exists: false } } });
      await db.collection('credentials').createIndex({ appKey: 1 }, { unique: true }, {});
      await db.collection<Anything>('credentials').insertMany([
        {
          _id: 'acme-hmac',
          consumerId: 'acme',
          method: 'hmac',
          appKey: 'k1',
          appSecret: sealed,
          state: 'active',
          ...version,
        },
        { _id: 'acme-key', consumerId: 'acme', method: 'key', appKey: 'k2', state: 'active', ...version },
        { _id: 'nonsense', method: 5, appKey: ['k3'], ...version },
        ...Array.from({ length: 2500 }, (_, index) => ({
          ...{ _id: `c${String(index)}`, consumerId: 'acme', method: 'key', appKey: `many-${String(index)}` },
          ...{ state: 'active', ...version },
        })),
      ]);
      await insertRaw('meta', { _id: 'schema', version: 1 });
      await insertRaw('meta', { _id: 'state', revision: 17 });
    });

    it('is migrated, and keeps everything else', async () => {
      assert.equal(await ensureSchema(db), 'migrated');
      assert.deepEqual(await findSchemaDifferences(db), []);
      assert.deepEqual(await schema(), { _id: 'schema', version: SCHEMA_VERSION });
      assert.equal((await db.collection<Anything>('meta').findOne({ _id: 'state' }))?.['revision'], 17);
      const credentials = db.collection<Anything>('credentials');
      assert.deepEqual(await credentials.findOne({ _id: 'acme-key' }), {
        ...{ _id: 'acme-key', consumerId: 'acme', state: 'active', ...version },
        ...{ methods: ['key'], appKeyHash: hashAppKey('k2') },
      });
      const hmac = await credentials.findOne({ _id: 'acme-hmac' });
      assert.deepEqual([hmac?.['appKey'], hmac?.['methods'], hmac?.['appSecret']], ['k1', ['hmac'], sealed]);
      assert.equal(await credentials.countDocuments({ methods: ['key'], appKeyHash: /^[0-9a-f]{64}$/ }), 2501);
      const nonsense = await credentials.findOne({ _id: 'nonsense' });
      assert.ok(nonsense !== null && 'fault' in readCredentialDocument(nonsense, sealer));
    });

    it('is migrated once by many at once', async () => {
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => ensureSchema(db)));
      assert.equal(outcomes.filter((outcome) => outcome === 'migrated').length, 1);
      assert.deepEqual(await findSchemaDifferences(db), []);
    });
  });
});
