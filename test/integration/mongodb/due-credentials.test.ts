import assert from 'node:assert/strict';
import type { Document } from 'mongodb';
import { systemClock } from '../../../src/base/clock.ts';
import type { DueOrder, DuePlace, DueSelection } from '../../../src/resources/changes/due-source.ts';
import { collectAll } from '../../../src/resources/changes/resource-store.ts';
import { createDueSource, indexOfOrder } from '../../../src/stores/mongodb/due-credentials.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { MongoResourceStore } from '../../../src/stores/mongodb/resource-store.ts';
import { createUsageSink } from '../../../src/stores/mongodb/usage.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { consumer } from '../../support/pipeline/resources.ts';
import { hmacCredential, put } from './support.ts';

const day = 86_400;

describe('credentials by what is due, in MongoDB', () => {
  const database = useDatabase();
  const now = systemClock.nowSeconds();
  const dayOf = (days: number): Date => new Date((now + days * day) * 1000);
  const set = async (id: string, fields: Document): Promise<void> => {
    const credentials = database.db().collection<{ _id: string }>('credentials');
    await credentials.updateOne({ _id: id }, { $set: fields }, { bypassDocumentValidation: true });
  };
  before(async () => {
    const db = database.db();
    await ensureSchema(db);
    const ids = ['ends-1', 'ends-2', 'ends-3', 'revoked', 'ended', 'retiring', 'secret', 'key', 'lasting'];
    const credentials = ids.map((id) => hmacCredential({ id, appKey: `key-of-${id}` }));
    await put(db, { consumers: [consumer()], credentials });
    for (const id of ['ends-1', 'ends-2', 'ends-3']) await set(id, { expiresAt: dayOf(5) });
    await set('revoked', { expiresAt: dayOf(5), state: 'revoked' });
    await set('ended', { expiresAt: dayOf(-1) });
    await set('retiring', { expiresAt: dayOf(40), state: 'retiring' });
    await set('secret', { retiringSecret: { expiresAt: dayOf(2) } });
    await set('key', { retiringPublicKey: { expiresAt: dayOf(3) } });
    const used = (credentialId: string, days: number): object => ({
      ...{ credentialId, lastUsedAt: now + days * day, retiringSecretLastUsedAt: null },
    });
    const uses = [
      ...['ends-1', 'revoked', 'ended', 'gone'].map((id) => used(id, -200)),
      ...['ends-2', 'ends-3'].map((id) => used(id, -100)),
      used('lasting', -1),
    ];
    await createUsageSink(db).write(uses as never);
  });

  const list = async (
    order: DueOrder,
    more: Partial<Pick<DueSelection, 'untilMs' | 'behind' | 'most'>> = {},
  ): Promise<readonly DuePlace[]> => {
    const afterMs = order === 'idle' ? -Infinity : now * 1000;
    const selection = { order, afterMs, untilMs: Infinity, behind: null, most: 2, ...more };
    return await collectAll(createDueSource(database.db(), systemClock).list(selection));
  };
  const idsOf = (places: readonly DuePlace[]): readonly string[] => places.map(({ id }) => id);

  it('come in the order of each time, and then of their ids', async () => {
    assert.deepEqual(idsOf(await list('end')), ['ends-1', 'ends-2', 'ends-3', 'retiring']);
    assert.deepEqual(idsOf(await list('end', { untilMs: dayOf(30).getTime() })), ['ends-1', 'ends-2', 'ends-3']);
    assert.deepEqual(idsOf(await list('retiring')), ['retiring']);
    assert.deepEqual(idsOf(await list('former-secret')), ['secret']);
    assert.deepEqual(idsOf(await list('former-key')), ['key']);
    // Neither revoked nor ended ones, nor those that are gone.
    assert.deepEqual(idsOf(await list('idle', { untilMs: dayOf(-90).getTime() })), ['ends-1', 'ends-2', 'ends-3']);
  });

  it('go on behind any place', async () => {
    for (const [order, untilMs] of [
      ['end', Infinity],
      ['idle', dayOf(-90).getTime()],
    ] as const) {
      const all = await list(order, { untilMs });
      for (const [index, behind] of all.entries()) {
        assert.deepEqual(await list(order, { untilMs, behind }), all.slice(index + 1), `${order} ${String(index)}`);
      }
    }
  });

  it('are found by an index, without a sort', async () => {
    for (const order of ['end', 'certificate', 'former-secret', 'former-key', 'retiring', 'idle'] as const) {
      const collection = database.db().collection(order === 'idle' ? 'usage' : 'credentials');
      const [index] = (await collection.indexes()).filter(({ name }) => name === indexOfOrder(order));
      assert.ok(index !== undefined, order);
    }
    await database.db().admin().command({ setParameter: 1, notablescan: true });
    try {
      for (const order of ['end', 'certificate', 'former-secret', 'former-key', 'retiring', 'idle'] as const)
        await list(order);
    } finally {
      await database.db().admin().command({ setParameter: 1, notablescan: false });
    }
  });

  it('have a new credential among those that are not used, from when it works', async () => {
    const store = new MongoResourceStore({
      ...{ db: database.db(), sealer: testKeyRing(), clock: systemClock, onFault: () => undefined },
    });
    const later = now + 30 * day;
    const news = ['new', 'new-later'].map((id) => {
      const after = hmacCredential({ id, appKey: `key-of-${id}` });
      return {
        ...({ kind: 'credential', id, before: null } as const),
        after: { ...after, notBefore: id === 'new' ? null : later },
      };
    });
    await store.commit(news, { actor: 'test', action: 'test' });
    const added = (await list('idle')).filter(({ id }) => id.startsWith('new'));
    assert.deepEqual(idsOf(added), ['new', 'new-later']);
    assert.equal(added[1]?.atMs, later * 1000);
    const [stored] = await collectAll(store.list('credential', { ids: ['new'] }));
    assert.ok(stored !== undefined);
    await store.commit([{ kind: 'credential', id: 'new', before: stored, after: null }], { actor: 't', action: 't' });
    assert.deepEqual(
      idsOf(await list('idle')).filter((id) => id === 'new'),
      [],
    );
  });
});
