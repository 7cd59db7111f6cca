import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Secret } from '../../../src/model/secret.ts';
import { MAX_LOOK_UPS } from '../../../src/stores/cache/look-up-gate.ts';
import { APP_NAME } from '../../../src/stores/mongodb/connect.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { borrowReplicaSet } from '../../support/mongodb/borrow-servers.ts';
import type { ReplicaSet } from '../../support/mongodb/replica-set.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { APP_KEY, consumer, credential, keyEndpoint, openEndpoint } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';
import { startRelay } from '../../support/stack/relay.ts';
import { startTestGateway } from './gateway-under-test.ts';
import { put, type Seed } from './support.ts';

const state: Seed = {
  endpoints: [keyEndpoint(), openEndpoint({ id: 'status', paths: [{ exact: '/status' }] })],
  consumers: [consumer()],
  credentials: [{ ...credential(), appKey: Secret.fromText(APP_KEY) }],
};

const keyRequest = { path: `/orders?appKey=${APP_KEY}` };

/** Asserts that a connection to a port of this machine is refused. */
async function assertClosed(port: number): Promise<void> {
  const outcome = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      resolve('connected');
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
  });
  assert.equal(outcome, 'ECONNREFUSED');
}

describe('a gateway on MongoDB', () => {
  const database = useDatabase();

  beforeEach(async () => {
    await database.db().dropDatabase();
  });

  it('decides with what is stored, and follows it', async () => {
    await ensureSchema(database.db());
    await put(database.db(), state);
    await using tested = await startTestGateway(database.uri());
    await tested.line('ready');
    assert.equal(await tested.check(keyRequest), 'ALLOWED');
    assert.equal(await tested.check({ path: '/orders?appKey=unknown' }), '401 AUTHENTICATION_FAILED');
    assert.equal(await tested.check({ path: '/status' }), 'ALLOWED');
    assert.match((await tested.admin('/readyz')).text, /^ready\n(revision 0\n)?$/);
    await put(database.db(), { consumers: [consumer({ enabled: false })] });
    await poll('the disabled consumer', async () =>
      (await tested.check(keyRequest)) === '401 AUTHENTICATION_FAILED' ? true : null,
    );
  });

  it('has connections for look-ups at once before it is ready', async () => {
    await ensureSchema(database.db());
    const appKeys = Array.from({ length: MAX_LOOK_UPS }, (_, at) => `${APP_KEY}-${String(at)}`);
    const credentials = appKeys.map((appKey, at) => ({
      ...credential({ id: `acme-${String(at)}`, appKey }),
      appKey: Secret.fromText(appKey),
    }));
    await put(database.db(), { ...state, credentials });
    const countConnections = async (): Promise<number> => {
      const stages = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: APP_NAME } }];
      return (await database.db().client.db('admin').aggregate(stages).toArray()).length;
    };
    await using tested = await startTestGateway(database.uri());
    await tested.line('ready');
    const ready = await countConnections();
    // So that none is free for the next of the look-ups.
    const data = { failCommands: ['aggregate'], blockConnection: true, blockTimeMS: 200, appName: APP_NAME };
    await using slow = await database.failPoint({ mode: 'alwaysOn', data });
    const answers = await Promise.all(appKeys.map((appKey) => tested.check({ path: `/orders?appKey=${appKey}` })));
    assert.deepEqual(new Set(answers), new Set(['ALLOWED']));
    const opened = (await countConnections()) - ready;
    await slow[Symbol.asyncDispose]();
    // Other parts of the gateway may open one at that time.
    assert.ok(opened < MAX_LOOK_UPS / 3, `${String(opened)} connections were opened while callers waited`);
  });

  it('opens no port for Envoy until there is a database to read, and says why', async () => {
    const [grpc, http] = [await freePort(), await freePort()];
    await using tested = await startTestGateway(database.uri(), {
      POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(grpc)}`,
      POSTERN_HTTP_ADDRESS: `127.0.0.1:${String(http)}`,
    });
    await tested.line('the database cannot be read; the gRPC and OAuth2 listeners stay closed until it can');
    await poll('the reason', async () => {
      const { status, text } = await tested.admin('/readyz');
      assert.equal(status, 503);
      return /^not ready: the database "test-[0-9a-f]+" is empty: no Postern has been used with it/.test(text)
        ? true
        : null;
    });
    assert.equal((await tested.admin('/livez')).status, 200);
    await assertClosed(grpc);
    await assertClosed(http);
    await ensureSchema(database.db());
    await put(database.db(), state);
    await tested.line('ready');
    await poll('the endpoint', async () => ((await tested.check({ path: '/status' })) === 'ALLOWED' ? true : null));
    assert.equal((await tested.admin('/readyz')).status, 200);
  });

  it('stops while it waits for a database, and ends when an address cannot be had once there is one', async () => {
    const waiting = await startTestGateway(database.uri());
    await waiting.gateway.stop(false);
    await using holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo;
    await using tested = await startTestGateway(database.uri(), { POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(port)}` });
    await ensureSchema(database.db());
    await assert.rejects(
      tested.gateway.ready,
      /^Error: POSTERN_GRPC_ADDRESS: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/,
    );
  });

  it('is not ready once the database has been unreachable for longer than cached credentials may serve', async () => {
    await ensureSchema(database.db());
    await put(database.db(), state);
    const { port } = new URL(database.uri());
    await using relay = await startRelay(Number(port));
    // Directly: a driver that is told of the set would find its member, past the relay.
    const uri = `mongodb://127.0.0.1:${String(relay.port)}/${database.db().databaseName}?directConnection=true`;
    await using tested = await startTestGateway(uri, { POSTERN_MAX_STALE_SECONDS: '1' });
    await tested.gateway.ready;
    assert.deepEqual(await tested.health(), ['SERVING', 'SERVING']);
    relay.cut();
    await tested.line('not ready any more');
    const { status, text } = await tested.admin('/readyz');
    assert.equal(status, 503);
    assert.match(
      text,
      /^not ready: MongoDB could not be read for \d+ s, longer than POSTERN_MAX_STALE_SECONDS \(1\): no cached credential may serve; MongoDB does not answer\n$/,
    );
    assert.deepEqual(await tested.health(), ['NOT_SERVING', 'NOT_SERVING']);
    relay.restore();
    await tested.line('ready again');
    assert.match((await tested.admin('/readyz')).text, /^ready\n(revision 0\n)?$/);
    assert.deepEqual(await tested.health(), ['SERVING', 'SERVING']);
    assert.equal(await tested.check(keyRequest), 'ALLOWED');
  });

  it('shows what becomes of the store in its metrics', async () => {
    await ensureSchema(database.db());
    await put(database.db(), state);
    await using tested = await startTestGateway(database.uri());
    await tested.line('changes of the database are followed');
    assert.equal(await tested.check(keyRequest), 'ALLOWED');
    assert.equal(await tested.check(keyRequest), 'ALLOWED');
    const { text } = await tested.admin('/metrics');
    for (const line of [
      'postern_store_up 1',
      'postern_store_faulty_records{collection="endpoints"} 0',
      'postern_credential_cache_entries 1',
      'postern_credential_cache_hits_total 1',
      'postern_credential_cache_misses_total 1',
      'postern_store_reloads_total{outcome="loaded"} 1',
      'postern_usage_pending 1',
    ]) {
      assert.ok(text.split('\n').includes(line), line);
    }
    assert.match(text, /^postern_snapshot_age_seconds [01]$/m);
  });

  it('keeps when a credential was used, at the latest when it stops', async () => {
    await ensureSchema(database.db());
    await put(database.db(), state);
    {
      await using tested = await startTestGateway(database.uri());
      await tested.line('ready');
      assert.equal(await tested.check(keyRequest), 'ALLOWED');
    }
    const used = await database.db().collection<{ _id: string }>('usage').findOne({ _id: 'acme-key' });
    assert.ok(used !== null && 'lastUsedAt' in used && used.lastUsedAt instanceof Date);
  });

  it('does not start without a key ring, nor with an address that is none, and shows no password', async () => {
    await assert.rejects(startTestGateway(database.uri(), { POSTERN_KEYRING: '' }), /^Error: POSTERN_KEYRING: /);
    await assert.rejects(
      startTestGateway(database.uri(), { KEY_RING: 'nonsense' }),
      /POSTERN_KEYRING names no key ring/,
    );
    const wrong = 'mongodb://postern:hunter2@127.0.0.1:1/postern?unknownOption=1';
    await assert.rejects(startTestGateway(wrong), (error: Error) => {
      assert.match(error.message, /the MongoDB address is not understood/);
      assert.ok(!String(error.stack).includes('hunter2'));
      return true;
    });
  });
});

describe('a gateway whose password is wrong', function () {
  this.timeout(60_000);
  let set: ReplicaSet;

  before(async () => {
    set = await borrowReplicaSet({ authorization: true, tls: true });
  });

  after(async () => {
    await set[Symbol.asyncDispose]();
  });

  it('says so, shows no password, and is ready once the password is right', async () => {
    const user = { name: 'postern', password: 'a-password-of-the-tests', source: 'admin' };
    await using tested = await startTestGateway(set.uri('postern', user));
    const away = await tested.line(
      'the database cannot be read; the gRPC and OAuth2 listeners stay closed until it can',
    );
    assert.deepEqual(
      [away['reason'], away['detail']],
      ['denied', 'MongoDB refuses the name or password of its address; correct POSTERN_STORE'],
    );
    await poll('the reason', async () =>
      /^not ready: MongoDB refuses the name or password/.test((await tested.admin('/readyz')).text) ? true : null,
    );
    const { MongoClient } = await import('mongodb');
    await using client = new MongoClient(set.uri('postern'));
    const roles = [{ role: 'readWrite', db: client.db().databaseName }];
    await set.command({ createUser: user.name, pwd: user.password, roles });
    await ensureSchema(client.db());
    await tested.line('ready');
    assert.ok(!tested.log().includes(user.password));
  });
});
