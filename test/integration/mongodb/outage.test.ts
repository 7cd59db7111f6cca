import assert from 'node:assert/strict';
import { type Document, MongoClient } from 'mongodb';
import { systemClock } from '../../../src/base/clock.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { borrowReplicaSet } from '../../support/mongodb/borrow-servers.ts';
import { type FailPoint, setFailPoint } from '../../support/mongodb/fail-point.ts';
import { type Mongod } from '../../support/mongodb/mongod.ts';
import type { ReplicaSet } from '../../support/mongodb/replica-set.ts';
import { consumer, grant, keyEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { acme, empty, hmacCredential, openStore, type OpenStore, put } from './support.ts';

const GRANTED = 'acme active granted orders';
const REVOKED = 'acme revoked granted orders';

/** Does something with a connection of its own, which no fault of the tested ones touches. */
async function withDatabase<T>(set: ReplicaSet, work: (db: ReturnType<MongoClient['db']>) => Promise<T>): Promise<T> {
  await using client = new MongoClient(set.uri('postern'), { appName: 'test', serverSelectionTimeoutMS: 20_000 });
  return await work(client.db());
}

describe('MongoDB that goes down', function () {
  this.timeout(60_000);
  let set: ReplicaSet;
  let server: Mongod;
  let store: OpenStore;

  before(async () => {
    set = await borrowReplicaSet();
    [server] = set.members as [Mongod];
    await withDatabase(set, ensureSchema);
  });

  after(async () => {
    await set[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    await withDatabase(set, async (db) => {
      await empty(db);
      await put(db, acme);
    });
    store = openStore(set.uri('postern'));
    await store.untilTold('following');
    assert.equal(await store.ask(), GRANTED);
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  /** Does something while Postern's commands fail, and no others. */
  async function whileFailing(
    data: Omit<FailPoint['data'], 'appName'>,
    mode: FailPoint['mode'],
    work: () => Promise<void>,
  ): Promise<void> {
    const failing = await setFailPoint(set.uri(), { mode, data: { ...data, appName: 'postern' } });
    try {
      await work();
    } finally {
      await failing[Symbol.asyncDispose]();
    }
  }

  it('serves callers who were seen before, and reports it once', async () => {
    await server.kill();
    await store.untilTold('down unreachable');
    assert.equal(await store.ask(), GRANTED);
    assert.equal(await store.ask('somebody-else'), 'unavailable');
    assert.equal(store.ownerOf('/orders'), 'orders');
    assert.equal(store.checks.findUnreadiness(), null);
    assert.match(store.checks.findNotice() ?? '', /^MongoDB does not answer; deciding with what was read \d+ s ago$/);
    assert.equal(store.checks.isUp, false);
    await server.restart();
    await store.untilTold('up');
    assert.equal(store.checks.isUp, true);
    assert.equal(store.checks.findNotice(), null);
    await store.until('unknown', 'somebody-else');
    assert.deepEqual(
      store.told.filter((line) => !line.startsWith('loaded')),
      ['following', 'down unreachable', 'up'],
    );
  });

  it('misses nothing that is changed before it follows again', async () => {
    await whileFailing({ failCommands: ['getMore', 'aggregate'], closeConnection: true }, 'alwaysOn', async () => {
      await store.untilTold('down unreachable');
      await withDatabase(set, async (db) => {
        await put(db, { credentials: [hmacCredential({ state: 'revoked' })] });
        await put(db, { endpoints: [keyEndpoint({ enabled: false })] });
      });
      // A stream that still waited on the server when it began to fail can have been told of the change.
      assert.ok([GRANTED, 'unavailable'].includes(await store.ask()));
    });
    await store.until(REVOKED);
    await poll('the endpoint', () => Promise.resolve(store.ownerOf('/orders') === 'refused' ? true : null));
    await store.untilTold('up');
    assert.ok(!store.told.includes('missed changes'));
  });

  it('reads everything again when history is lost', async () => {
    for (const [index, errorCode] of [286, 280, 9].entries()) {
      const endpointId = `made-after-${String(errorCode)}`;
      await whileFailing({ failCommands: ['getMore'], errorCode }, { times: 4 }, async () => {
        await withDatabase(set, async (db) => {
          await put(db, { grants: [grant({ endpointId })] });
        });
        await store.untilTold('missed changes', index + 1);
      });
      await poll('the new grant', async () => ((await store.ask()).includes(endpointId) ? true : null));
    }
  });

  it('does not keep callers waiting while it is frozen', async () => {
    await server.freeze();
    try {
      await store.untilTold(/^down (unreachable|slow)$/);
      assert.equal(await store.ask(), GRANTED);
      assert.equal(await store.ask('somebody-else'), 'unavailable');
    } finally {
      server.thaw();
    }
    await store.untilTold('up');
    await store.until('unknown', 'somebody-else');
  });

  it('gives up look-ups that are slow, while changes still come in', async () => {
    const unseen = Array.from({ length: 6 }, (_, index) => `unseen-${String(index)}`);
    await withDatabase(set, async (db) => {
      await put(db, { credentials: unseen.map((appKey) => hmacCredential({ id: appKey, appKey })) });
    });
    const slow = { failCommands: ['aggregate'], blockConnection: true, blockTimeMS: 3000 };
    await whileFailing(slow, 'alwaysOn', async () => {
      await poll('the breaker to open', async () => {
        const asked = unseen.map(async (appKey) => await store.ask(appKey));
        assert.deepEqual(new Set(await Promise.all(asked)), new Set(['unavailable']));
        return store.checks.isUp ? null : true;
      });
      assert.deepEqual(
        store.told.filter((line) => line.startsWith('down')),
        ['down slow'],
      );
      assert.equal(await store.ask(), GRANTED);
      await withDatabase(set, async (db) => {
        await put(db, { endpoints: [keyEndpoint({ enabled: false })] });
      });
      await poll('the endpoint', () => Promise.resolve(store.ownerOf('/orders') === 'refused' ? true : null));
    });
    // Somebody has to ask before it is found out that look-ups are answered again.
    await store.until('unknown', 'yet-another');
    await store.untilTold('up');
  });

  it('refuses after a change that cannot be read', async () => {
    await whileFailing({ failCommands: ['aggregate'], closeConnection: true }, 'alwaysOn', async () => {
      await withDatabase(set, async (db) => {
        await put(db, { consumers: [consumer({ enabled: false })] });
      });
      await store.until('unavailable');
    });
  });

  it('waits for a database that is down at start, and then becomes ready', async () => {
    await store[Symbol.asyncDispose]();
    await server.kill();
    store = openStore(set.uri('postern'));
    await store.untilTold('down unreachable');
    assert.equal(await store.ask(), 'unavailable');
    assert.match(store.checks.findUnreadiness() ?? '', /^MongoDB does not answer at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    assert.equal(store.checks.findNotice(), null);
    await server.restart();
    await store.checks.ready;
    await store.until(GRANTED);
    await store.untilTold('up');
  });
});

describe('a replica set of three', function () {
  this.timeout(90_000);
  let set: ReplicaSet;
  let store: OpenStore;

  before(async () => {
    set = await borrowReplicaSet({ members: 3 });
    await withDatabase(set, async (db) => {
      await empty(db);
      await put(db, acme);
    });
  });

  after(async () => {
    await set[Symbol.asyncDispose]();
  });

  beforeEach(async () => {
    store = openStore(set.uri('postern'));
    await store.untilTold('following');
    assert.equal(await store.ask(), GRANTED);
  });

  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    assert.deepEqual(store.defects, []);
  });

  /** Changes something, and waits until it counts; then changes it back. */
  async function assertFollows(): Promise<void> {
    for (const [credentials, answer] of [
      [[hmacCredential({ state: 'revoked' })], REVOKED],
      [[hmacCredential()], GRANTED],
    ] as const) {
      await withDatabase(set, async (db) => {
        await put(db, { credentials });
      });
      await store.until(answer);
    }
  }

  it('goes on through a change of the primary', async () => {
    await set.stepDown();
    await assertFollows();
    assert.ok(!store.told.includes('missed changes'));
  });

  it('looks up and follows while one member is dead', async () => {
    const primary = await set.primary();
    await primary.kill();
    await store.until('unknown', 'somebody-else');
    await assertFollows();
    await primary.restart();
  });

  /** Cuts a member off from the others, and Postern from all but that one. */
  async function cutOff(member: Mongod): Promise<AsyncDisposable> {
    const failCommands = ['hello', 'getMore', 'aggregate', 'find'];
    const faults = set.members.map((each) =>
      each === member
        ? { on: each, configureFailPoint: 'stopReplProducer' }
        : {
            on: each,
            configureFailPoint: 'failCommand',
            data: { failCommands, closeConnection: true, appName: 'postern' },
          },
    );
    for (const { on, ...fault } of faults) await set.command({ ...fault, mode: 'alwaysOn' }, on);
    return {
      [Symbol.asyncDispose]: async () => {
        for (const { on, configureFailPoint } of faults) await set.command({ configureFailPoint, mode: 'off' }, on);
      },
    };
  }

  /** Revokes where Postern is cut off with a member, and lets time pass. */
  async function assertEndsBeing(cut: () => Promise<AsyncDisposable>): Promise<void> {
    let skewMs = 0;
    await using replica = openStore(set.uri('postern'), {
      clock: { ...systemClock, nowMs: () => systemClock.nowMs() + skewMs },
      maxStaleSeconds: 60,
    });
    await replica.untilTold('following');
    assert.equal(await replica.ask(), GRANTED);
    const faults = await cut();
    try {
      await replica.untilTold(/^down/);
      await withDatabase(set, async (db) => {
        await put(db, { credentials: [hmacCredential({ state: 'revoked' })] });
      });
      skewMs = 50_000;
      await replica.until(GRANTED);
      await replica.until('unknown', 'somebody-else');
      skewMs = 61_000;
      assert.equal(await replica.ask(), 'unavailable');
      assert.equal(await replica.ask('somebody-else'), 'unavailable');
      await using fresh = openStore(set.uri('postern'));
      await fresh.untilTold(/^down/);
      assert.notEqual(fresh.checks.findUnreadiness(), null);
    } finally {
      await faults[Symbol.asyncDispose]();
    }
    await replica.until(REVOKED);
    await assertFollows();
  }

  it('decides by a secondary that was cut off for maxStaleSeconds, and then nobody', async () => {
    const { members } = await set.command({ replSetGetStatus: 1 });
    const sources = (members as readonly Document[]).map((each) => String(each['syncSourceHost']));
    const primary = await set.primary();
    const behind = set.members.find((member) => member !== primary && !sources.includes(member.address));
    assert.ok(behind);
    await assertEndsBeing(() => cutOff(behind));
  });

  it('decides by a former primary that was cut off for maxStaleSeconds, and then nobody', async () => {
    const former = await set.primary();
    await assertEndsBeing(async () => {
      const faults = await cutOff(former);
      await set.stepDown();
      return faults;
    });
  });

  it('goes on after all members were gone', async () => {
    for (const member of set.members) await member.kill();
    await store.untilTold('down unreachable');
    assert.equal(await store.ask(), GRANTED);
    assert.equal(await store.ask('somebody-else'), 'unavailable');
    await Promise.all(
      set.members.map(async (member) => {
        await member.restart();
      }),
    );
    await store.untilTold('up');
    await assertFollows();
    assert.ok(!store.told.includes('missed changes'));
  });
});
