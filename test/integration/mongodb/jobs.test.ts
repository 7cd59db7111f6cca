import assert from 'node:assert/strict';
import { Secret } from '../../../src/model/secret.ts';
import { createJobStore } from '../../../src/stores/mongodb/jobs.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

describe('changes of several at once, in MongoDB', () => {
  const database = useDatabase();
  const times = { startedAt: 1_790_000_000, expiresAt: 4_000_000_000 };
  const job = {
    ...{ id: 'j1', operatorId: 'alice', key: 'k1', title: 'Rotate 2 credentials', ...times },
    steps: ['a', 'b'].map((name) => ({ name, href: `/credentials/${name}` })),
  };
  before(async () => {
    await ensureSchema(database.db());
  });

  it('start once for a key, go on until somebody stops them, and show their secrets once', async () => {
    const store = createJobStore(database.db(), testKeyRing());
    assert.deepEqual(await Promise.all([store.start(job), store.start({ ...job, id: 'j2' })]), [true, false]);
    assert.equal(await store.start({ ...job, id: 'j3', operatorId: 'bob' }), true);
    assert.equal(await store.touch('j1', times.startedAt + 1), false);
    await store.stop('bob', 'j1');
    assert.equal(await store.touch('j1', times.startedAt + 1), false);
    await store.stop('alice', 'j1');
    assert.equal(await store.touch('j1', times.startedAt + 2), true);
    assert.equal(await store.touch('removed', times.startedAt), true);
    const outcome = { isDone: true, text: 'rotated', secret: Secret.fromText('do-not-store') };
    // A write whose answer was lost is made again.
    for (let time = 0; time < 2; time += 1) await store.note('j1', 0, outcome, times.startedAt + 3);
    await store.note('j1', 1, { isDone: false, text: 'revoked' }, times.startedAt + 4);
    await store.end('j1');
    const outcomes = [
      { isDone: true, text: 'rotated', hasSecret: true },
      { isDone: false, text: 'revoked', hasSecret: false },
    ];
    assert.deepEqual(await store.list('alice', 5), [{ ...job, outcomes, seenAt: times.startedAt + 4, isEnded: true }]);
    const stored = await database.db().collection('jobs').findOne({ operatorId: 'alice' });
    assert.ok(!JSON.stringify(stored).includes('do-not-store'));
    assert.deepEqual(await store.takeSecrets('bob', 'j1'), []);
    const [taken] = await store.takeSecrets('alice', 'j1');
    assert.deepEqual([taken?.name, taken?.secret?.reveal().toString('utf8')], ['a', 'do-not-store']);
    assert.deepEqual(await store.takeSecrets('alice', 'j1'), []);
  });

  it('give no secret to a key ring that does not open it', async () => {
    const store = createJobStore(database.db(), testKeyRing(1));
    await store.start({ ...job, id: 'j4', key: 'k4' });
    await store.note('j4', 0, { isDone: true, text: '', secret: Secret.fromText('x') }, times.startedAt);
    const other = createJobStore(database.db(), testKeyRing(2));
    assert.deepEqual(await other.takeSecrets('alice', 'j4'), [{ name: 'a', secret: null }]);
  });
});
