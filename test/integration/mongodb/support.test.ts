import assert from 'node:assert/strict';
import { MongoClient } from 'mongodb';
import { borrowReplicaSet, standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { adminCommand, withClient } from '../../support/mongodb/command.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

describe('the servers of the tests', () => {
  describe('shared', () => {
    const { db, uri, failPoint } = useDatabase();

    it('is a replica set with a database of its own for each suite', async () => {
      assert.equal(typeof (await db().admin().command({ hello: 1 }))['setName'], 'string');
      assert.deepEqual(await db().listCollections().toArray(), []);
      assert.ok(uri().includes(db().databaseName));
    });

    it('fails commands on request, and no longer than that', async () => {
      const point = await failPoint({ mode: 'alwaysOn', data: { failCommands: ['ping'], errorCode: 8 } });
      await assert.rejects(db().command({ ping: 1 }), { code: 8 });
      await point[Symbol.asyncDispose]();
      await db().command({ ping: 1 });
    });
  });

  it('survive a kill with their data, and go on after a freeze', async () => {
    await using set = await borrowReplicaSet();
    const [member] = set.members;
    assert.ok(member);
    await withClient(set.uri('test'), async (client) => {
      const items = client.db().collection<{ _id: string }>('items');
      await items.insertOne({ _id: 'kept' }, { writeConcern: { w: 'majority' } });
      await member.kill();
      await member.restart();
      await set.primary();
      assert.deepEqual(await items.findOne(), { _id: 'kept' });
    });
    await member.freeze();
    const frozen = new MongoClient(set.uri(), { serverSelectionTimeoutMS: 300 });
    await assert.rejects(frozen.connect());
    await frozen.close();
    member.thaw();
    assert.equal(await set.primary(), member);
  });

  it('come as a stand-alone server', async () => {
    const hello = await adminCommand(await standAloneDatabase(), { hello: 1 });
    assert.equal(hello['setName'], undefined);
  });

  it('elect another of three when the primary steps down', async () => {
    await using set = await borrowReplicaSet({ members: 3 });
    const before = await set.primary();
    await set.stepDown();
    assert.notEqual(await set.primary(), before);
  });

  it('ask who connects, over TLS', async () => {
    await using set = await borrowReplicaSet({ authorization: true, tls: true });
    assert.ok((await set.command({ usersInfo: 1 }))['users']);
    await withClient(set.uri('test', null), async (client) => {
      await assert.rejects(client.db().collection('items').findOne(), { code: 13 });
    });
  });
});
