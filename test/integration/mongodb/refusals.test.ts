import assert from 'node:assert/strict';
import { ownedBy } from '../../../src/model/owned-by.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { collectAll } from '../../../src/resources/changes/resource-store.ts';
import type { RefusalSelection } from '../../../src/check/refusals/refusal-record.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { openMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { createRefusalSink, createRefusalSource } from '../../../src/stores/mongodb/refusals.ts';
import { Secret } from '../../../src/model/secret.ts';
import { runPostern } from '../../support/cli/run-postern.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { APP_KEY, consumer, credential, keyEndpoint } from '../../support/pipeline/resources.ts';
import { record } from '../../support/refusals/refused.ts';
import { startRelay } from '../../support/stack/relay.ts';
import { NOON } from '../../support/time/fixed-clock.ts';
import { poll } from '../../support/time/poll.ts';
import { startTestGateway } from './gateway-under-test.ts';
import { empty, put } from './support.ts';

describe('refusals in MongoDB', () => {
  const database = useDatabase();
  const stored = (): ReturnType<ReturnType<typeof database.db>['collection']> => database.db().collection('refusals');
  const find = async (selection: Partial<RefusalSelection> = {}): Promise<readonly (string | null)[]> => {
    const { records } = createRefusalSource(database.db()).find({ limit: 100, ...selection });
    return (await collectAll(records)).map(({ requestId }) => requestId);
  };
  beforeEach(async () => {
    await empty(database.db());
  });

  it('are read as they were written, the newest first', async () => {
    const sink = createRefusalSink(database.db());
    const old = record({ atMs: NOON * 1000, requestId: 'old' });
    const full = record({
      atMs: NOON * 1000 + 1,
      requestId: 'full',
      isObserved: true,
      stringToSign: 'date: x\nGET / HTTP/1.1',
      leftOut: 7,
    });
    const bare = record({ atMs: NOON * 1000 + 2, requestId: null, endpointId: null, sourceAddress: null });
    await sink.write([old, full, bare]);
    const { records } = createRefusalSource(database.db()).find({ limit: 100 });
    assert.deepEqual(await collectAll(records), [bare, full, old]);
  });

  it('are selected by each of what they have, and by the first characters of the request id', async () => {
    await createRefusalSink(database.db()).write([
      record({ requestId: 'a-1', consumerId: 'acme', code: 'TOKEN_INVALID', endpointId: 'orders', atMs: 1000 }),
      record({ requestId: 'a-2', consumerId: 'acme', credentialId: 'acme-key', endpointId: 'invoices', atMs: 2000 }),
      record({ requestId: 'b-1', consumerId: 'other', endpointId: null, atMs: 3000 }),
    ]);
    assert.deepEqual(await find({ consumerId: 'acme' }), ['a-2', 'a-1']);
    assert.deepEqual(await find({ code: 'TOKEN_INVALID' }), ['a-1']);
    assert.deepEqual(await find({ endpointId: 'invoices' }), ['a-2']);
    assert.deepEqual(await find({ credentialId: 'acme-key' }), ['a-2']);
    assert.deepEqual(await find({ sinceMs: 2000 }), ['b-1', 'a-2']);
    assert.deepEqual(await find({ requestId: 'a' }), ['a-2', 'a-1']);
    assert.deepEqual(await find({ requestId: 'a-1' }), ['a-1']);
    assert.deepEqual(await find({ limit: 1 }), ['b-1']);
  });

  it('are kept apart where no endpoint took the request', async () => {
    const stray = record({ requestId: 'c-1', consumerId: null, credentialId: null, endpointId: null, leftOut: 3 });
    const note = { id: 'f'.repeat(24), atMs: NOON * 1000, consumerId: null, leftOut: 2 };
    await createRefusalSink(database.db()).write([record({ requestId: 'own', leftOut: 1 }), stray, note]);
    const source = createRefusalSource(database.db());
    const unmatched = source.find({ limit: 10, isUnmatched: true });
    assert.deepEqual([await collectAll(unmatched.records), await unmatched.countLeftOut()], [[stray], 5]);
    assert.deepEqual([await find(), await source.find({ limit: 10 }).countLeftOut()], [['own'], 1]);
    assert.deepEqual(await find({ requestId: 'c-1' }), ['c-1']);
    const plan = await stored()
      .find({ code: { $exists: true }, consumerId: { $exists: false } })
      .sort({ at: -1 })
      .explain('queryPlanner');
    assert.match(JSON.stringify(plan), /"IXSCAN".*consumerId_1_at_-1/);
  });

  it('are found by whom they belonged to when they were made, and those of former versions by nobody', async () => {
    const owners = ownedBy([{ team: 'payments', 'tier.x': '$gold' }]);
    await createRefusalSink(database.db()).write([
      record({ requestId: 'own', ownedBy: owners }),
      record({ requestId: 'other', ownedBy: ownedBy([{ team: 'people' }]) }),
      record({ requestId: 'former', ownedBy: undefined }),
    ]);
    assert.deepEqual(await find({ ownedBy: { team: 'payments' } }), ['own']);
    assert.deepEqual(await find({ ownedBy: { team: 'payments', 'tier.x': '$gold' } }), ['own']);
    assert.deepEqual(await find({ ownedBy: { team: 'payments', env: 'live' } }), []);
    assert.equal((await find()).length, 3);
    const plan = await stored()
      .find({ ownedBy: { $all: [...owners] } })
      .sort({ at: -1 })
      .explain('queryPlanner');
    assert.match(JSON.stringify(plan), /"IXSCAN".*ownedBy_1_at_-1/);
  });

  it('count what was left out, also where only that is known', async () => {
    await createRefusalSink(database.db()).write([
      record({ leftOut: 5, atMs: 1000 }),
      record({ leftOut: 2, atMs: 2000 }),
      { id: 'f'.repeat(24), atMs: 3000, consumerId: 'acme', leftOut: 10 },
      record({ leftOut: 100, atMs: 3000, consumerId: 'other' }),
    ]);
    const source = createRefusalSource(database.db());
    assert.equal(await source.find({ consumerId: 'acme', limit: 1 }).countLeftOut(), 17);
    assert.equal(await source.find({ consumerId: 'acme', sinceMs: 2000, limit: 1 }).countLeftOut(), 12);
    assert.equal(await source.find({ limit: 1 }).countLeftOut(), 117);
    assert.equal((await find()).length, 3, 'a note is no refusal');
  });

  it('are written once, however often a batch comes', async () => {
    const sink = createRefusalSink(database.db());
    const batch = [record(), record()];
    await sink.write(batch);
    await sink.write([...batch, record()]);
    assert.equal(await stored().countDocuments(), 3);
  });

  it('are a fault when they cannot be written, or not be confirmed', async () => {
    const faults = [
      { failCommands: ['insert'], errorCode: 189 },
      { failCommands: ['insert'], writeConcernError: { code: 11602, errmsg: 'stepping down' } },
    ];
    for (const data of faults) {
      await using failing = await database.failPoint({ mode: 'alwaysOn', data });
      assert.ok(failing);
      await assert.rejects(createRefusalSink(database.db()).write([record()]), StoreUnavailable);
    }
  });

  it('expire after seven days, and are found through an index', async () => {
    const indexes = await stored().indexes();
    const expiring = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
    assert.deepEqual([expiring?.key, expiring?.expireAfterSeconds], [{ at: 1 }, 7 * 86_400]);
    await createRefusalSink(database.db()).write([record(), record({ code: 'TOKEN_INVALID' })]);
    for (const filter of [{ consumerId: 'acme' }, { code: 'TOKEN_INVALID' }, { requestId: 'r-1' }]) {
      const plan = JSON.stringify(await stored().find(filter).sort({ at: -1 }).explain('queryPlanner'));
      assert.match(plan, /"IXSCAN"/, JSON.stringify(filter));
    }
  });

  it('go with the consumer who is deleted, and no other ones', async () => {
    await put(database.db(), { consumers: [consumer(), consumer({ id: 'other' })] });
    await createRefusalSink(database.db()).write([
      record(),
      record({ consumerId: 'other', requestId: 'stays' }),
      { id: 'f'.repeat(24), atMs: 3000, consumerId: 'acme', leftOut: 10 },
    ]);
    await using store = openMongoStore(database.uri(), {
      sealer: null,
      clock: systemClock,
      onFault: () => assert.fail(),
    });
    const before = await store.resources.find('consumer', 'acme');
    assert.ok(before !== null);
    await store.resources.commit([{ kind: 'consumer', id: 'acme', before, after: null }], {
      actor: 'ada',
      action: 'consumer delete',
    });
    assert.deepEqual(await find(), ['stays']);
    assert.equal(await stored().countDocuments(), 1);
  });

  const state = {
    endpoints: [keyEndpoint({ accessCondition: 'authenticated-and-authorized' })],
    consumers: [consumer()],
    credentials: [{ ...credential(), appKey: Secret.fromText(APP_KEY) }],
  };
  const request = (id: string) => ({ path: `/orders?appKey=${APP_KEY}`, headers: [['x-request-id', id]] }) as const;

  it('come from a gateway, with metrics', async () => {
    await put(database.db(), state);
    await using tested = await startTestGateway(database.uri());
    await tested.line('ready');
    assert.equal(await tested.check(request('first')), '403 NOT_AUTHORIZED');
    const text = await poll('the refusal', async () => {
      const metrics = (await tested.admin('/metrics')).text;
      return /^postern_refusals_written_total 1$/m.test(metrics) ? metrics : null;
    });
    assert.deepEqual(await find(), ['first']);
    const run = async (...args: readonly string[]) => await runPostern(args, { POSTERN_STORE: database.uri() });
    const shown = await run('refusals', '--consumer', 'acme', '-o', 'json');
    assert.deepEqual([shown.code, shown.err], [0, '']);
    assert.deepEqual(
      (JSON.parse(shown.out) as { requestId: string; code: string }[]).map(({ requestId, code }) => [requestId, code]),
      [['first', 'NOT_AUTHORIZED']],
    );
    const explained = await run('explain', '--request-id', 'fir');
    assert.equal(explained.code, 1, explained.err);
    assert.match(explained.out, /^403 NOT_AUTHORIZED: the consumer acme has no grant\n/);
    assert.match(explained.out, /\n\nFix: Give the consumer a grant on the endpoint/);
    const unknown = await run('refusals', '--consumer', 'acne');
    assert.deepEqual(
      [unknown.code, unknown.err],
      [3, 'postern refusals: there is no consumer "acne"; did you mean "acme"?\n'],
    );
    assert.match(text, /^postern_refusals_waiting 0$/m);
    assert.match(text, /^postern_refusals_left_out_total\{reason="consumer"\} 0$/m);
    const [document] = await stored().find().toArray();
    assert.ok(!JSON.stringify(document).includes(APP_KEY));
  });

  it('are not kept where that is turned off', async () => {
    await put(database.db(), state);
    await using tested = await startTestGateway(database.uri(), { POSTERN_REFUSALS: 'false' });
    await tested.line('ready');
    assert.equal(await tested.check(request('first')), '403 NOT_AUTHORIZED');
    assert.ok(!(await tested.admin('/metrics')).text.includes('postern_refusals'));
    await tested.gateway.stop(true);
    assert.equal(await stored().countDocuments(), 0);
  });

  it('wait while MongoDB is unreachable, delay no check, and are written when it is back', async () => {
    await put(database.db(), state);
    await using relay = await startRelay(Number(new URL(database.uri()).port));
    const uri = `mongodb://127.0.0.1:${String(relay.port)}/${database.db().databaseName}?directConnection=true`;
    await using tested = await startTestGateway(uri);
    // The last change of what was put may come again until then, and drops what is cached.
    await tested.line('changes of the database are followed');
    await tested.gateway.ready;
    assert.equal(await tested.check(request('before')), '403 NOT_AUTHORIZED');
    await poll('the refusal', async () => ((await find({ requestId: 'before' })).length === 1 ? true : null));
    relay.cut();
    const refusals = 700;
    for (let at = 0; at < refusals; at += 1) assert.equal(await tested.check(request('during')), '403 NOT_AUTHORIZED');
    await tested.line('refusals cannot be written; they are kept as far as there is room, and tried again');
    const { text } = await tested.admin('/metrics');
    const figure = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    const leftOut = figure('postern_refusals_left_out_total\\{reason="consumer"\\}');
    const waiting = figure('postern_refusals_waiting');
    assert.ok(leftOut > 0 && waiting > 500, text);
    relay.restore();
    await tested.line('refusals are written again');
    await tested.gateway.stop(true);
    const kept = await find({ requestId: 'during', limit: 1000 });
    const counted = await createRefusalSource(database.db()).find({ limit: 1 }).countLeftOut();
    assert.equal(kept.length + leftOut, refusals);
    assert.ok(counted <= leftOut, 'what is noted was left out');
  });
});
