import assert from 'node:assert/strict';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { createUsageSink } from '../../../src/stores/mongodb/usage.ts';
import { type CredentialUse } from '../../../src/stores/usage-recorder.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

function use(credentialId: string, lastUsedAt: number, retiringSecretLastUsedAt: number | null = null): CredentialUse {
  return { credentialId, lastUsedAt, retiringSecretLastUsedAt };
}

const at = (seconds: number): Date => new Date(seconds * 1000);

describe('the times of use in MongoDB', () => {
  const database = useDatabase();
  const stored = async (): Promise<unknown[]> =>
    await database.db().collection('usage').find({}).sort({ _id: 1 }).toArray();
  before(async () => {
    await ensureSchema(database.db());
  });
  beforeEach(async () => {
    await database.db().collection('usage').deleteMany({});
  });

  it('are dates under the id of the credential, the retiring secret apart', async () => {
    await createUsageSink(database.db()).write([use('a', NOON), use('b', NOON + 1, NOON)]);
    assert.deepEqual(await stored(), [
      { _id: 'a', lastUsedAt: at(NOON), idleSince: at(NOON) },
      { _id: 'b', lastUsedAt: at(NOON + 1), idleSince: at(NOON + 1), retiringSecretLastUsedAt: at(NOON) },
    ]);
  });

  it('only go forward, in whatever order they are written', async () => {
    const sink = createUsageSink(database.db());
    const writes = [[use('a', NOON + 9)], [use('a', NOON, NOON)], [use('a', NOON + 5, NOON + 5)], [use('a', NOON + 9)]];
    await Promise.all(
      writes.map(async (batch) => {
        await sink.write(batch);
      }),
    );
    assert.deepEqual(await stored(), [
      {
        _id: 'a',
        lastUsedAt: at(NOON + 9),
        idleSince: at(NOON + 9),
        retiringSecretLastUsedAt: at(NOON + 5),
      },
    ]);
  });

  it('are written for many credentials at once', async () => {
    const batch = Array.from({ length: 2500 }, (_, at) => use(`credential-${String(at)}`, NOON + at));
    await createUsageSink(database.db()).write(batch);
    assert.equal(await database.db().collection('usage').countDocuments(), 2500);
  });

  it('are a fault when they cannot be written', async () => {
    await using failing = await database.failPoint({
      mode: 'alwaysOn',
      data: { failCommands: ['update'], errorCode: 189 },
    });
    assert.ok(failing);
    await assert.rejects(createUsageSink(database.db()).write([use('a', NOON)]), StoreUnavailable);
  });

  it('are a fault when the server does not confirm them, because it steps down', async () => {
    await using failing = await database.failPoint({
      mode: 'alwaysOn',
      data: { failCommands: ['update'], writeConcernError: { code: 11602, errmsg: 'stepping down' } },
    });
    assert.ok(failing);
    await assert.rejects(createUsageSink(database.db()).write([use('a', NOON)]), StoreUnavailable);
  });
});
