import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../../src/model/secret.ts';
import { createTrafficSource } from '../../../src/stores/mongodb/traffic.ts';
import { messagesOf, RawClient } from '../../support/grpc/raw-client.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { checkRequest } from '../../support/pipeline/check-request.ts';
import { APP_KEY, consumer, credential, keyEndpoint, openEndpoint } from '../../support/pipeline/resources.ts';
import { type PosternProcess, startPostern } from '../../support/stack/postern-process.ts';
import { startRelay } from '../../support/stack/relay.ts';
import { empty, put } from './support.ts';

const LIMIT = 700;
const endpoints = [
  keyEndpoint({ limits: [{ requests: LIMIT, unit: 'day', per: 'consumer' }] }),
  openEndpoint({ id: 'status', paths: [{ exact: '/status' }] }),
];
const mine = { path: `/orders?appKey=${APP_KEY}` };
const strangers = { path: '/orders?appKey=unknown' };
const open = { path: '/status' };

describe('the counts of replicas', function () {
  this.timeout(120_000);
  const database = useDatabase();
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let keyring: string;

  before(async () => {
    folder = await temporaryDirectory();
    keyring = join(folder.path, 'keyring.yaml');
    await writeFile(keyring, ringText(1));
    await chmod(keyring, 0o600);
  });
  after(() => folder[Symbol.asyncDispose]());
  beforeEach(async () => {
    await empty(database.db());
    const credentials = [{ ...credential(), appKey: Secret.fromText(APP_KEY) }];
    await put(database.db(), { endpoints, consumers: [consumer()], credentials });
  });

  const start = async (uri = database.uri()): Promise<PosternProcess> =>
    await startPostern('', { POSTERN_STORE: uri, POSTERN_KEYRING: keyring, POSTERN_SHUTDOWN_GRACE_SECONDS: '2' });

  /** Codes summed up, by `endpoint consumer code`; `all` for whoever called. */
  const stored = async (): Promise<Readonly<Record<string, number>>> => {
    const sums: Record<string, number> = {};
    const source = createTrafficSource(database.db());
    for (const consumers of ['each', null] as const) {
      for await (const { endpointId, consumerId, codes } of source.counts({ sinceHour: 0, consumers })) {
        for (const [code, sum] of Object.entries(codes)) {
          const name = `${endpointId} ${consumerId ?? 'all'} ${code}`;
          sums[name] = (sums[name] ?? 0) + sum;
        }
      }
    }
    return sums;
  };

  it('are those of every request, when replicas end well', async () => {
    const replicas = await Promise.all([start(), start()]);
    await Promise.all(
      replicas.map(async (replica, at) => {
        await send(replica, mine, 1000);
        await send(replica, strangers, 300 + at);
        await send(replica, open, 200);
      }),
    );
    assert.deepEqual(await stored(), {}, 'nothing is written before a minute is over');
    for (const replica of replicas) assert.equal((await replica.stop()).code, 0);
    assert.deepEqual(await stored(), {
      'orders acme ALLOWED': 2 * LIMIT,
      'orders acme RATE_LIMITED': 2000 - 2 * LIMIT,
      'orders all ALLOWED': 2 * LIMIT,
      'orders all RATE_LIMITED': 2000 - 2 * LIMIT,
      'orders all AUTHENTICATION_FAILED': 601,
      'status all ALLOWED': 400,
    });
  });

  it('lose no more than the last minute of a replica that is killed, and go on with the next one', async () => {
    const [first, killed] = await Promise.all([start(), start()]);
    await send(first, mine, 50);
    await first.stop();
    await send(killed, mine, 30);
    killed.signal('SIGKILL');
    await killed[Symbol.asyncDispose]();
    assert.deepEqual(await stored(), { 'orders acme ALLOWED': 50, 'orders all ALLOWED': 50 });
    const next = await start();
    await send(next, mine, 20);
    await next.stop();
    assert.deepEqual(await stored(), { 'orders acme ALLOWED': 70, 'orders all ALLOWED': 70 });
  });

  it('outlast an outage, which no check waits for', async () => {
    const { port } = new URL(database.uri());
    await using relay = await startRelay(Number(port));
    // Directly: a driver that is told of the set would find its member, past the relay.
    const uri = `mongodb://127.0.0.1:${String(relay.port)}/${database.db().databaseName}?directConnection=true`;
    const replica = await start(uri);
    await send(replica, mine, 10);
    relay.cut();
    await replica.logLine(({ message }) => String(message).startsWith('the database cannot be read'));
    await send(replica, mine, 200);
    assert.match(await replica.metrics(), /^postern_traffic_counters 2$/m);
    relay.restore();
    await replica.logLine(({ message }) => message === 'the database is back');
    await replica.stop();
    assert.deepEqual(await stored(), { 'orders acme ALLOWED': 210, 'orders all ALLOWED': 210 });
  });

  it('are given up with a replica that ends during an outage, which it says', async () => {
    const { port } = new URL(database.uri());
    await using relay = await startRelay(Number(port));
    const uri = `mongodb://127.0.0.1:${String(relay.port)}/${database.db().databaseName}?directConnection=true`;
    const replica = await start(uri);
    await send(replica, mine, 10);
    relay.cut();
    assert.equal((await replica.stop()).code, 0);
    const messages = replica.logs().map(({ message }) => message);
    assert.ok(
      messages.includes('counts of requests cannot be written; they are kept and tried again'),
      messages.join('\n'),
    );
    assert.deepEqual(await stored(), {});
  });
});

/** Sends a request so often, several at a time. */
async function send({ grpcPort }: PosternProcess, request: { readonly path: string }, times: number): Promise<void> {
  await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: grpcPort });
  const message = checkRequest(request);
  let left = times;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await client.call('/envoy.service.auth.v3.Authorization/Check', message);
      assert.equal(messagesOf(answer.body).length, 1, `gRPC status ${String(answer.grpcStatus)}`);
    }
  };
  await Promise.all(Array.from({ length: 10 }, one));
}
