import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hourOf, type TrafficCount } from '../../../../src/model/traffic-count.ts';
import { TrafficRecorder } from '../../../../src/stores/traffic/traffic-recorder.ts';
import { ManualTime, settle } from '../../../support/time/manual-time.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LAST_WRITE_MS = 15_000;
const outage = new Error('no primary');

interface OpenWrite {
  readonly counts: readonly TrafficCount[];
  readonly sequence: number;
  /** Takes the counts but those that are refused, or fails. */
  end(outcome?: { readonly refused?: readonly TrafficCount[]; readonly error?: Error }): Promise<void>;
}

function testRecorder(maxCounters?: number) {
  const time = new ManualTime();
  const told: string[] = [];
  const writes: OpenWrite[] = [];
  const recorder = new TrafficRecorder(
    {
      startTimer: time.startTimer,
      sink: {
        add: (counts, sequence) =>
          new Promise((resolve, reject) => {
            const write: OpenWrite = {
              ...{ counts, sequence },
              end: async ({ refused = [], error } = {}) => {
                writes.splice(writes.indexOf(write), 1);
                if (error === undefined) resolve(refused);
                else reject(error);
                await settle();
              },
            };
            writes.push(write);
          }),
      },
      observer: {
        writeFailed: (error) => told.push((error as Error).message),
        writeWorks: () => told.push('works'),
      },
    },
    maxCounters,
  );
  const hour = hourOf(time.nowSeconds());
  return {
    ...{ recorder, time, told, writes, hour },
    count: (endpointId: string, consumerId: string | null, code = 'ALLOWED') => {
      recorder.count(endpointId, consumerId, code, time.nowSeconds());
    },
    next: (): OpenWrite => {
      const [write] = writes;
      assert.ok(write !== undefined, 'nothing is being written');
      return write;
    },
    /** Counts as they would be written. */
    of: (endpointId: string, consumerId: string | null, codes: Record<string, number>, hoursLater = 0) => ({
      ...{ endpointId, consumerId, hour: hour + hoursLater, codes },
    }),
  };
}

describe('the counts of requests', () => {
  it('are written a minute after the first: by endpoint and consumer, and of the endpoint as a whole', async () => {
    const { time, count, next, of, recorder, writes } = testRecorder();
    count('orders', 'acme');
    count('orders', 'acme');
    count('orders', 'acme', 'RATE_LIMITED');
    count('orders', 'bolt', 'REQUEST_EXPIRED');
    count('orders', null, 'AUTHENTICATION_FAILED');
    count('stock', 'acme');
    await time.advance(MINUTE_MS - 1);
    assert.equal(writes.length, 0);
    await time.advance(1);
    assert.deepEqual(next().counts, [
      of('orders', null, { ALLOWED: 2, RATE_LIMITED: 1, REQUEST_EXPIRED: 1, AUTHENTICATION_FAILED: 1 }),
      of('orders', 'acme', { ALLOWED: 2, RATE_LIMITED: 1 }),
      of('orders', 'bolt', { REQUEST_EXPIRED: 1 }),
      of('stock', null, { ALLOWED: 1 }),
      of('stock', 'acme', { ALLOWED: 1 }),
    ]);
    await next().end();
    assert.deepEqual([recorder.size, recorder.dropped, time.timers], [0, 0, 0]);
  });

  it('that come during a write are written the next time, under another number', async () => {
    const { time, count, next, of } = testRecorder();
    count('orders', 'acme');
    await time.advance(MINUTE_MS);
    const { sequence } = next();
    count('orders', 'acme');
    await next().end();
    await time.advance(MINUTE_MS);
    assert.deepEqual(next().counts, [of('orders', null, { ALLOWED: 1 }), of('orders', 'acme', { ALLOWED: 1 })]);
    assert.ok(next().sequence > sequence);
  });

  it('are written again as they were, under the same number, when it is unknown whether they were', async () => {
    const { time, count, next, of, told, recorder } = testRecorder();
    count('orders', 'acme');
    await time.advance(MINUTE_MS);
    const first = next();
    await first.end({ error: outage });
    count('orders', 'acme', 'REQUEST_EXPIRED');
    await time.advance(MINUTE_MS);
    assert.deepEqual([next().counts, next().sequence], [first.counts, first.sequence]);
    await next().end();
    assert.deepEqual(next().counts, [
      of('orders', null, { REQUEST_EXPIRED: 1 }),
      of('orders', 'acme', { REQUEST_EXPIRED: 1 }),
    ]);
    assert.ok(next().sequence > first.sequence);
    await next().end();
    assert.deepEqual([recorder.size, told], [0, ['no primary', 'works']]);
  });

  it('belong to the hour in which they were decided', async () => {
    const { time, count, next, of } = testRecorder();
    count('orders', null);
    await time.advance(MINUTE_MS / 2);
    time.set(time.nowMs() + HOUR_MS);
    count('orders', null);
    await time.advance(MINUTE_MS / 2);
    assert.deepEqual(next().counts, [of('orders', null, { ALLOWED: 1 })]);
    const { sequence } = next();
    await next().end();
    assert.deepEqual(next().counts, [of('orders', null, { ALLOWED: 1 }, 1)]);
    assert.ok(next().sequence > sequence, 'one document has both hours of a day');
  });

  it('take one counter for each hour of an outage, however often writing is tried', async () => {
    const { time, count, next, recorder } = testRecorder();
    for (let minute = 0; minute < 30; minute += 1) {
      count('orders', 'acme');
      await time.advance(MINUTE_MS);
      await next().end({ error: outage });
    }
    assert.equal(recorder.size, 4, 'what the first try took, and what was counted since');
  });

  it('are written in pieces, and after a failure from the piece that failed on', async () => {
    const { time, count, next } = testRecorder();
    for (let consumer = 0; consumer < 700; consumer += 1) count('orders', `partner-${String(consumer)}`);
    await time.advance(MINUTE_MS);
    assert.equal(next().counts.length, 500);
    await next().end();
    assert.equal(next().counts.length, 201);
    const failed = next().counts;
    await next().end({ error: outage });
    await time.advance(MINUTE_MS);
    assert.deepEqual(next().counts, failed);
  });

  it('are bounded: what finds no room is left out whole, and reported', async () => {
    const { time, count, next, of, recorder } = testRecorder(3);
    for (const consumer of ['acme', 'bolt', 'core', 'core', 'acme']) count('orders', consumer);
    count('stock', null);
    assert.deepEqual([recorder.size, recorder.dropped], [3, 3]);
    await time.advance(MINUTE_MS);
    assert.deepEqual(next().counts, [
      of('orders', null, { ALLOWED: 3 }),
      of('orders', 'acme', { ALLOWED: 2 }),
      of('orders', 'bolt', { ALLOWED: 1 }),
    ]);
    await next().end();
    count('orders', 'core');
    assert.equal(recorder.dropped, 3, 'there is room again');
  });

  it('that the store will never take are left out and reported', async () => {
    const { time, count, next, of, recorder } = testRecorder();
    count('orders', 'acme');
    count('orders', 'acme');
    await time.advance(MINUTE_MS);
    await next().end({ refused: [of('orders', 'acme', { ALLOWED: 2 })] });
    assert.deepEqual([recorder.size, recorder.dropped, time.timers], [0, 2, 0]);
  });
});

describe('the end of counting', () => {
  it('writes everything at once: what was tried before, and what came since', async () => {
    const { time, count, next, of, recorder } = testRecorder();
    count('orders', null);
    await time.advance(MINUTE_MS);
    count('orders', null, 'REQUEST_EXPIRED');
    const ended = recorder[Symbol.asyncDispose]();
    await next().end({ error: outage });
    assert.deepEqual(next().counts, [of('orders', null, { ALLOWED: 1 })]);
    await next().end();
    assert.deepEqual(next().counts, [of('orders', null, { REQUEST_EXPIRED: 1 })]);
    await next().end();
    await ended;
    assert.equal(time.timers, 0);
  });

  it('waits four seconds at most', async () => {
    const { time, count, recorder, writes } = testRecorder();
    count('orders', null);
    const ended = recorder[Symbol.asyncDispose]();
    await time.advance(LAST_WRITE_MS);
    await ended;
    assert.equal(writes.length, 1);
    assert.equal(time.timers, 0);
  });
});

describe('counting, whatever happens', () => {
  it('stores each request once', async () => {
    const aStep = fc.oneof(
      fc.record({
        endpoint: fc.constantFrom('orders', 'stock'),
        consumer: fc.constantFrom('acme', 'bolt', null),
        code: fc.constantFrom('ALLOWED', 'RATE_LIMITED', 'REQUEST_EXPIRED'),
      }),
      fc.record({
        minutes: fc.integer({ min: -70, max: 70 }),
        outcome: fc.constantFrom('written', 'failed', 'written but not confirmed'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 60 }), async (steps) => {
        const { time, count, writes, recorder } = testRecorder();
        const counted = new Map<string, number>();
        const stored = new Map<string, number>();
        const latest = new Map<string, number>();
        const add = (to: Map<string, number>, key: string, sum: number): void => {
          to.set(key, (to.get(key) ?? 0) + sum);
        };
        const store = ({ counts, sequence }: OpenWrite): void => {
          for (const { endpointId, consumerId, hour, codes } of counts) {
            const document = `${String(Math.floor(hour / 24))} ${endpointId} ${String(consumerId)}`;
            if ((latest.get(document) ?? 0) >= sequence) continue;
            latest.set(document, sequence);
            for (const [code, sum] of Object.entries(codes)) add(stored, `${document} ${String(hour)} ${code}`, sum);
          }
        };
        const end = async (outcome: 'written' | 'failed' | 'written but not confirmed'): Promise<void> => {
          for (let [write] = writes; write !== undefined; [write] = writes) {
            if (outcome !== 'failed') store(write);
            await write.end(outcome === 'written' ? {} : { error: outage });
          }
        };
        for (const step of steps) {
          if ('code' in step) {
            const { endpoint, consumer, code } = step;
            count(endpoint, consumer, code);
            const hour = hourOf(time.nowSeconds());
            for (const who of consumer === null ? [null] : [null, consumer]) {
              add(counted, `${String(Math.floor(hour / 24))} ${endpoint} ${String(who)} ${String(hour)} ${code}`, 1);
            }
          } else if (step.minutes < 0) time.set(time.nowMs() + step.minutes * MINUTE_MS);
          else {
            await time.advance(step.minutes * MINUTE_MS);
            await end(step.outcome);
          }
        }
        const ended = recorder[Symbol.asyncDispose]();
        await settle();
        await end('written');
        await end('written');
        await ended;
        assert.deepEqual(stored, counted);
        assert.deepEqual([recorder.size, recorder.dropped, time.timers], [0, 0, 0]);
      }),
      { numRuns: 300 },
    );
  });
});
