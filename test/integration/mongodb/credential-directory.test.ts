import assert from 'node:assert/strict';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { appKeyMaterial, sharedSecret } from '../../../src/model/material.ts';
import { Secret } from '../../../src/model/secret.ts';
import type { Change } from '../../../src/resources/changes/change.ts';
import { collectAll } from '../../../src/resources/changes/resource-store.ts';
import { createCredentialDirectory } from '../../../src/stores/mongodb/credential-directory.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { MongoResourceStore } from '../../../src/stores/mongodb/resource-store.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { consumer, credential } from '../../support/pipeline/resources.ts';

const ring = testKeyRing();
const going = new AbortController().signal;

describe('how App Keys end, in MongoDB', () => {
  const database = useDatabase();
  const secretKey = '0123456789abcdef0123456789abcdef';

  const created = (id: string, appKey: string, isSecret = false): Change => ({
    kind: 'credential',
    id,
    before: null,
    after: {
      ...credential({ id }),
      ...(isSecret
        ? { methods: ['key'] as const, material: appKeyMaterial }
        : { methods: ['hmac'] as const, material: sharedSecret(Secret.fromText('an App Secret')) }),
      ...{ appKey: Secret.fromText(appKey), appKeyHash: hashAppKey(appKey) },
    },
  });
  const commit = async (...changes: Change[]): Promise<void> => {
    const store = new MongoResourceStore({
      ...{ db: database.db(), sealer: ring, clock: systemClock },
      onFault: () => assert.fail('a fault'),
    });
    await store.commit(changes, { actor: 'alice', action: 'test' });
  };
  const found = async (end: string, after?: string): Promise<readonly string[]> =>
    await collectAll(createCredentialDirectory(database.db(), ring).withKeyEnd(end, { after, most: 1 }));

  before(async () => {
    await ensureSchema(database.db());
    await commit(
      { kind: 'consumer', id: 'acme', before: null, after: consumer() },
      created('hidden', secretKey, true),
      created('public', 'acme-cdef'),
      created('short', 'short-cdef', true),
      created('two', 'acme-two'),
    );
  });

  it('is kept by commits, but of a secret that is short, and forgotten with the credential', async () => {
    assert.deepEqual(await found('cdef'), ['hidden', 'public']);
    assert.deepEqual(await found('cdef', 'hidden'), ['public']);
    assert.deepEqual(await found('-two'), ['two']);
    const stored = await database.db().collection('usage').find().toArray();
    assert.ok(!JSON.stringify(stored).includes('0123456789ab'));
    assert.equal(await createCredentialDirectory(database.db(), null).count('credential'), 4);
  });

  it('is noted once of what former versions wrote, by a process with the key ring', async () => {
    const usage = database.db().collection('usage');
    await usage.updateMany({}, { $unset: { appKeyEnd: '' } });
    const stopped = new AbortController();
    stopped.abort();
    const directory = createCredentialDirectory(database.db(), ring);
    assert.equal(await directory.noteKeyEnds(stopped.signal), 0);
    assert.equal(await createCredentialDirectory(database.db(), null).noteKeyEnds(going), null);
    assert.equal(await directory.noteKeyEnds(going), 3);
    assert.deepEqual(await found('cdef'), ['hidden', 'public']);
    assert.equal(await directory.noteKeyEnds(going), null);
  });

  it('is passed over where the key ring does not open an App Key', async () => {
    await database
      .db()
      .collection('usage')
      .updateMany({}, { $unset: { appKeyEnd: '' } });
    await database.db().collection<{ _id: string }>('meta').deleteOne({ _id: 'keyEnds' });
    const other = createCredentialDirectory(database.db(), testKeyRing(2));
    assert.equal(await other.noteKeyEnds(going), 2);
    assert.deepEqual(await found('cdef'), ['public']);
  });
});
