import { MongoClient } from 'mongodb';
import { systemClock, startSystemTimer } from '../../src/base/clock.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import type { TrafficDocument } from '../../src/stores/mongodb/documents.ts';
import { createTrafficSink, createTrafficSource } from '../../src/stores/mongodb/traffic.ts';
import { hourOf } from '../../src/model/traffic-count.ts';
import { TrafficRecorder, type TrafficSink } from '../../src/stores/traffic/traffic-recorder.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';

/**
 * What counting requests costs with many active partners: CPU of one count, memory of the counters, a minute's writes
 * of one replica, and what a day takes in MongoDB. `node --expose-gc --import tsx bench/mongodb/traffic.ts`, with how
 * many partners are counted (100 000) and how many of them written (all).
 */
const partners = Number(process.argv[2] ?? 100_000);
const written = Number(process.argv[3] ?? partners);
const ids = Array.from({ length: partners }, (_, at) => `partner-${String(at).padStart(7, '0')}`);
const COUNTS = 2_000_000;
/** A day of these shows what a document takes. */
const WHOLE_DAYS = 10_000;
const MIB = 1024 * 1024;

await measureCounting();
await using set = await startReplicaSet({ members: 1 });
await using client = new MongoClient(set.uri('bench'), { writeConcern: { w: 'majority' } });
const db = client.db();
await ensureSchema(db);
await measureWriting();
await measureReading();

/** Nothing is written: only what checks wait for. */
async function measureCounting(): Promise<void> {
  const sink: TrafficSink = { add: async () => await Promise.resolve([]) };
  const observer = { writeFailed: () => undefined, writeWorks: () => undefined };
  const recorder = new TrafficRecorder({ sink, observer, startTimer: () => () => undefined }, 10 * partners);
  const nowSeconds = (): number => systemClock.nowSeconds();
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const first = cpuMs();
  for (const id of ids) recorder.count('orders', id, 'ALLOWED', nowSeconds());
  report('first count of a partner', perCount(cpuMs() - first, partners));
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - heapBefore) / partners;
  report('memory of a counter', `${bytes.toFixed(0)} bytes, ${((bytes * partners) / MIB).toFixed(1)} MiB in all`);
  for (const [what, pick] of [
    ['one partner', () => 0],
    ['partners in turn', (at: number) => at % partners],
    ['partners by chance', (at: number) => (at * 7919) % partners],
  ] as const) {
    const start = cpuMs();
    for (let at = 0; at < COUNTS; at += 1) recorder.count('orders', ids[pick(at)] ?? '', 'ALLOWED', nowSeconds());
    report(`further counts, ${what}`, perCount(cpuMs() - start, COUNTS));
  }
  const limited = cpuMs();
  for (let at = 0; at < COUNTS; at += 1) recorder.count('orders', ids[0] ?? '', 'RATE_LIMITED', nowSeconds());
  report('further counts, limited', perCount(cpuMs() - limited, COUNTS));
  await recorder[Symbol.asyncDispose]();
}

/** Two minutes of one replica, and the other hours of a day; the second minute finds all documents there. */
async function measureWriting(): Promise<void> {
  const observer = {
    writeFailed: (error: unknown) => {
      console.error(error);
    },
    writeWorks: () => undefined,
  };
  const hour = hourOf(systemClock.nowSeconds());
  for (const minute of ['first of the day', 'any other']) {
    const recorder = new TrafficRecorder({ sink: createTrafficSink(db), observer, startTimer: startSystemTimer });
    for (const id of ids.slice(0, written)) recorder.count('orders', id, 'ALLOWED', hour * 3600);
    const cpu = process.cpuUsage();
    const oplogBefore = await oplogBytes();
    const startMs = performance.now();
    // Waits longer than disposal would.
    while (recorder.size > 0) await flush(recorder);
    const seconds = (performance.now() - startMs) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const oplog = ((await oplogBytes()) - oplogBefore) / written;
    report(
      `a minute's counts (${minute})`,
      `${seconds.toFixed(1)} s, ${(written / seconds).toFixed(0)} writes/s, ` +
        `${(((user + system) / 1000 / written) * 1000).toFixed(0)} µs CPU of Postern and ${oplog.toFixed(0)} bytes of oplog each`,
    );
  }
  const collection = db.collection<TrafficDocument>('traffic');
  await collection.deleteMany({});
  const day = new Date((hour - (hour % 24)) * 3_600_000);
  const documents = ids.slice(0, WHOLE_DAYS).map((consumerId, at) => ({
    ...{ _id: `${day.toISOString().slice(0, 10)}/orders/${consumerId}`, day, endpointId: 'orders', consumerId },
    codes: {
      ALLOWED: Object.fromEntries(Array.from({ length: 24 }, (_, of) => [String(of), (at * 31 + of * 17) % 5000])),
    },
    by: { aaaaaaa1: 1400, aaaaaaa2: 1400, aaaaaaa3: 1400 },
  }));
  await collection.insertMany(documents);
  await client.db('admin').command({ fsync: 1 });
  const { count, size, storageSize, totalIndexSize } = await db.command({ collStats: 'traffic' });
  const mib = (bytes: unknown): string => `${(Number(bytes) / MIB).toFixed(1)} MiB`;
  report(
    'a day of documents, active in every hour',
    `${String(count)}: data ${mib(size)}, on disk ${mib(storageSize)}, indexes ${mib(totalIndexSize)}`,
  );
}

async function measureReading(): Promise<void> {
  const source = createTrafficSource(db);
  for (const [what, consumers] of [
    ['one partner', [ids[0] ?? '']],
    ['all callers together', null],
    ['each partner', 'each'],
  ] as const) {
    const startMs = performance.now();
    let read = 0;
    for await (const count of source.counts({ sinceHour: 0, consumers })) read += count.hour > 0 ? 1 : 0;
    report(`reading a day of ${what}`, `${(performance.now() - startMs).toFixed(0)} ms, ${String(read)} counts`);
  }
}

async function flush(recorder: TrafficRecorder): Promise<void> {
  const before = recorder.size;
  await recorder[Symbol.asyncDispose]();
  if (recorder.size === before) throw new Error('nothing is written');
}

async function oplogBytes(): Promise<number> {
  const { size } = await client.db('local').command({ collStats: 'oplog.rs' });
  return Number(size);
}

/** Of this process: other work on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function perCount(ms: number, counts: number): string {
  return `${((ms * 1000) / counts).toFixed(3)} µs each`;
}

function report(what: string, figure: string): void {
  console.log(`${what.padEnd(46)} ${figure}`);
}
