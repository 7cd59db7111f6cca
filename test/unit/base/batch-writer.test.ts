import assert from 'node:assert/strict';
import { BatchWriter } from '../../../src/base/batch-writer.ts';
import { ManualTime, settle } from '../../support/time/manual-time.ts';

const INTERVAL_MS = 10_000;
const LAST_WRITE_MS = 2000;

/** A writer of things, each write of which the test ends. */
function testWriter() {
  const time = new ManualTime();
  const events: string[] = [];
  let waiting: string[] = [];
  let open: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;
  const writer = new BatchWriter(
    {
      isWaiting: () => waiting.length > 0,
      write: async () => {
        assert.equal(open, null, 'two writes at once');
        const batch = waiting;
        waiting = [];
        events.push(`write ${batch.join(' ')}`);
        try {
          await new Promise<void>((resolve, reject) => {
            open = { resolve, reject };
          });
        } catch (error) {
          waiting = [...batch, ...waiting];
          throw error;
        }
      },
    },
    {
      startTimer: time.startTimer,
      observer: {
        writeFailed: (error) => events.push((error as Error).message),
        writeWorks: () => events.push('works'),
      },
    },
    { intervalMs: INTERVAL_MS, lastWriteMs: LAST_WRITE_MS },
  );
  return {
    ...{ time, events, writer },
    put: (thing: string) => {
      waiting.push(thing);
      writer.wake();
    },
    end: async (error?: Error) => {
      assert.ok(open !== null, 'nothing is being written');
      const { resolve, reject } = open;
      open = null;
      if (error === undefined) resolve();
      else reject(error);
      await settle();
    },
  };
}

const outage = new Error('no primary');

describe('batches', () => {
  it('are written an interval after the first thing that waits', async () => {
    const { time, events, put, end } = testWriter();
    put('a');
    await time.advance(INTERVAL_MS - 1);
    put('b');
    assert.deepEqual(events, []);
    await time.advance(1);
    assert.deepEqual(events, ['write a b']);
    await end();
    assert.equal(time.timers, 0);
  });

  it('are written one at a time: what comes during a write waits for an interval of its own', async () => {
    const { time, events, put, end } = testWriter();
    put('a');
    await time.advance(INTERVAL_MS);
    put('b');
    await time.advance(5 * INTERVAL_MS);
    assert.deepEqual(events, ['write a']);
    await end();
    await time.advance(INTERVAL_MS - 1);
    assert.deepEqual(events, ['write a']);
    await time.advance(1);
    assert.deepEqual(events, ['write a', 'write b']);
  });

  it('that fail are written again, and the observer hears of the first failure and of the recovery', async () => {
    const { time, events, put, end } = testWriter();
    put('a');
    await time.advance(INTERVAL_MS);
    await end(outage);
    await time.advance(INTERVAL_MS);
    await end(new Error('still no primary'));
    put('b');
    await time.advance(INTERVAL_MS);
    await end();
    assert.deepEqual(events, ['write a', 'no primary', 'write a', 'write a b', 'works']);
    assert.equal(time.timers, 0);
  });

  it('are reported again by a second outage', async () => {
    const { time, events, put, end } = testWriter();
    put('a');
    for (const error of [outage, undefined]) {
      await time.advance(INTERVAL_MS);
      await end(error);
    }
    put('b');
    await time.advance(INTERVAL_MS);
    await end(outage);
    assert.deepEqual(events, ['write a', 'no primary', 'write a', 'works', 'write b', 'no primary']);
  });
});

describe('the end of batches', () => {
  it('writes at once what waits', async () => {
    const { time, events, writer, put, end } = testWriter();
    put('a');
    const ended = writer[Symbol.asyncDispose]();
    await settle();
    assert.deepEqual(events, ['write a']);
    await end();
    await ended;
    assert.equal(time.timers, 0);
  });

  it('writes nothing where nothing waits', async () => {
    const { time, events, writer } = testWriter();
    await writer[Symbol.asyncDispose]();
    assert.deepEqual([events, time.timers], [[], 0]);
  });

  it('waits for a write in flight, and writes once more what failed', async () => {
    const { time, events, writer, put, end } = testWriter();
    put('a');
    await time.advance(INTERVAL_MS);
    const ended = writer[Symbol.asyncDispose]();
    await end(outage);
    await end();
    await ended;
    assert.deepEqual(events, ['write a', 'no primary', 'write a', 'works']);
    assert.equal(time.timers, 0);
  });

  it('is patient for as long as it was given, and starts no timer afterwards', async () => {
    const { time, writer, put, end } = testWriter();
    put('a');
    let hasEnded = false;
    const ended = writer[Symbol.asyncDispose]().then(() => {
      hasEnded = true;
    });
    await time.advance(LAST_WRITE_MS - 1);
    assert.equal(hasEnded, false);
    await time.advance(1);
    await ended;
    await end(outage);
    put('b');
    assert.equal(time.timers, 0);
  });
});
