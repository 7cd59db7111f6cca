import assert from 'node:assert/strict';
import { type Document, MongoClient, MongoServerError } from 'mongodb';
import { applyCollections } from '../../../src/stores/mongodb/schema/differences.ts';
import { tokenClaimsMaterial } from '../../../src/model/material.ts';
import { claimsAppKey } from '../../../src/model/derived-app-key.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import type { ManagedCredential } from '../../../src/resources/resource.ts';
import { consumer, issuer } from '../../support/pipeline/resources.ts';
import { standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { empty, hmacCredential, openStore, type OpenStore, put } from './support.ts';

const ISS = 'https://idp.partner.example';

function named(id: string, claims: Readonly<Record<string, string>>): ManagedCredential {
  const material = tokenClaimsMaterial('partner-idp', claims);
  const appKeyHash = hashAppKey(claimsAppKey('partner-idp', claims));
  return { ...hmacCredential(), id, methods: ['jwt'], material, appKeyHash, appKey: null };
}

/** What a check finds for tokens of {@link ISS}: audiences, and the claims that are looked at. */
function found(store: OpenStore, iss = ISS): string {
  const compiled = store.checks.current().issuers.find(iss);
  if (compiled === null) return 'unknown';
  const claims = compiled.claimNames.map((names) => names.join('+')).sort();
  return `${compiled.audiences.join()} ${claims.join()}`.trim();
}

async function until(store: OpenStore, expected: string, iss?: string): Promise<void> {
  await poll(`the issuer "${expected}"`, () => Promise.resolve(found(store, iss) === expected ? true : null));
}

describe('issuers in MongoDB', () => {
  const database = useDatabase();
  let store: OpenStore;

  beforeEach(async () => {
    await empty(database.db());
    const credentials = [named('a', { azp: 'a' }), named('b', { azp: 'b' }), named('c', { azp: 'c', tenant: 'c' })];
    await put(database.db(), { consumers: [consumer()], credentials, issuers: [issuer({ audiences: ['api'] })] });
    store = openStore(database.uri());
    await store.checks.ready;
    await store.untilTold('following');
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  const edit = async (update: Document): Promise<void> => {
    const issuers = database.db().collection<{ _id: string }>('issuers');
    await issuers.updateOne({ _id: 'partner-idp' }, update, { bypassDocumentValidation: true });
  };

  it('are known from the start, with the claims that credentials name', () => {
    assert.equal(found(store), 'api azp,azp+tenant');
    assert.equal(found(store, 'https://other.example'), 'unknown');
  });

  it('change within a second', async () => {
    const startMs = performance.now();
    await edit({ $set: { audiences: ['other'] } });
    await until(store, 'other azp,azp+tenant');
    await edit({ $set: { enabled: false } });
    await until(store, 'unknown');
    await edit({ $set: { enabled: true } });
    await until(store, 'other azp,azp+tenant');
    assert.ok(performance.now() - startMs < 3000);
    await database.db().collection<{ _id: string }>('issuers').deleteOne({ _id: 'partner-idp' });
    await until(store, 'unknown');
    assert.ok(store.checks.changeCount('issuers') >= 4);
  });

  it('look at the claims that a new credential names, and no more at those of deleted ones', async () => {
    await put(database.db(), { credentials: [named('d', { sub: 'd' })] });
    await until(store, 'api azp,azp+tenant,sub');
    const credentials = database.db().collection<{ _id: string }>('credentials');
    await credentials.deleteOne({ _id: 'c' });
    await until(store, 'api azp,sub');
    const { _id, ...edited } = (await credentials.findOne({ _id: 'd' })) as unknown as Document;
    assert.equal(_id, 'd');
    const { claims, claimNames } = { claims: [{ name: 'org', value: 'd' }], claimNames: '["org"]' };
    assert.ok(edited['claimNames'] === '["sub"]');
    await credentials.updateOne({ _id: 'd' }, { $set: { claims, claimNames } });
    await until(store, 'api azp,org');
  });

  it('count as absent while they are faulty, and are reported', async () => {
    await edit({ $set: { audiences: [] } });
    await until(store, 'unknown');
    await store.untilTold(/^faulty issuers "partner-idp", audiences: "audiences" must be a list/);
    assert.equal(store.checks.faultCount('issuers'), 1);
    await edit({ $set: { audiences: ['api'] } });
    await until(store, 'api azp,azp+tenant');
  });

  it('with the same "issuer", which only a hand without the index makes, count neither', async () => {
    const same = issuer({ id: 'second', audiences: ['second'] });
    await assert.rejects(put(database.db(), { issuers: [same] }), (error) => {
      assert.ok(error instanceof MongoServerError);
      assert.equal(error.code, 11000);
      return true;
    });
    await database.db().collection('issuers').dropIndex('issuer_1');
    await put(database.db(), { issuers: [same] });
    await until(store, 'unknown');
    await store.untilTold(/^faulty issuers "second", issuer: is that of the issuer "partner-idp" too, so that neither/);
    await database.db().collection<{ _id: string }>('issuers').deleteOne({ _id: 'second' });
    await until(store, 'api azp,azp+tenant');
    await applyCollections(database.db());
  });

  it('finds the claims of an issuer by an index, not by reading its credentials', async () => {
    const explained = await database.db().command({
      explain: { distinct: 'credentials', key: 'claimNames', query: { issuer: 'partner-idp' } },
      verbosity: 'queryPlanner',
    });
    assert.match(JSON.stringify(explained), /"DISTINCT_SCAN"/);
  });

  it('are refused by the database itself where they could not be read', async () => {
    const issuers = database.db().collection<{ _id: string }>('issuers');
    const { _id, ...rest } = (await issuers.findOne({ _id: 'partner-idp' })) as unknown as Document;
    assert.equal(_id, 'partner-idp');
    const valid = { ...rest, issuer: 'other' };
    for (const document of [
      { ...valid, enabled: undefined },
      { ...valid, audiences: [] },
      { ...valid, algorithms: ['HS256'] },
      { ...valid, jwks: { keys: [] } },
      { ...valid, jwksFile: 'keys.json' },
    ]) {
      await assert.rejects(issuers.insertOne({ ...document, _id: 'other' }, { ignoreUndefined: true }), (error) => {
        assert.ok(error instanceof MongoServerError);
        assert.equal(error.code, 121);
        return true;
      });
    }
  });
});

describe('issuers on a stand-alone MongoDB', function () {
  this.timeout(60_000);

  it('are polled, with the claims that credentials name', async () => {
    const uri = await standAloneDatabase();
    await using client = new MongoClient(uri);
    await empty(client.db());
    await put(client.db(), { consumers: [consumer()], issuers: [issuer({ audiences: ['api'] })] });
    await using store = openStore(uri, { pollIntervalMs: 50 });
    await store.untilTold('polling');
    assert.equal(found(store), 'api');
    await put(client.db(), { credentials: [named('a', { azp: 'a' })] });
    await until(store, 'api azp');
    await client.db().collection<{ _id: string }>('issuers').deleteOne({ _id: 'partner-idp' });
    await until(store, 'unknown');
    assert.deepEqual(store.defects, []);
  });
});
