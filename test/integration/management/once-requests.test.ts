import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { createOnceRequests } from '../../../src/stores/mongodb/once-requests.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

const ringOf = (id: string): KeyRing =>
  new KeyRing({
    currentKeyId: id,
    stagedKeyId: null,
    keys: [{ id, createdAt: 0, key: createSecretKey(randomBytes(32)) }],
  });

describe('requests that are answered once, in MongoDB', () => {
  const database = useDatabase();
  const request = {
    ...{ id: 'a'.repeat(64), operatorId: 'alice', request: 'b'.repeat(64) },
    ...{ createdAt: 1_790_000_000, expiresAt: 4_000_000_000 },
  };

  it('have one who begins, keep a sealed answer, and lose it with its key', async () => {
    const ring = ringOf('k1');
    const once = createOnceRequests(database.db(), ring);
    const begun = await Promise.all([once.begin(request), once.begin(request)]);
    assert.equal(begun.filter((former) => former === null).length, 1);
    const answer = { status: 201, headers: { etag: '"1"' }, body: '{"appSecret":"do-not-store"}' };
    await once.finish(request.id, answer);
    assert.deepEqual(await once.begin(request), { request: request.request, answer });
    const stored = await database.db().collection('idempotency').findOne({});
    assert.ok(!JSON.stringify(stored).includes('do-not-store'));
    const other = createOnceRequests(database.db(), ringOf('k2'));
    assert.deepEqual(await other.begin(request), { request: request.request, answer: null });
    await once.forget(request.id);
    assert.equal(await once.begin(request), null);
  });
});
