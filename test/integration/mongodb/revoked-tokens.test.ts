import assert from 'node:assert/strict';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../../src/base/clock.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { type RevokedTokenDocument } from '../../../src/stores/mongodb/documents.ts';
import { ensureSchema, repairSchema } from '../../../src/stores/mongodb/migrate.ts';
import { SCHEMA_VERSION } from '../../../src/stores/mongodb/schema/collections.ts';
import { MongoRevokedTokens } from '../../../src/stores/mongodb/mongo-revoked-tokens.ts';
import { standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';

/** A list under test, and what it told. */
interface OpenList extends AsyncDisposable {
  readonly revoked: MongoRevokedTokens;
  readonly told: readonly string[];
  /** Waits until the list is whole. */
  whole(): Promise<void>;
}

const token = (tokenId: string, lifetimeSeconds = 3600) => ({
  tokenId,
  consumerId: 'acme',
  credentialId: 'acme-oauth2',
  expiresAt: systemClock.nowSeconds() + lifetimeSeconds,
});

describe('the list of revoked tokens in MongoDB', () => {
  const { uri, db, failPoint } = useDatabase();
  const kept: AsyncDisposable[] = [];
  before(async () => {
    await ensureSchema(db());
  });
  beforeEach(async () => {
    await db().collection('revokedTokens').deleteMany({});
  });
  afterEach(() => release(...kept.splice(0)));

  function open({
    address = uri(),
    maxStaleSeconds = 3600,
    skewMs = (): number => 0,
    pollIntervalMs = 50,
  } = {}): OpenList {
    const client = connectMongodb(address, 'changes');
    const told: string[] = [];
    const revoked = new MongoRevokedTokens({
      client,
      clock: { ...systemClock, nowMs: () => systemClock.nowMs() + skewMs() },
      maxStaleSeconds,
      pollIntervalMs,
      observer: { up: () => told.push('running'), down: () => told.push('failed') },
    });
    const list: OpenList = {
      revoked,
      told,
      whole: async () => {
        await poll('the list to be whole', () => Promise.resolve(told.at(-1) === 'running' ? true : null));
      },
      [Symbol.asyncDispose]: async () => {
        await revoked[Symbol.asyncDispose]();
        await client.close();
      },
    };
    kept.push(list);
    return list;
  }

  const until = async (list: OpenList, tokenId: string): Promise<void> => {
    await poll(`${tokenId} to be revoked`, () => Promise.resolve(list.revoked.isRevoked(tokenId) ? true : null));
  };

  it('is read at once when a caller waits for it, whatever failed before', async () => {
    const meta = db().collection<{ _id: string; version: number }>('meta');
    await meta.updateOne({ _id: 'schema' }, { $set: { version: SCHEMA_VERSION + 1 } });
    const list = open();
    try {
      await list.revoked.tryNow();
      assert.throws(() => list.revoked.isRevoked('a'), StoreUnavailable);
      // The pause between attempts grows.
      await poll('some failures', () => Promise.resolve(list.told.length > 3 ? true : null));
    } finally {
      await meta.updateOne({ _id: 'schema' }, { $set: { version: SCHEMA_VERSION } });
    }
    await list.revoked.tryNow();
    assert.equal(list.revoked.isRevoked('a'), false);
    assert.equal(list.told.at(-1), 'running');
  });

  it('knows nothing before it was read, and says so', async () => {
    const list = open();
    assert.throws(() => list.revoked.isRevoked('a'), StoreUnavailable);
    await list.revoked.tryNow();
    assert.equal(list.revoked.isRevoked('a'), false);
  });

  it('is the same on every replica, and after a restart', async () => {
    const [first, second] = [open(), open()];
    await Promise.all([first.whole(), second.whole()]);
    assert.equal(await first.revoked.revoke(token('a')), 'listed');
    assert.equal(first.revoked.isRevoked('a'), true);
    await until(second, 'a');
    assert.equal(await second.revoked.revoke(token('b')), 'listed');
    await until(first, 'b');
    const third = open();
    await third.whole();
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => third.revoked.isRevoked(id)),
      [true, true, false],
    );
  });

  it('takes a token twice', async () => {
    const [first, second] = [open(), open()];
    await Promise.all([first.whole(), second.whole()]);
    const both = await Promise.all([first.revoked.revoke(token('a')), second.revoked.revoke(token('a'))]);
    assert.deepEqual(both, ['listed', 'listed']);
  });

  it('is emptied by the server', async () => {
    const list = open();
    await list.whole();
    const { expiresAt } = token('a');
    await list.revoked.revoke({ ...token('a'), expiresAt });
    const collection = db().collection<RevokedTokenDocument>('revokedTokens');
    assert.deepEqual(await collection.findOne(), {
      _id: 'a',
      consumerId: 'acme',
      credentialId: 'acme-oauth2',
      expiresAt: new Date(expiresAt * 1000),
    });
    const index = (await collection.indexes()).find(({ name }) => name === 'expiresAt_1');
    assert.equal(index?.expireAfterSeconds, 0);
    // What it removes is no change: the token stays revoked here until it has expired.
    await collection.deleteOne({ _id: 'a' });
    await list.revoked.revoke(token('b'));
    assert.deepEqual([list.revoked.isRevoked('a'), list.told], [true, ['running']]);
  });

  it('follows many at once', async () => {
    const [first, second] = [open(), open()];
    await Promise.all([first.whole(), second.whole()]);
    const ids = Array.from({ length: 300 }, (_, at) => `many-${String(at)}`);
    // So many that they come in more than one answer, and so few at once that a busy machine writes them in time.
    for (let at = 0; at < ids.length; at += 30) {
      await Promise.all(ids.slice(at, at + 30).map(async (id) => await first.revoked.revoke(token(id))));
    }
    for (const id of ids) await until(second, id);
  });

  it('counts as it is while MongoDB is down, and nothing can be revoked then', async () => {
    let skewMs = 0;
    const list = open({ maxStaleSeconds: 60, skewMs: () => skewMs });
    await list.whole();
    await list.revoked.revoke(token('a'));
    const failCommands = ['insert', 'getMore', 'aggregate', 'find', 'hello'];
    const failing = await failPoint({
      mode: 'alwaysOn',
      data: { failCommands, closeConnection: true, appName: 'postern' },
    });
    try {
      await poll('the list to fail', () => Promise.resolve(list.told.includes('failed') ? true : null));
      assert.deepEqual([list.revoked.isRevoked('a'), list.revoked.isRevoked('b')], [true, false]);
      await assert.rejects(list.revoked.revoke(token('b')), StoreUnavailable);
      skewMs = 70_000;
      assert.equal(list.revoked.isRevoked('a'), true);
      assert.throws(() => list.revoked.isRevoked('b'), /the list of revoked tokens is out of date/);
    } finally {
      await failing[Symbol.asyncDispose]();
    }
    await list.whole();
    assert.equal(list.revoked.isRevoked('b'), false);
    await list.revoked.revoke(token('b'));
    assert.equal(list.revoked.isRevoked('b'), true);
  });

  it('begins again when its collection is dropped, and forgets nothing', async () => {
    const [first, second] = [open(), open()];
    await Promise.all([first.whole(), second.whole()]);
    await first.revoked.revoke(token('a'));
    await db().dropCollection('revokedTokens');
    await repairSchema(db());
    await second.revoked.revoke(token('b'));
    await until(first, 'b');
    assert.deepEqual([first.revoked.isRevoked('a'), first.told], [true, ['running']]);
  });

  it('takes what an earlier version wrote, which named no consumer', async () => {
    const expiresAt = new Date(token('old').expiresAt * 1000);
    const list = open();
    await list.whole();
    const collection = db().collection<RevokedTokenDocument>('revokedTokens');
    await collection.insertOne({ _id: 'old', credentialId: 'acme-oauth2', expiresAt });
    await until(list, 'old');
    const second = open();
    await second.whole();
    assert.equal(second.revoked.isRevoked('old'), true);
  });

  it('passes over what others wrote', async () => {
    await db().collection('revokedTokens').insertOne({ note: 'by hand' }, { bypassDocumentValidation: true });
    const list = open();
    await list.whole();
    assert.equal(list.revoked.isRevoked('a'), false);
  });

  it('is looked at again and again on a stand-alone server', async function () {
    this.timeout(60_000);
    const address = await standAloneDatabase();
    await using client = await new MongoClient(address).connect();
    await client
      .db()
      .collection<{ _id: string; version: number }>('meta')
      .insertOne({ _id: 'schema', version: SCHEMA_VERSION });
    const [first, second] = [open({ address }), open({ address })];
    await Promise.all([first.whole(), second.whole()]);
    await first.revoked.revoke(token('a'));
    await until(second, 'a');
    await release(...kept.splice(0));
  });
});
