import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../../src/base/clock.ts';
import type { Change } from '../../../src/resources/changes/change.ts';
import type { ResourceKind, ResourceOf } from '../../../src/resources/resource.ts';
import { Conflict, Outdated, type ResourceStore } from '../../../src/resources/changes/resource-store.ts';
import { nameOfCommand } from '../../../src/stores/mongodb/connect.ts';
import { describeFault } from '../../../src/stores/mongodb/mapping/document-fault.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { type OpenedMongoStore, openMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { creation, managed } from '../../conformance/resource-store.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { consumer, grant, keyEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';

/** So many credentials are changed at once by an `apply` of these tests, the one of acme among them. */
const BULK = 4000;
const operation = { actor: 'ada', action: 'test' };

describe('commits on MongoDB that others are in the way of', () => {
  const { db, uri } = useDatabase();
  const open: OpenedMongoStore[] = [];
  const children: ChildProcess[] = [];

  function storeOf(
    command: string,
    more: { timeoutMs?: number; onWait?: (message: string) => void } = {},
  ): ResourceStore {
    const store = openMongoStore(uri(), {
      ...{ sealer: testKeyRing(), clock: systemClock, onFault: (fault) => assert.fail(describeFault(fault)) },
      ...{ appName: nameOfCommand(command, 'ada'), ...more },
    });
    open.push(store);
    return store.resources;
  }

  beforeEach(async () => {
    await ensureSchema(db());
    await emptyCollections(db());
    const store = storeOf('test');
    await store.commit(
      [
        creation('endpoint', keyEndpoint()),
        creation('consumer', consumer()),
        creation('credential', managed()),
        creation('grant', grant()),
      ],
      operation,
    );
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    for (const store of open.splice(0)) await store[Symbol.asyncDispose]();
  });

  async function edit<K extends ResourceKind>(kind: K, id: string, parts: Partial<ResourceOf[K]>): Promise<Change> {
    const before = (await storeOf('read').find(kind, id)) ?? assert.fail(`there is no ${kind} ${id}`);
    return { kind, id, before, after: { ...before.resource, ...parts } } as unknown as Change;
  }

  /** Waits until a transaction has written something, so that it stands in the way of others. */
  async function untilUnderWay(): Promise<void> {
    await poll('a transaction under way', async () => {
      const pipeline = [
        { $currentOp: { idleSessions: true } },
        { $match: { 'transaction.timeOpenMicros': { $gt: 50_000 } } },
      ];
      const [found] = await db().client.db('admin').aggregate(pipeline).toArray();
      return found === undefined ? null : true;
    });
  }

  async function timed<T>(work: Promise<T>): Promise<number> {
    const startMs = performance.now();
    await work;
    return performance.now() - startMs;
  }

  /** A process that holds a transaction open, as an `apply` that stands still in the middle of its work. */
  async function startHolder(): Promise<ChildProcess> {
    const program = `
      const { MongoClient } = require('mongodb');
      const client = new MongoClient(process.argv[1], { appName: process.argv[2] });
      const session = client.startSession();
      session.startTransaction();
      const db = client.db();
      const write = async (name, _id) => await db.collection(name).updateOne({ _id }, { $inc: { revision: 1 } }, { session, upsert: true });
      write('meta', 'turn').then(() => write('credentials', 'acme-hmac')).then(() => write('consumers', 'acme')).then(() => console.log('held'));
      setInterval(() => undefined, 1000);`;
    const args = ['-e', program, uri(), nameOfCommand('apply', 'ben')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  const bulkCredentials = Array.from({ length: BULK }, (_, index) =>
    creation('credential', managed({ id: `bulk-${String(index)}`, key: `bulk-key-${String(index)}` })),
  );

  it('a revocation does not wait for a large commit of other records', async () => {
    let isOver = false;
    const bulk = storeOf('apply')
      .commit(bulkCredentials, operation)
      .finally(() => (isOver = true));
    await untilUnderWay();
    const store = storeOf('credential revoke');
    await store.commit([await edit('credential', 'acme-hmac', { state: 'revoked' })], operation);
    await store.commit([await edit('consumer', 'acme', { enabled: false })], operation);
    const before = await store.find('grant', 'orders/acme');
    await store.commit([{ kind: 'grant', id: 'orders/acme', before, after: null }], operation);
    assert.ok(!isOver, 'all three are done before it');
    await bulk;
    assert.equal((await store.find('credential', 'acme-hmac'))?.resource.state, 'revoked');
  }).timeout(60_000);

  it('a revocation goes before a large commit of the same record, which does not undo it', async () => {
    await storeOf('apply').commit(bulkCredentials, operation);
    const changes: Change[] = [];
    for await (const before of storeOf('read').list('credential')) {
      const after = { ...before.resource, expiresAt: 1_900_000_000 };
      changes.push({ kind: 'credential', id: before.resource.id, before, after });
    }
    const revocation = await edit('credential', 'acme-hmac', { state: 'revoked' });
    let isOver = false;
    const bulk = storeOf('apply')
      .commit(changes, operation)
      .finally(() => (isOver = true));
    const refused = assert.rejects(bulk, (error) => error instanceof Outdated);
    await untilUnderWay();
    await storeOf('credential revoke').commit([revocation], operation);
    assert.ok(!isOver);
    await refused;
    const found = await storeOf('read').find('credential', 'acme-hmac');
    assert.deepEqual([found?.resource.state, found?.resource.expiresAt], ['revoked', null]);
    assert.equal((await storeOf('read').find('credential', 'bulk-7'))?.revision, 1, 'all or nothing');
  }).timeout(60_000);

  it('what a killed process left delays no commit', async () => {
    const holder = await startHolder();
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const revocation = await edit('credential', 'acme-hmac', { state: 'revoked' });
    const edited = await edit('consumer', 'acme', { name: 'Edited' });
    const issued = creation('credential', managed({ id: 'new', key: 'new-key' }));
    const times = await Promise.all(
      [revocation, edited, issued].map(async (change) => await timed(storeOf('test').commit([change], operation))),
    );
    // The server would keep the transaction for a minute.
    assert.ok(Math.max(...times) < 5000, `took ${times.map(Math.round).join(', ')} ms`);
  });

  it('a stop ends what hangs; an edit waits for its turn, and says for whom', async () => {
    await startHolder();
    const waits: string[] = [];
    const store = storeOf('consumer edit', { timeoutMs: 3000, onWait: (message) => waits.push(message) });
    const who =
      /^"apply" of ben at 127\.0\.0\.1:\d+, which has been changing the same since 20\S+Z, ends at 20\S+Z at the latest; nothing was changed: try again$/;
    await assert.rejects(store.commit([await edit('consumer', 'acme', { name: 'Late' })], operation), (error) => {
      assert.ok(error instanceof Conflict);
      assert.match(error.message, who);
      return true;
    });
    assert.equal(waits.length, 1);
    assert.match(waits.join(), /^waiting for "apply" of ben at 127\.0\.0\.1:\d+, which/);
    const issued = creation('credential', managed({ id: 'new', key: 'new-key' }));
    await assert.rejects(storeOf('credential issue', { timeoutMs: 500 }).commit([issued], operation), Conflict);
    await storeOf('consumer disable').commit([await edit('consumer', 'acme', { enabled: false })], operation);
    await store.commit([await edit('consumer', 'acme', { name: 'Now' })], operation);
    assert.equal((await store.find('consumer', 'acme'))?.resource.enabled, false);
  }).timeout(30_000);
});
