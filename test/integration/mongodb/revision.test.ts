import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, MongoClient, ObjectId } from 'mongodb';
import { startSystemTimer, systemClock } from '../../../src/base/clock.ts';
import type { Change } from '../../../src/resources/changes/change.ts';
import { hasEnded, wholeRevision } from '../../../src/model/store-revision.ts';
import type { ResourceKind, ResourceOf } from '../../../src/resources/resource.ts';
import { endRevision, readRevision, takeRevision } from '../../../src/stores/mongodb/commit/store-revision.ts';
import { openMongoStore, type OpenedMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { release } from '../../support/lifetime/release.ts';
import { standAloneDatabase } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { consumer, grant, keyEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { empty, hmacCredential, openStore, type OpenStore, put, type Seed } from './support.ts';

const operation = { actor: 'ada', action: 'test' };
/** Resources of their own for each commit, so that each shows by its own answer. */
const COMMITS = 32;
/** After changes were lost, a store waits for eleven seconds; here for one. */
const hurriedTimer: typeof startSystemTimer = (delayMs, action) => startSystemTimer(Math.min(delayMs, 1000), action);

const idOf = (index: number): string => `p${String(index)}`;
const keyOf = (index: number): string => `partner-app-key-${String(index)}`;

function seedOf(indexes: readonly number[]): Seed {
  return {
    endpoints: indexes.map((index) => keyEndpoint({ id: idOf(index), paths: [{ prefix: `/${idOf(index)}` }] })),
    consumers: indexes.map((index) => consumer({ id: idOf(index) })),
    credentials: indexes.map((index) =>
      hmacCredential({ id: idOf(index), consumerId: idOf(index), appKey: keyOf(index) }),
    ),
    grants: indexes.map((index) => grant({ endpointId: idOf(index), consumerId: idOf(index) })),
  };
}

/** What a commit does to the resources of an index, and what has to be answered from then on. */
const deeds = ['revoke', 'disable consumer', 'remove grant', 'disable endpoint'] as const;
type Deed = (typeof deeds)[number];

async function isInForce(store: OpenStore, index: number, deed: Deed): Promise<boolean> {
  if (deed === 'disable endpoint') return store.ownerOf(`/${idOf(index)}`) === 'refused';
  const id = idOf(index);
  const wanted = {
    revoke: `${id} revoked granted ${id}`,
    'disable consumer': `${id} disabled granted ${id}`,
    'remove grant': `${id} active not granted`,
  };
  return (await store.ask(keyOf(index))) === wanted[deed];
}

/** Looks, in the moment in which a revision counts as in force, whether it is. */
class Watch {
  readonly #store: OpenStore;
  readonly #open = new Map<number, readonly [index: number, deed: Deed]>();
  readonly #looks: Promise<void>[] = [];
  readonly wrong: string[] = [];
  looked = 0;

  constructor(store: OpenStore) {
    this.#store = store;
    store.checks.onRevision(() => {
      this.#look();
    });
  }

  made(revision: number, index: number, deed: Deed): void {
    this.#open.set(revision, [index, deed]);
    this.#look();
  }

  async all(count: number): Promise<void> {
    await poll('every revision to be in force', () => Promise.resolve(this.looked === count ? true : null));
    await Promise.all(this.#looks);
  }

  #look(): void {
    const { revisionInForce } = this.#store.checks;
    if (revisionInForce === null) return;
    for (const [revision, [index, deed]] of this.#open) {
      if (!hasEnded(revisionInForce, revision)) continue;
      this.#open.delete(revision);
      this.looked += 1;
      this.#looks.push(
        isInForce(this.#store, index, deed).then((isTrue) => {
          if (!isTrue) this.wrong.push(`revision ${String(revision)}: ${deed} ${idOf(index)}`);
        }),
      );
    }
  }
}

describe('the revision in force', function () {
  this.timeout(60_000);
  const database = useDatabase();
  const all = Array.from({ length: COMMITS }, (_, index) => index);
  let operator: OpenedMongoStore;

  before(() => {
    const ports = { sealer: testKeyRing(), clock: systemClock, onFault: () => undefined, appName: 'operator' };
    operator = openMongoStore(database.uri(), ports);
  });
  after(async () => {
    await release(operator);
  });
  beforeEach(async () => {
    await empty(database.db());
    await put(database.db(), seedOf(all));
  });

  async function change<K extends ResourceKind>(
    kind: K,
    id: string,
    edit: (resource: ResourceOf[K]) => ResourceOf[K] | null,
  ): Promise<number> {
    const before = await operator.resources.find(kind, id);
    assert.ok(before);
    return await operator.resources.commit(
      [{ kind, id, before, after: edit(before.resource) } as unknown as Change],
      operation,
    );
  }

  async function commit(index: number, deed: Deed): Promise<number> {
    const id = idOf(index);
    switch (deed) {
      case 'revoke':
        return await change('credential', id, (each) => ({ ...each, state: 'revoked' }));
      case 'disable consumer':
        return await change('consumer', id, (each) => ({ ...each, enabled: false }));
      case 'remove grant':
        return await change('grant', `${id}/${id}`, () => null);
      case 'disable endpoint':
        return await change('endpoint', id, (each) => ({ ...each, enabled: false }));
    }
  }

  async function followed(): Promise<OpenStore> {
    const store = openStore(database.uri(), { startTimer: hurriedTimer });
    await store.checks.ready;
    await poll('a revision', () => Promise.resolve(store.checks.revisionInForce));
    for (const index of all)
      assert.equal(await store.ask(keyOf(index)), `${idOf(index)} active granted ${idOf(index)}`);
    return store;
  }

  /** Random commits of three operators at once. */
  async function makeAll(watch: Watch): Promise<void> {
    const waiting = [...all];
    const work = async (): Promise<void> => {
      for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
        const deed = deeds[randomInt(deeds.length)] ?? 'revoke';
        watch.made(await commit(index, deed), index, deed);
        if (randomInt(3) === 0) await delay(randomInt(60));
      }
    };
    await Promise.all([work(), work(), work()]);
  }

  it('covers nothing that is not in force, while changes come as they come', async () => {
    await using store = await followed();
    const watch = new Watch(store);
    await makeAll(watch);
    await watch.all(COMMITS);
    assert.deepEqual(watch.wrong, []);
    assert.deepEqual(store.defects, []);
    const stored = await readRevision(database.db(), {});
    assert.deepEqual(stored?.underWay, []);
    assert.equal(store.checks.describeRevision(), String(stored.latest));
  });

  it('covers nothing that is not in force, while changes come late', async () => {
    await using store = await followed();
    const watch = new Watch(store);
    const late = { failCommands: ['getMore'], blockConnection: true, blockTimeMS: 400, appName: 'postern' };
    const slow = await database.failPoint({ mode: 'alwaysOn', data: late });
    try {
      await makeAll(watch);
      await watch.all(COMMITS);
    } finally {
      await release(slow);
    }
    assert.deepEqual(watch.wrong, []);
  });

  it('covers nothing that is not in force after changes were lost', async () => {
    await using store = await followed();
    const watch = new Watch(store);
    // A dropped collection ends its stream, and its events; the documents come back otherwise.
    await database.db().dropCollection('usage');
    await database.db().dropCollection('grants');
    await store.untilTold('missed changes');
    await put(database.db(), seedOf(all));
    await makeAll(watch);
    await watch.all(COMMITS);
    assert.deepEqual(watch.wrong, []);
  });

  it('leaves out a commit that is still under way, however many came after it', async () => {
    await using store = await followed();
    const commitId = new ObjectId();
    const slow = await takeRevision(database.db(), { commitId, timeoutMs: 20_000, w: 'majority' });
    const quick = await commit(0, 'revoke');
    assert.equal(quick, slow + 1);
    await poll('the quick one', () =>
      Promise.resolve(hasEnded(store.checks.revisionInForce ?? { latest: 0, underWay: [] }, quick) ? true : null),
    );
    assert.deepEqual(store.checks.revisionInForce, { latest: quick, underWay: [slow] });
    assert.equal(store.checks.describeRevision(), String(slow - 1));
    await endRevision(database.db(), commitId);
    await poll('both', () => Promise.resolve(store.checks.revision === quick ? true : null));
  });

  it('takes a number for given up once its time is over', async () => {
    await using store = await followed();
    await takeRevision(database.db(), { commitId: new ObjectId(), timeoutMs: -181_000, w: 1 });
    const { latest } = (await readRevision(database.db(), {})) ?? { latest: -1 };
    await poll('the revision', () => Promise.resolve(store.checks.revision === latest ? true : null));
    await commit(0, 'revoke');
    const state = await database.db().collection<{ _id: string; underWay?: unknown }>('meta').findOne({ _id: 'state' });
    assert.deepEqual(state?.underWay, []);
  });

  it('stays while no changes arrive', async () => {
    await using store = await followed();
    const before = store.checks.revision;
    const silent = { failCommands: ['getMore', 'find', 'aggregate'], errorCode: 91, appName: 'postern' };
    const down = await database.failPoint({ mode: 'alwaysOn', data: silent });
    try {
      await store.untilTold(/^down/);
      await commit(0, 'revoke');
      assert.equal(store.checks.revision, before);
      assert.equal(await store.ask(keyOf(0)), 'p0 active granted p0', 'from memory');
    } finally {
      await release(down);
    }
  });

  it('is noted as ended when a commit fails', async () => {
    const stale = await operator.resources.find('consumer', 'p0');
    assert.ok(stale);
    await commit(0, 'disable consumer');
    const again: Change = { kind: 'consumer', id: 'p0', before: stale, after: { ...stale.resource, name: 'x' } };
    await assert.rejects(operator.resources.commit([again], operation), { name: 'Conflict' });
    assert.deepEqual((await readRevision(database.db(), {}))?.underWay, []);
  });
});

describe('the revision in force of a stand-alone MongoDB', function () {
  this.timeout(60_000);

  it('covers nothing that is not in force', async () => {
    const uri = await standAloneDatabase();
    await using client = new MongoClient(uri);
    const db: Db = client.db();
    const indexes = [0, 1, 2, 3, 4, 5];
    await empty(db);
    await put(db, seedOf(indexes));
    await using store = openStore(uri, { pollIntervalMs: 50, startTimer: hurriedTimer });
    await store.untilTold('polling');
    for (const index of indexes) assert.match(await store.ask(keyOf(index)), /active granted/);
    const watch = new Watch(store);
    for (const index of indexes) {
      const commitId = new ObjectId();
      const revision = await takeRevision(db, { commitId, timeoutMs: 20_000, w: 1 });
      const { credentials = [], endpoints = [] } = seedOf([index]);
      const deed = index % 2 === 0 ? 'revoke' : 'disable endpoint';
      if (deed === 'revoke') await put(db, { credentials: credentials.map((each) => ({ ...each, state: 'revoked' })) });
      else await put(db, { endpoints: endpoints.map((each) => ({ ...each, enabled: false })) });
      await endRevision(db, commitId);
      watch.made(revision, index, deed);
    }
    await watch.all(indexes.length);
    assert.deepEqual(watch.wrong, []);
    const { revisionInForce } = store.checks;
    assert.ok(revisionInForce);
    assert.equal(wholeRevision(revisionInForce), indexes.length);
  });
});
