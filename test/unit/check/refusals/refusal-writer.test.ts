import assert from 'node:assert/strict';
import type { RefusalEntry } from '../../../../src/check/refusals/refusal-record.ts';
import { RefusalRecorder } from '../../../../src/check/refusals/refusal-recorder.ts';
import { RefusalWriter } from '../../../../src/check/refusals/refusal-writer.ts';
import { ManualTime, settle } from '../../../support/time/manual-time.ts';
import { record, refusedOf } from '../../../support/refusals/refused.ts';

/** A batch that waits to be written. */
interface OpenWrite {
  readonly batch: readonly RefusalEntry[];
  end(error?: Error): Promise<void>;
}

const outage = new Error('no primary');

function testWriter(room?: { readonly maxEntries: number; readonly maxBytes: number }) {
  const time = new ManualTime();
  const told: string[] = [];
  const dropped: RefusalEntry[] = [];
  const open: OpenWrite[] = [];
  let calls = 0;
  const writer = new RefusalWriter(
    {
      startTimer: time.startTimer,
      onDropped: (entry) => dropped.push(entry),
      sink: {
        write: (batch) =>
          new Promise((resolve, reject) => {
            calls += 1;
            open.push({
              batch,
              end: async (error) => {
                open.shift();
                if (error === undefined) resolve();
                else reject(error);
                await settle();
              },
            });
          }),
      },
      observer: {
        writeFailed: (error) => told.push((error as Error).message),
        writeWorks: () => told.push('works'),
      },
    },
    room,
  );
  const next = (): OpenWrite => open[0] ?? assert.fail('nothing is being written');
  return { writer, time, told, dropped, open, next, calls: () => calls };
}

describe('refusals that are written', () => {
  it('go in one batch a second after the first', async () => {
    const { writer, time, open, next } = testWriter();
    const [one, other] = [record(), record()];
    writer.add(one);
    await time.advance(999);
    writer.add(other);
    assert.equal(open.length, 0);
    await time.advance(1);
    assert.deepEqual(next().batch, [one, other]);
    assert.equal(writer.waiting, 2);
    await next().end();
    assert.deepEqual([writer.waiting, writer.written, time.timers], [0, 2, 0]);
  });

  it('wait for the batch that is being written, and come after it', async () => {
    const { writer, time, open, next } = testWriter();
    writer.add(record());
    await time.advance(1000);
    const later = record();
    writer.add(later);
    await time.advance(5000);
    assert.equal(open.length, 1);
    await next().end();
    await time.advance(1000);
    assert.deepEqual(next().batch, [later]);
  });

  it('are written again after a failure, which is reported once', async () => {
    const { writer, time, told, next } = testWriter();
    const entry = record();
    writer.add(entry);
    for (const failure of [outage, outage, undefined]) {
      await time.advance(1000);
      assert.deepEqual(next().batch, [entry]);
      await next().end(failure);
    }
    assert.deepEqual(told, ['no primary', 'works']);
    assert.deepEqual([writer.waiting, writer.written], [0, 1]);
  });

  it('make room for newer ones when too many wait, by number and by size', async () => {
    const { writer, time, dropped, next } = testWriter({ maxEntries: 2, maxBytes: 100_000 });
    const [first, second, third] = [record(), record(), record()];
    for (const entry of [first, second, third]) writer.add(entry);
    assert.deepEqual(dropped, [first]);
    const large = record({ stringToSign: 'x'.repeat(49_700) });
    writer.add(large);
    const idsOf = (entries: readonly RefusalEntry[]): string[] => entries.map(({ id }) => id);
    assert.deepEqual(idsOf(dropped), idsOf([first, second, third]));
    await time.advance(1000);
    assert.deepEqual(idsOf(next().batch), idsOf([large]));
  });

  it('count as lost only when the batch they were in was not written', async () => {
    const { writer, time, dropped, next } = testWriter({ maxEntries: 1, maxBytes: 100_000 });
    const [first, second, third] = [record(), record(), record()];
    writer.add(first);
    await time.advance(1000);
    writer.add(second);
    await next().end();
    assert.deepEqual(dropped, []);
    await time.advance(1000);
    writer.add(third);
    await next().end(outage);
    assert.deepEqual(dropped, [second]);
  });

  it('are written at the end, for two seconds at most', async () => {
    const { writer, time, next } = testWriter();
    writer.add(record());
    let isOver = false;
    const ended = writer[Symbol.asyncDispose]().then(() => {
      isOver = true;
    });
    await settle();
    assert.equal(next().batch.length, 1);
    await time.advance(1999);
    assert.equal(isOver, false);
    await time.advance(1);
    await ended;
    assert.equal(time.timers, 0);
  });

  it('cost a bounded number of writes in a flood, and a bounded memory while none succeeds', async () => {
    const { writer, time, next, calls, open } = testWriter();
    const recorder = new RefusalRecorder({
      clock: time,
      startTimer: time.startTimer,
      keepsSource: true,
      keep: (entry) => {
        writer.add(entry);
      },
    });
    const seconds = 10;
    for (let second = 0; second < seconds; second += 1) {
      for (let at = 0; at < 10_000; at += 1) recorder.record(refusedOf(`partner-${String(at % 100)}`));
      await time.advance(1000);
      while (open.length > 0) await next().end(second < seconds - 1 ? outage : undefined);
    }
    assert.ok(writer.waiting <= 5000, `${String(writer.waiting)} wait`);
    await time.advance(5000);
    while (open.length > 0) await next().end();
    assert.equal(writer.waiting, 0);
    // One failed write a second, then 2000 at once and five a second, 500 in each write.
    assert.ok(calls() <= seconds + 6, `${String(calls())} writes`);
    assert.ok(writer.written <= 2000 + 5 * (seconds + 5), `${String(writer.written)} written`);
    const { consumer, replica, room } = recorder.leftOut;
    assert.ok(consumer + replica + room >= 97_000);
  });
});
