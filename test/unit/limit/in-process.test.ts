import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InProcessLimiter } from '../../../src/limit/in-process.ts';
import { LimiterUnavailable } from '../../../src/limit/limiter.ts';
import { type Limit, limitUnits, unitSeconds } from '../../../src/model/limit.ts';
import { fixedClock, NOON } from '../../support/pipeline/fixed-clock.ts';
import { limit } from '../../support/pipeline/resources.ts';

describe('limits kept in process', () => {
  it('use up nothing with a refused request, so that a raised limit works at once', async () => {
    const limiter = new InProcessLimiter(fixedClock());
    const question = { endpointId: 'orders', consumerId: 'acme' };
    for (let index = 0; index < 50; index += 1) {
      await limiter.take({ ...question, limits: [limit('2/day/consumer'), limit('40/hour/consumer')] });
    }
    const [day, hour] = await limiter.take({
      ...question,
      limits: [limit('5/day/consumer'), limit('40/hour/consumer')],
    });
    assert.deepEqual([day?.remaining, day?.isExceeded], [2, false]);
    assert.deepEqual([hour?.remaining, hour?.isExceeded], [37, false]);
  });

  it('tell on a refused request what the other limits really have left', async () => {
    const limiter = new InProcessLimiter(fixedClock());
    const limits = [limit('1/hour/consumer'), limit('9/day/consumer')];
    await limiter.take({ endpointId: 'orders', consumerId: 'acme', limits });
    const readings = await limiter.take({ endpointId: 'orders', consumerId: 'acme', limits });
    assert.deepEqual(
      readings.map(({ remaining, isExceeded }) => [remaining, isExceeded]),
      [
        [0, true],
        [8, false],
      ],
    );
  });

  it('change windows at full minutes, hours and days of UTC', async () => {
    for (const unit of limitUnits) {
      const length = unitSeconds[unit];
      const clock = fixedClock(Math.floor(NOON / length) * length + length - 1);
      const limiter = new InProcessLimiter(clock);
      const question = { endpointId: 'orders', consumerId: 'acme', limits: [limit(`1/${unit}/consumer`)] };
      const take = async () => (await limiter.take(question))[0];
      assert.deepEqual([(await take())?.isExceeded, (await take())?.isExceeded], [false, true], unit);
      assert.equal((await take())?.resetSeconds, 1);
      clock.advance(0.999);
      assert.equal((await take())?.isExceeded, true);
      clock.advance(0.001);
      const next = await take();
      assert.deepEqual([next?.isExceeded, next?.resetSeconds], [false, length]);
    }
  });

  it('never let more than the limit pass in a window, whatever comes when', async () => {
    const step = fc.record({
      advance: fc.constantFrom(0, 0, 0, 0.4, 1, 7, 60),
      consumerId: fc.constantFrom('acme', 'other'),
      together: fc.integer({ min: 1, max: 6 }),
    });
    const limits: fc.Arbitrary<Limit[]> = fc.uniqueArray(
      fc.record({
        requests: fc.integer({ min: 1, max: 5 }),
        unit: fc.constantFrom(...limitUnits),
        per: fc.constant('consumer' as const),
      }),
      { minLength: 1, maxLength: 3, selector: ({ unit }) => unit },
    );
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 12 }), async (all, steps) => {
        const clock = fixedClock(NOON + 30.5);
        const limiter = new InProcessLimiter(clock);
        const passed = new Map<string, number>();
        const keysOf = (consumerId: string): readonly (readonly [string, number])[] =>
          all.map(({ unit, requests }) => {
            const window = Math.floor(clock.nowSeconds() / unitSeconds[unit]);
            return [`${consumerId} ${unit} ${String(window)}`, requests] as const;
          });
        for (const { advance, consumerId, together } of steps) {
          clock.advance(advance);
          const answers = await Promise.all(
            Array.from(
              { length: together },
              async () => await limiter.take({ endpointId: 'e', consumerId, limits: all }),
            ),
          );
          const allowed = answers.filter((readings) => !readings.some((reading) => reading.isExceeded)).length;
          const keys = keysOf(consumerId);
          const room = Math.min(...keys.map(([key, requests]) => requests - (passed.get(key) ?? 0)));
          assert.equal(allowed, Math.min(room, together), 'as many as fit, and no more');
          for (const [key, requests] of keys) {
            const count = (passed.get(key) ?? 0) + allowed;
            assert.ok(count <= requests);
            passed.set(key, count);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('tell the same wait to requests that come at once as to requests that come one by one', async () => {
    const limits = [limit('1/second/consumer'), limit('3/day/consumer')];
    const limiter = new InProcessLimiter(fixedClock());
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => await limiter.take({ endpointId: 'e', consumerId: 'c', limits })),
    );
    for (const [, day] of answers) assert.equal(day?.isExceeded, false, 'the day holds one request so far');
  });

  describe('when every counter is in use', () => {
    const perDay = [limit('9/day/consumer')];

    it('answer for the counters that are open, and nobody else', async () => {
      const limiter = new InProcessLimiter(fixedClock(), 3);
      const take = async (consumerId: string) => await limiter.take({ endpointId: 'e', consumerId, limits: perDay });
      for (const id of ['a', 'b', 'c']) await take(id);
      await assert.rejects(take('d'), LimiterUnavailable);
      const [reading] = await take('b');
      assert.equal(reading?.remaining, 7);
    });

    it('answer again when windows have ended', async () => {
      const clock = fixedClock();
      const limiter = new InProcessLimiter(clock, 2);
      const take = async (consumerId: string) =>
        await limiter.take({ endpointId: 'e', consumerId, limits: [limit('9/second/consumer')] });
      for (let second = 0; second < 5; second += 1) {
        await take('a');
        await take('b');
        await assert.rejects(take('c'), { name: 'LimiterUnavailable' });
        clock.advance(1);
      }
    });
  });
});
