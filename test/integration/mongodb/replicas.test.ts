import assert from 'node:assert/strict';
import { join } from 'node:path';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { collectionOf } from '../../../src/stores/mongodb/documents.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { startRelay } from '../../support/stack/relay.ts';
import { poll } from '../../support/time/poll.ts';
import type { RequestParts } from '../../support/pipeline/check-request.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { type GatewayUnderTest, startTestGateway } from './gateway-under-test.ts';

describe('replicas of a gateway on MongoDB', function () {
  this.timeout(60_000);
  const database = useDatabase();
  let folder: TemporaryDirectory;
  const gateways: GatewayUnderTest[] = [];

  before(async () => {
    folder = await temporaryDirectory();
    for (const command of ['endpoint create orders --path /orders --authentication key', 'consumer create acme']) {
      const { code, err } = await run(command);
      assert.equal(code, 0, err);
    }
  });
  afterEach(async () => {
    for (let gateway = gateways.pop(); gateway !== undefined; gateway = gateways.pop()) {
      await gateway[Symbol.asyncDispose]();
    }
    await collectionOf(database.db(), 'replicas').deleteMany({});
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(command: string): Promise<CommandResult> {
    return await runCli(command.split(' '), {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) },
      POSTERN_ACTOR: 'ada',
    });
  }

  async function start(name: string, uri = database.uri()): Promise<GatewayUnderTest> {
    const gateway = await startTestGateway(uri, { POSTERN_REPLICA_NAME: name });
    gateways.push(gateway);
    await gateway.gateway.ready;
    return gateway;
  }

  async function listed(): Promise<readonly Record<string, unknown>[]> {
    const { code, out, err } = await run('replicas -o json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>[];
  }

  async function issue(id: string): Promise<{ appKey: string; revision: number }> {
    const { code, out, err } = await run(`credential issue --consumer acme --method key --id ${id} --wait -o json`);
    assert.equal(code, 0, err);
    return JSON.parse(out) as { appKey: string; revision: number };
  }

  const request = (appKey: string): RequestParts => ({ path: '/orders/1', headers: [['x-app-key', appKey]] });

  it('both decide by a change when --wait returns, and say its revision', async () => {
    const both = [await start('pod-a'), await start('pod-b')];
    for (const number of [1, 2, 3]) {
      const id = `key-${String(number)}`;
      const { appKey } = await issue(id);
      for (const each of both) assert.equal(await each.check(request(appKey)), 'ALLOWED');
      const { code, out, err } = await run(`credential revoke ${id} --yes --wait -o json`);
      assert.equal(code, 0, err);
      for (const each of both) assert.match(await each.check(request(appKey)), /^401 /);
      const { revision } = JSON.parse(out) as { revision: number };
      for (const each of both) {
        assert.equal((await each.admin('/readyz')).text, `ready\nrevision ${String(revision)}\n`);
        assert.match(
          (await each.admin('/metrics')).text,
          new RegExp(`^postern_store_revision ${String(revision)}$`, 'm'),
        );
      }
    }
    assert.deepEqual(
      (await listed()).map(({ name, ready, behind, stale, mode }) => [name, ready, behind, stale, mode]),
      [
        ['pod-a', true, 0, false, 'following'],
        ['pod-b', true, 0, false, 'following'],
      ],
    );
  });

  it('leave the list when they stop in order', async () => {
    const first = await start('pod-a');
    await poll('the replica', async () => ((await listed()).length === 1 ? true : null));
    await first.gateway.stop(true);
    assert.deepEqual(await listed(), []);
  });

  it('are named by --wait and wait while they are silent, until they are forgotten', async () => {
    await start('pod-a');
    await poll('the replica', async () => ((await listed()).length === 1 ? true : null));
    const ago = new Date(Date.now() - 40_000);
    const expiresAt = new Date(Date.now() + 600_000);
    await collectionOf(database.db(), 'replicas').insertOne({
      ...{ _id: 'cutoffcutoff', name: 'pod-cut-off', version: '0.1.0', mode: 'following', ready: true },
      ...{ startedAt: ago, lastSeenAt: ago, expiresAt, revision: 1, underWay: [] },
    });
    const { code, err } = await run('consumer edit acme --name Acme --wait --wait-timeout 2s');
    assert.equal(code, 1);
    assert.match(
      err,
      /^The change is made\. Not in force on 1 of 2 replicas:\n {2}pod-cut-off \(cutoffcutoff\) has not/,
    );
    const doctor = await run('doctor');
    assert.match(doctor.out, /! replicas: pod-cut-off has not reported for 15 s/);
    assert.equal((await run('replicas --forget cutoffcutoff')).code, 0);
    const [forgotten] = JSON.parse((await run('audit list --resource replica -o json')).out) as { action?: string }[];
    assert.equal(forgotten?.action, 'replica forget');
    const waited = await run('wait --timeout 5s');
    assert.deepEqual([waited.code, waited.out], [0, 'In force on the one replica that reports.\n']);
    assert.match((await run('doctor')).out, /✓ replicas: 1 replica decides by what the store holds/);
  });

  it('are named with what they decide by while a network parts them from MongoDB, and catch up after it', async () => {
    await using relay = await startRelay(Number(new URL(database.uri()).port));
    const through = new URL(database.uri());
    through.port = String(relay.port);
    through.search = '?directConnection=true';
    const connected = await start('pod-a');
    const cutOff = await start('pod-b', through.href);
    const { appKey: former, revision } = await issue('key-before-the-cut');
    relay.cut();
    const changed = await run('credential revoke key-before-the-cut --yes --wait --wait-timeout 2s');
    assert.equal(changed.code, 1);
    const line = /^The change is made\. Not in force on 1 of 2 replicas:\n {2}pod-b \(\w+\) (.*)/.exec(
      changed.err,
    )?.[1];
    assert.match(line ?? changed.err, new RegExp(`\\b${String(revision)}\\b`));
    assert.match(await connected.check(request(former)), /^401 /);
    const behind = (await listed()).find(({ name }) => name === 'pod-b');
    assert.deepEqual([behind?.['revision'], behind?.['behind']], [revision, 1]);
    // Three reports of five seconds are missed before it counts as silent: they are taken for missed.
    await collectionOf(database.db(), 'replicas').updateOne(
      { name: 'pod-b' },
      { $set: { lastSeenAt: new Date(Date.now() - 16_000) } },
    );
    await poll('pod-b to be stale', async () => ((await listed()).some(({ stale }) => stale === true) ? true : null));
    const silent = await run(`wait --revision ${String(revision + 1)} --timeout 2s`);
    assert.equal(silent.code, 1);
    assert.match(silent.err, /pod-b \(\w+\) has not reported for \d+ s; it may serve .* from memory/);
    relay.restore();
    const caughtUp = await run(`wait --revision ${String(revision + 1)} --timeout 30s`);
    assert.deepEqual([caughtUp.code, caughtUp.err], [0, '']);
    assert.match(await cutOff.check(request(former)), /^401 /);
    assert.deepEqual(
      (await listed()).map(({ name, behind: missing, stale }) => [name, missing, stale]),
      [
        ['pod-a', 0, false],
        ['pod-b', 0, false],
      ],
    );
  });

  it('take the place of a former process of the same name', async () => {
    const ago = new Date(Date.now() - 40_000);
    await collectionOf(database.db(), 'replicas').insertOne({
      ...{ _id: 'killedkilled', name: 'pod-a', version: '0.1.0', mode: 'following', ready: true },
      ...{ startedAt: ago, lastSeenAt: ago, expiresAt: new Date(Date.now() + 600_000), revision: 1, underWay: [] },
    });
    await start('pod-a');
    await poll('one replica', async () => {
      const found = await listed();
      return found.length === 1 && found[0]?.['id'] !== 'killedkilled' ? true : null;
    });
  });

  it('decide as usual when they cannot report, and log it once', async () => {
    const { appKey } = await (async () => {
      await start('pod-a');
      return await issue('key-while-reports-fail');
    })();
    const failing = await database.failPoint({
      mode: 'alwaysOn',
      data: { failCommands: ['update', 'delete'], errorCode: 13, appName: 'postern' },
    });
    try {
      const other = await start('pod-b');
      const message = 'this replica cannot report to "postern replicas"; it decides as usual and tries again';
      await other.line(message);
      assert.equal(await other.check(request(appKey)), 'ALLOWED');
      assert.equal(other.log().split('this replica cannot report').length, 2);
    } finally {
      await failing[Symbol.asyncDispose]();
    }
  });

  it('are asked at their admin listeners instead', async () => {
    const gateway = await start('pod-a');
    const admin = String((await gateway.line('ready'))['admin']);
    const { code, out, err } = await run(`wait --revision 1 --admin http://${admin} --timeout 5s`);
    assert.equal(code, 0, err);
    assert.equal(out, `Revision 1 is in force at http://${admin}/.\n`);
    const file = join(folder.path, 'none.yaml');
    assert.equal((await run(`wait --store file:${file} --admin http://${admin}`)).code, 1);
  });
});
