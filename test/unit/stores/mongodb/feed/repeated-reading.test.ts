import assert from 'node:assert/strict';
import { MongodbUnavailable } from '../../../../../src/stores/mongodb/faults.ts';
import { RepeatedReading } from '../../../../../src/stores/mongodb/feed/repeated-reading.ts';

/** Runs readings that end as told, until one more than these has begun; gives what was reported of them. */
async function defectsOf(
  ends: readonly (Error | null)[],
  pauseMs: (failures: number) => number = () => 1,
): Promise<readonly unknown[]> {
  const defects: unknown[] = [];
  let count = 0;
  await new Promise<void>((resolve) => {
    const reading = new RepeatedReading({
      ready: Promise.resolve(),
      read: async () => {
        const end = ends[count];
        count += 1;
        if (end === undefined) {
          void reading[Symbol.asyncDispose]().then(resolve);
          return;
        }
        if (end !== null) await Promise.reject(end);
      },
      pauseMs,
      observer: { defect: (error) => defects.push(error) },
    });
  });
  assert.equal(count, ends.length + 1);
  return defects;
}

describe('reading again and again', () => {
  it('goes on after an outage, which is no defect, and after a defect', async () => {
    const wrong = new Error('wrong');
    assert.deepEqual(await defectsOf([null, new MongodbUnavailable('unreachable', 'down'), wrong, null]), [wrong]);
  });

  it('says how many readings have failed since the last good one', async () => {
    const failures: number[] = [];
    await defectsOf([null, new Error('1'), new Error('2'), null], (count) => {
      failures.push(count);
      return 1;
    });
    assert.deepEqual(failures, [0, 1, 2, 0, 0]);
  });

  it('reads at once without something to wait for, and again when asked, also during a reading', async () => {
    let count = 0;
    const { promise, resolve } = pending();
    await using reading = new RepeatedReading({
      read: async () => {
        count += 1;
        if (count === 2) reading.readSoon();
        if (count === 3) resolve();
        await Promise.resolve();
      },
      pauseMs: () => 3_600_000,
      observer: { defect: () => undefined },
    });
    assert.equal(count, 1);
    await Promise.resolve();
    reading.readSoon();
    await promise;
    assert.equal(count, 3);
  });

  it('does not begin when it is stopped before the store was read', async () => {
    let count = 0;
    const { promise, resolve } = pending();
    const reading = new RepeatedReading({
      ready: promise,
      read: async () => {
        count += 1;
        await Promise.resolve();
      },
      pauseMs: () => 1,
      observer: { defect: () => undefined },
    });
    await reading[Symbol.asyncDispose]();
    resolve();
    await promise;
    assert.equal(count, 0);
  });
});

function pending(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((each) => {
    resolve = each;
  });
  return { promise, resolve };
}
