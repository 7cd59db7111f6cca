import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type CredentialUse, UsageRecorder } from '../../../src/stores/usage-recorder.ts';
import { NOON } from '../../support/time/fixed-clock.ts';
import { ManualTime, settle } from '../../support/time/manual-time.ts';

/** A batch that waits to be written. */
interface OpenWrite {
  readonly batch: readonly CredentialUse[];
  end(error?: Error): Promise<void>;
}

function testRecorder(maxKept?: number) {
  const time = new ManualTime();
  const told: string[] = [];
  const writes: OpenWrite[] = [];
  const recorder = new UsageRecorder(
    {
      startTimer: time.startTimer,
      sink: {
        write: (batch) =>
          new Promise((resolve, reject) => {
            const write: OpenWrite = {
              batch,
              end: async (error) => {
                writes.splice(writes.indexOf(write), 1);
                if (error === undefined) resolve();
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
    maxKept,
  );
  const next = (): OpenWrite => {
    const [write] = writes;
    assert.ok(write !== undefined, 'nothing is being written');
    return write;
  };
  return { recorder, time, told, writes, next };
}

function use(credentialId: string, lastUsedAt: number, retiringSecretLastUsedAt: number | null = null): CredentialUse {
  return { credentialId, lastUsedAt, retiringSecretLastUsedAt };
}

const FLUSH_MS = 10_000;
const outage = new Error('no primary');

describe('the record of when credentials are used', () => {
  it('is written ten seconds after the first use, each credential once', async () => {
    const { recorder, time, writes, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    recorder.used('b', 'current', NOON + 1);
    recorder.used('a', 'current', NOON + 2);
    await time.advance(FLUSH_MS - 1);
    assert.equal(writes.length, 0);
    await time.advance(1);
    assert.deepEqual(next().batch, [use('a', NOON), use('b', NOON + 1)]);
    await next().end();
    assert.deepEqual([recorder.pending, time.timers], [0, 0]);
  });

  it('takes up a credential in use again after a minute', async () => {
    const { recorder, time, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    await time.advance(FLUSH_MS);
    await next().end();
    recorder.used('a', 'current', NOON + 59);
    assert.deepEqual([recorder.pending, time.timers], [0, 0]);
    recorder.used('a', 'current', NOON + 60);
    await time.advance(FLUSH_MS);
    assert.deepEqual(next().batch, [use('a', NOON + 60)]);
  });

  it('distinguishes the retiring secret from the current one', async () => {
    const { recorder, time, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    recorder.used('a', 'retiring', NOON + 1);
    recorder.used('b', 'retiring', NOON + 2);
    recorder.used('b', 'current', NOON + 3);
    recorder.used('b', 'retiring', NOON + 4);
    await time.advance(FLUSH_MS);
    assert.deepEqual(next().batch, [use('a', NOON + 1, NOON + 1), use('b', NOON + 2, NOON + 2)]);
    await next().end();
    recorder.used('b', 'current', NOON + 62);
    await time.advance(FLUSH_MS);
    assert.deepEqual(next().batch, [use('b', NOON + 62, NOON + 2)]);
  });

  it('keeps what could not be written, with what was used since, and reports it once', async () => {
    const { recorder, time, told, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    recorder.used('b', 'current', NOON);
    await time.advance(FLUSH_MS);
    recorder.used('c', 'current', NOON + 10);
    recorder.used('a', 'retiring', NOON + 11);
    await next().end(outage);
    await time.advance(FLUSH_MS);
    assert.deepEqual(
      new Set(next().batch),
      new Set([use('a', NOON + 11, NOON + 11), use('b', NOON), use('c', NOON + 10)]),
    );
    await next().end(outage);
    assert.equal(recorder.pending, 3);
    await time.advance(FLUSH_MS);
    await next().end();
    assert.deepEqual([recorder.pending, recorder.dropped, told], [0, 0, ['no primary', 'works']]);
  });

  it('writes one batch at a time', async () => {
    const { recorder, time, writes, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    await time.advance(FLUSH_MS);
    recorder.used('b', 'current', NOON + 10);
    await time.advance(10 * FLUSH_MS);
    assert.equal(writes.length, 1);
    await next().end();
    await time.advance(FLUSH_MS);
    assert.deepEqual(next().batch, [use('b', NOON + 10)]);
  });

  it('is bounded: what was kept longest is dropped and counted', async () => {
    const { recorder, time, next } = testRecorder(2);
    for (const [at, id] of ['a', 'b', 'c'].entries()) recorder.used(id, 'current', NOON + at);
    assert.deepEqual([recorder.pending, recorder.dropped], [2, 1]);
    await time.advance(FLUSH_MS);
    recorder.used('d', 'current', NOON + 10);
    recorder.used('e', 'current', NOON + 10);
    assert.equal(recorder.dropped, 1);
    await next().end(outage);
    assert.deepEqual([recorder.pending, recorder.dropped], [2, 3]);
    await time.advance(FLUSH_MS);
    assert.deepEqual(next().batch, [use('d', NOON + 10), use('e', NOON + 10)]);
  });

  it('forgets what was written when its minute is over, so that it does not crowd out what is in use', async () => {
    const { recorder, time, next } = testRecorder(3);
    recorder.used('old', 'current', NOON);
    await time.advance(FLUSH_MS);
    await next().end();
    recorder.used('a', 'current', NOON + 60);
    await time.advance(FLUSH_MS);
    await next().end();
    recorder.used('b', 'current', NOON + 61);
    recorder.used('c', 'current', NOON + 61);
    recorder.used('a', 'current', NOON + 62);
    assert.deepEqual([recorder.pending, recorder.dropped], [2, 0]);
  });
});

describe('the end of the record', () => {
  it('writes what there is', async () => {
    const { recorder, time, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    const ended = recorder[Symbol.asyncDispose]();
    await settle();
    assert.deepEqual(next().batch, [use('a', NOON)]);
    await next().end();
    await ended;
    assert.equal(time.timers, 0);
  });

  it('waits for a batch that is being written, and writes once more what failed', async () => {
    const { recorder, time, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    await time.advance(FLUSH_MS);
    const ended = recorder[Symbol.asyncDispose]();
    await next().end(outage);
    assert.deepEqual(next().batch, [use('a', NOON)]);
    await next().end();
    await ended;
    assert.equal(time.timers, 0);
  });

  it('waits two seconds at most', async () => {
    const { recorder, time, next } = testRecorder();
    recorder.used('a', 'current', NOON);
    const ended = recorder[Symbol.asyncDispose]();
    await time.advance(2000);
    await ended;
    await next().end(outage);
    recorder.used('b', 'current', NOON);
    assert.equal(time.timers, 0);
  });
});

describe('the record of uses, whatever happens', () => {
  it('ends up with the last use of every credential, to the minute', async () => {
    const aStep = fc.oneof(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        secret: fc.constantFrom('current' as const, 'retiring' as const),
      }),
      fc.record({ seconds: fc.integer({ min: 1, max: 100 }), isWritten: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 60 }), async (steps) => {
        const { recorder, time, writes } = testRecorder();
        const used = new Map<string, { any: number; retiring: number }>();
        const stored = new Map<string, { any: number; retiring: number }>();
        const end = async (isWritten: boolean): Promise<void> => {
          for (const write of [...writes]) {
            for (const { credentialId, lastUsedAt, retiringSecretLastUsedAt } of isWritten ? write.batch : []) {
              const before = stored.get(credentialId) ?? { any: 0, retiring: 0 };
              stored.set(credentialId, {
                any: Math.max(before.any, lastUsedAt),
                retiring: Math.max(before.retiring, retiringSecretLastUsedAt ?? 0),
              });
            }
            await write.end(isWritten ? undefined : outage);
          }
        };
        for (const step of steps) {
          if ('id' in step) {
            const now = time.nowSeconds();
            recorder.used(step.id, step.secret, now);
            const before = used.get(step.id)?.retiring ?? 0;
            used.set(step.id, { any: now, retiring: step.secret === 'retiring' ? now : before });
          } else {
            await time.advance(step.seconds * 1000);
            await end(step.isWritten);
          }
        }
        const ended = recorder[Symbol.asyncDispose]();
        for (let at = 0; at < 3; at += 1) {
          await settle();
          await end(true);
        }
        await ended;
        for (const [id, { any, retiring }] of used) {
          const kept = stored.get(id) ?? { any: 0, retiring: 0 };
          assert.ok(
            kept.any <= any && any - kept.any < 60,
            `${id} was used at ${String(any)}, not ${String(kept.any)}`,
          );
          assert.ok(kept.retiring <= retiring && retiring - kept.retiring < 60, `${id} with the retiring secret`);
        }
        assert.equal(time.timers, 0);
      }),
      { numRuns: 300 },
    );
  });
});
