import assert from 'node:assert/strict';
import type { Document } from 'mongodb';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { createTrafficSink, createTrafficSource } from '../../../src/stores/mongodb/traffic.ts';
import { hourOf, type TrafficCount, type TrafficSelection } from '../../../src/model/traffic-count.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

/** Noon. */
const hour = hourOf(NOON);
const day = new Date(NOON * 1000).toISOString().slice(0, 10);

function count(
  consumerId: string | null,
  codes: Record<string, number>,
  more: Partial<TrafficCount> = {},
): TrafficCount {
  return { endpointId: 'orders', consumerId, hour, codes, ...more };
}

describe('the counts of requests in MongoDB', () => {
  const database = useDatabase();
  const collection = () => database.db().collection<{ _id: string } & Document>('traffic');
  const read = async (selection: Partial<TrafficSelection> = {}): Promise<readonly TrafficCount[]> => {
    const counts: TrafficCount[] = [];
    const source = createTrafficSource(database.db());
    for await (const each of source.counts({ sinceHour: 0, consumers: 'each', ...selection })) counts.push(each);
    const key = ({ endpointId, consumerId, hour: at }: TrafficCount): string =>
      `${String(at)} ${endpointId} ${String(consumerId)}`;
    return counts.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  };
  before(async () => {
    await ensureSchema(database.db());
  });
  beforeEach(async () => {
    await collection().deleteMany({});
  });

  it('are one document for each day, endpoint and consumer, which all processes add to', async () => {
    const first = createTrafficSink(database.db(), 'first');
    const second = createTrafficSink(database.db(), 'second');
    await first.add([count('acme', { ALLOWED: 2, RATE_LIMITED: 1 }), count(null, { ALLOWED: 3 })], 1);
    await second.add([count('acme', { ALLOWED: 5 })], 1);
    await first.add([count('acme', { ALLOWED: 1 }, { hour: hour + 1 })], 2);
    const own = { day: new Date(`${day}T00:00:00Z`), endpointId: 'orders' };
    assert.deepEqual(await collection().find().sort({ _id: 1 }).toArray(), [
      { _id: `${day}/orders/`, ...own, consumerId: null, codes: { ALLOWED: { 12: 3 } }, by: { first: 1 } },
      {
        ...{ _id: `${day}/orders/acme`, ...own, consumerId: 'acme' },
        codes: { ALLOWED: { 12: 7, 13: 1 }, RATE_LIMITED: { 12: 1 } },
        by: { first: 2, second: 1 },
      },
    ]);
  });

  it('count once, when what was written is written again', async () => {
    const sink = createTrafficSink(database.db());
    const batch = [count('acme', { ALLOWED: 2 }), count('bolt', { REQUEST_EXPIRED: 1 })];
    await sink.add(batch, 1);
    await sink.add(batch, 1);
    // Half of this was written before.
    await sink.add([count('acme', { ALLOWED: 3 })], 2);
    await sink.add([count('acme', { ALLOWED: 3 }), count('bolt', { ALLOWED: 1 })], 2);
    assert.deepEqual(await read(), [count('acme', { ALLOWED: 5 }), count('bolt', { REQUEST_EXPIRED: 1, ALLOWED: 1 })]);
  });

  it('count once, when a server makes a write that was given up after a later one', async () => {
    const sink = createTrafficSink(database.db());
    await sink.add([count('acme', { ALLOWED: 2 })], 1);
    await sink.add([count('acme', { ALLOWED: 4 })], 2);
    await sink.add([count('acme', { ALLOWED: 2 })], 1);
    assert.deepEqual(await read(), [count('acme', { ALLOWED: 6 })]);
  });

  it('count once, when the connection is lost and the driver itself tries again', async () => {
    const sink = createTrafficSink(database.db());
    await using failing = await database.failPoint({
      mode: { times: 1 },
      data: { failCommands: ['update'], closeConnection: true },
    });
    assert.ok(failing);
    await sink.add([count('acme', { ALLOWED: 2 })], 1);
    assert.deepEqual(await read(), [count('acme', { ALLOWED: 2 })]);
  });

  it('add up when many processes begin a day at the same moment', async () => {
    const partners = Array.from({ length: 200 }, (_, at) => `partner-${String(at).padStart(3, '0')}`);
    const sinks = Array.from({ length: 8 }, () => createTrafficSink(database.db()));
    await Promise.all(
      sinks.map(async (sink) => {
        for (let sequence = 1; sequence <= 3; sequence += 1) {
          await sink.add(
            partners.map((id) => count(id, { ALLOWED: 1 })),
            sequence,
          );
        }
      }),
    );
    assert.deepEqual(
      await read(),
      partners.map((id) => count(id, { ALLOWED: 24 })),
    );
  });

  it('go on where a hand made one document unusable, and that one is given back', async () => {
    await collection().insertOne({
      ...{ _id: `${day}/orders/acme`, day: new Date(`${day}T00:00:00Z`), endpointId: 'orders', consumerId: 'acme' },
      ...{ codes: { ALLOWED: { 12: 'many' } }, by: {} },
    });
    const sink = createTrafficSink(database.db());
    const unusable = count('acme', { ALLOWED: 2 });
    assert.deepEqual(await sink.add([unusable, count('bolt', { ALLOWED: 1 })], 1), [unusable]);
    assert.deepEqual(await read(), [count('bolt', { ALLOWED: 1 })]);
  });

  it('are a fault when they cannot be written, and when the server does not confirm them', async () => {
    const sink = createTrafficSink(database.db());
    const outages = [{ errorCode: 189 }, { writeConcernError: { code: 11602, errmsg: 'stepping down' } }];
    for (const outage of outages) {
      await using failing = await database.failPoint({
        mode: 'alwaysOn',
        data: { failCommands: ['update'], ...outage },
      });
      assert.ok(failing);
      await assert.rejects(sink.add([count('acme', { ALLOWED: 1 })], 1), StoreUnavailable);
    }
  });

  it('are read by time, endpoint and consumer; of all callers together without one', async () => {
    const sink = createTrafficSink(database.db());
    const later = { hour: hour + 30 };
    await sink.add([count('acme', { ALLOWED: 1 }), count('bolt', { ALLOWED: 2 }), count(null, { ALLOWED: 9 })], 1);
    await sink.add([count('acme', { ALLOWED: 4 }, { hour: hour + 1 })], 2);
    await sink.add([count('acme', { ALLOWED: 8 }, { ...later, endpointId: 'stock' })], 3);
    assert.deepEqual(await read({ consumers: null }), [count(null, { ALLOWED: 9 })]);
    assert.deepEqual(await read({ consumers: ['acme', 'nobody'] }), [
      count('acme', { ALLOWED: 1 }),
      count('acme', { ALLOWED: 4 }, { hour: hour + 1 }),
      count('acme', { ALLOWED: 8 }, { ...later, endpointId: 'stock' }),
    ]);
    assert.deepEqual(await read({ sinceHour: hour + 1, endpointId: 'orders' }), [
      count('acme', { ALLOWED: 4 }, { hour: hour + 1 }),
    ]);
    assert.deepEqual(await read({ consumers: [] }), []);
  });

  it('of many consumers are read with the index on them', async () => {
    const { executionStats } = (await collection()
      .find({ consumerId: { $in: ['acme', 'bolt'] }, day: { $gte: new Date(0) } })
      .explain('executionStats')) as { executionStats: { executionStages: unknown } };
    assert.match(JSON.stringify(executionStats), /"consumerId_1_day_1"/);
  });
});
