import assert from 'node:assert/strict';
import { cookieNames } from '../../../src/operators/console/sign-in/cookies.ts';
import { IDLE_SECONDS, MOST_SECONDS, Sessions } from '../../../src/operators/console/sign-in/sessions.ts';
import { issueToken } from '../../../src/resources/changes/operator-token.ts';
import {
  planNewToken,
  planOperatorEdit,
  planOperatorRemoval,
  planTokenRevocation,
} from '../../../src/resources/changes/plan-operator.ts';
import type { Planned } from '../../../src/resources/changes/change.ts';
import { type Operator, operatorDefaults } from '../../../src/model/operator.ts';
import type { Stored } from '../../../src/resources/resource.ts';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { openMongoStore, type OpenedMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

const START = 1_790_000_000;
const HOUR = 3600;

describe('sessions of operators in MongoDB', () => {
  const database = useDatabase();
  let now = START;
  const clock = { nowSeconds: () => now, nowMs: () => now * 1000, elapsedMs: () => 0 };
  const stores: OpenedMongoStore[] = [];

  /** As one of several processes has it. */
  function open(uri = database.uri()): { store: OpenedMongoStore; sessions: Sessions } {
    const store = openMongoStore(uri, { sealer: testKeyRing(), clock, timeoutMs: 2000, onFault: () => assert.fail() });
    stores.push(store);
    assert.ok(store.sessions);
    return { store, sessions: new Sessions({ sessions: store.sessions, resources: store.resources, clock }) };
  }
  let one: ReturnType<typeof open>;
  let other: ReturnType<typeof open>;

  before(async () => {
    await ensureSchema(database.db());
    one = open();
    other = open();
  });
  beforeEach(async () => {
    now = START;
    await emptyCollections(database.db());
  });
  after(async () => {
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
  });

  const { token } = issueToken('alice', START - 10, START + 8 * HOUR);
  async function addAlice(more: Partial<Operator> = {}): Promise<void> {
    const after = {
      ...operatorDefaults,
      id: 'alice',
      role: 'viewer',
      tokens: [token],
      subjects: ['s1'],
      ...more,
    } as const;
    await commit({ changes: [{ kind: 'operator', id: 'alice', before: null, after }] });
  }
  async function commit(planned: Planned): Promise<void> {
    assert.ok('changes' in planned, JSON.stringify(planned));
    await other.store.resources.commit(planned.changes, { actor: 'ada', action: 'test' });
  }
  async function alice(): Promise<Stored<Operator>> {
    return (await other.store.resources.find('operator', 'alice')) ?? assert.fail('no alice');
  }
  const edit = async (wish: Readonly<Record<string, unknown>>): Promise<void> => {
    await commit(planOperatorEdit(await alice(), wish));
  };
  const requestWith = (id: string): Request =>
    new Request('http://127.0.0.1/', { headers: { cookie: `theme=dark; ${cookieNames.session}=${id}` } });
  const kept = async (): Promise<number> => await database.db().collection('sessions').countDocuments();

  it('are known to every process, with the operator as the store has it now', async () => {
    await addAlice();
    const id = await one.sessions.begin('alice', { token });
    const first = await one.sessions.find(requestWith(id));
    assert.deepEqual([first?.operator.id, first?.operator.role], ['alice', 'viewer']);
    await edit({ role: 'support' });
    const second = await other.sessions.find(requestWith(id));
    assert.deepEqual([second?.operator.role, second?.csrfToken], ['support', first?.csrfToken]);
  });

  it('are not in the database in a form that could be used, nor is what forms need', async () => {
    await addAlice();
    const id = await one.sessions.begin('alice', { token });
    const found = await one.sessions.find(requestWith(id));
    const documents = JSON.stringify(await database.db().collection('sessions').find().toArray());
    assert.match(id, /^[A-Za-z0-9_-]{43}$/);
    assert.ok(!documents.includes(id) && !documents.includes(found?.csrfToken ?? id), documents);
    const [{ _id: hash } = assert.fail()] = await database
      .db()
      .collection<{ _id: string }>('sessions')
      .find()
      .toArray();
    assert.equal(await one.sessions.find(requestWith(hash)), null);
  });

  it('have different ids and form tokens', async () => {
    await addAlice();
    const ids = [await one.sessions.begin('alice', { token }), await one.sessions.begin('alice', { token })];
    const tokens = await Promise.all(ids.map(async (id) => (await one.sessions.find(requestWith(id)))?.csrfToken));
    assert.equal(new Set([...ids, ...tokens]).size, 4);
  });

  it('are none for an id that nobody was given, and for other cookies', async () => {
    await addAlice();
    await one.sessions.begin('alice', { token });
    for (const id of ['', 'x', 'A'.repeat(43), `${'A'.repeat(43)};`])
      assert.equal(await one.sessions.find(requestWith(id)), null);
    assert.equal(await one.sessions.find(new Request('http://127.0.0.1/')), null);
  });

  it('end after half an hour without a request', async () => {
    await addAlice();
    const id = await one.sessions.begin('alice', { token });
    now += IDLE_SECONDS - 1;
    assert.ok(await one.sessions.find(requestWith(id)));
    now += IDLE_SECONDS - 1;
    assert.ok(await other.sessions.find(requestWith(id)), 'the request before moved the end');
    now += IDLE_SECONDS;
    assert.equal(await one.sessions.find(requestWith(id)), null);
  });

  it('end after twelve hours in any case', async () => {
    const { token: lasting } = issueToken('alice', START, START + 48 * HOUR);
    await addAlice({ tokens: [lasting] });
    const id = await one.sessions.begin('alice', { token: lasting });
    for (; now < START + MOST_SECONDS - 600; now += 600)
      assert.ok(await one.sessions.find(requestWith(id)), String(now - START));
    now = START + MOST_SECONDS - 1;
    assert.ok(await one.sessions.find(requestWith(id)));
    now += 1;
    assert.equal(await one.sessions.find(requestWith(id)), null);
  });

  it('end with the token that they began with', async () => {
    await addAlice();
    const id = await one.sessions.begin('alice', { token });
    for (; now < token.expiresAt; now += 1200) assert.ok(await one.sessions.find(requestWith(id)));
    assert.equal(await one.sessions.find(requestWith(id)), null);
  });

  const endings: Readonly<Record<string, () => Promise<void>>> = {
    'its token is revoked': async () => {
      await commit({ changes: planTokenRevocation(await alice(), token.id) ?? assert.fail() });
    },
    'the operator is disabled': async () => {
      await edit({ enabled: false });
    },
    'the operator is removed': async () => {
      await commit({ changes: planOperatorRemoval(await alice()) });
    },
  };
  for (const [what, end] of Object.entries(endings)) {
    it(`ends in every process at once when ${what}`, async () => {
      await addAlice();
      const id = await one.sessions.begin('alice', { token });
      assert.ok(await one.sessions.find(requestWith(id)));
      await end();
      assert.equal(await one.sessions.find(requestWith(id)), null);
      assert.equal(await kept(), 0);
    });
  }

  it('do not come back when the operator is enabled, or added again', async () => {
    await addAlice();
    const id = await one.sessions.begin('alice', { token });
    await edit({ enabled: false });
    await edit({ enabled: true });
    assert.equal(await one.sessions.find(requestWith(id)), null);
    const later = await one.sessions.begin('alice', { token });
    // As if it had been written while the operator was removed.
    const [session = assert.fail()] = await database.db().collection('sessions').find().toArray();
    await commit({ changes: planOperatorRemoval(await alice()) });
    now += 1;
    await addAlice();
    await database.db().collection('sessions').insertOne(session);
    assert.equal(await one.sessions.find(requestWith(later)), null);
  });

  it('go with the answers of an operator who is removed, which nobody of the same id gets', async () => {
    await addAlice();
    const once = one.store.once ?? assert.fail();
    const times = { createdAt: now, expiresAt: now + 24 * HOUR };
    const [hers, bobs] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
    for (const [id, operatorId] of [
      [hers, 'alice'],
      [bobs, 'bob'],
    ] as const) {
      assert.equal(await once.begin({ id, operatorId, request: id, ...times }), null);
      await once.finish(id, { status: 201, headers: {}, body: '{}' });
    }
    await edit({ enabled: false });
    assert.notEqual(await once.begin({ id: hers, operatorId: 'alice', request: hers, ...times }), null);
    await commit({ changes: planOperatorRemoval(await alice()) });
    assert.equal(await once.begin({ id: hers, operatorId: 'alice', request: hers, ...times }), null);
    assert.notEqual(await once.begin({ id: bobs, operatorId: 'bob', request: bobs, ...times }), null);
  });

  it('stay when another token or subject of the operator is taken', async () => {
    await addAlice({ subjects: ['s1', 's2'] });
    const second = issueToken('alice', START, START + HOUR);
    await commit(planNewToken(await alice(), second));
    const id = await one.sessions.begin('alice', { token });
    const person = await one.sessions.begin('alice', { subject: 's1' });
    await commit({ changes: planTokenRevocation(await alice(), second.token.id) ?? assert.fail() });
    await edit({ subjects: ['s1'] });
    assert.ok(await one.sessions.find(requestWith(id)));
    assert.ok(await one.sessions.find(requestWith(person)));
    await edit({ subjects: ['s3'] });
    assert.ok(await one.sessions.find(requestWith(id)));
    assert.equal(await one.sessions.find(requestWith(person)), null);
  });

  it('end at sign-out, and no others of the operator', async () => {
    await addAlice();
    const ids = [await one.sessions.begin('alice', { token }), await one.sessions.begin('alice', { token })] as const;
    await one.sessions.end(requestWith(ids[0]));
    assert.equal(await other.sessions.find(requestWith(ids[0])), null);
    assert.ok(await other.sessions.find(requestWith(ids[1])));
  });

  it('are unknown, not ended, while MongoDB does not answer', async () => {
    await addAlice();
    const id = await one.sessions.begin('alice', { token });
    const nobody = open('mongodb://127.0.0.1:1/postern?serverSelectionTimeoutMS=200');
    await assert.rejects(nobody.sessions.find(requestWith(id)), StoreUnavailable);
    assert.ok(await one.sessions.find(requestWith(id)));
  });

  it('are found by an index, also those of an operator', async () => {
    const client = connectMongodb(database.uri(), 'commands');
    const { queryPlanner } = await client.db().collection('sessions').find({ operatorId: 'alice' }).explain();
    assert.match(JSON.stringify(queryPlanner), /operatorId_1/);
    await client.close();
  });
});
