import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InProcessLimiter } from '../../../../src/check/limit/in-process.ts';
import { LimiterUnavailable } from '../../../../src/check/limit/limiter.ts';
import { type Limit, limitUnits, windowAt } from '../../../../src/model/limit.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';
import { limit } from '../../../support/pipeline/resources.ts';

describe('limits kept in process', () => {
  it('use up nothing with a refused request, so that a raised limit works at once', () => {
    const limiter = new InProcessLimiter(fixedClock());
    const question = { endpointId: 'orders', consumerId: 'acme' };
    for (let index = 0; index < 50; index += 1) {
      limiter.take({ ...question, limits: [limit('2/day/consumer'), limit('40/hour/consumer')] });
    }
    const [day, hour] = limiter.take({
      ...question,
      limits: [limit('5/day/consumer'), limit('40/hour/consumer')],
    });
    assert.deepEqual([day?.remaining, day?.isExceeded], [2, false]);
    assert.deepEqual([hour?.remaining, hour?.isExceeded], [37, false]);
  });

  it('tell on a refused request what the other limits really have left', () => {
    const limiter = new InProcessLimiter(fixedClock());
    const limits = [limit('1/hour/consumer'), limit('9/day/consumer')];
    limiter.take({ endpointId: 'orders', consumerId: 'acme', limits });
    const readings = limiter.take({ endpointId: 'orders', consumerId: 'acme', limits });
    assert.deepEqual(
      readings.map(({ remaining, isExceeded }) => [remaining, isExceeded]),
      [
        [0, true],
        [8, false],
      ],
    );
  });

  it('change windows at full minutes, hours and days of UTC', () => {
    for (const unit of limitUnits) {
      const { endSeconds } = windowAt(unit, NOON);
      const clock = fixedClock(endSeconds - 1);
      const limiter = new InProcessLimiter(clock);
      const question = { endpointId: 'orders', consumerId: 'acme', limits: [limit(`1/${unit}/consumer`)] };
      const take = () => limiter.take(question)[0];
      assert.deepEqual([take()?.isExceeded, take()?.isExceeded], [false, true], unit);
      assert.equal(take()?.resetSeconds, 1);
      clock.advance(0.999);
      assert.equal(take()?.isExceeded, true);
      clock.advance(0.001);
      const next = take();
      assert.deepEqual(
        [next?.isExceeded, next?.resetSeconds],
        [false, windowAt(unit, endSeconds).endSeconds - endSeconds],
      );
    }
  });

  it('count as a naive counter does, whatever comes when', () => {
    const step = fc.record({
      advance: fc.constantFrom(0, 0, 0, 0.4, 1, 7, 60, 3599),
      setAhead: fc.constantFrom(0, 0, 0, 0, 90, 86_400),
      consumerId: fc.constantFrom('acme', 'other', null),
      requests: fc.integer({ min: 1, max: 5 }),
      together: fc.integer({ min: 1, max: 6 }),
    });
    const units = fc.uniqueArray(fc.constantFrom(...limitUnits), { minLength: 1 });
    fc.assert(
      fc.property(units, fc.array(step, { maxLength: 12 }), (asked, steps) => {
        const clock = fixedClock(NOON + 30.5);
        const limiter = new InProcessLimiter(clock);
        const passed = new Map<string, number>();
        for (const { advance, setAhead, consumerId, requests, together } of steps) {
          clock.advance(advance);
          clock.set(setAhead);
          const limits = asked.map((unit, at): Limit => ({ requests: requests + at, unit, per: 'consumer' }));
          for (let index = 0; index < together; index += 1) {
            const naive = limits.map((each) => {
              const key = `${String(consumerId)} ${each.unit} ${String(windowAt(each.unit, clock.nowSeconds()).startSeconds)}`;
              return { key, limit: each, count: passed.get(key) ?? 0 };
            });
            const isAllowed = naive.every(({ limit: { requests: most }, count }) => count < most);
            if (isAllowed) for (const { key, count } of naive) passed.set(key, count + 1);
            assert.deepEqual(
              limiter.take({ endpointId: 'e', consumerId, limits }),
              naive.map(({ key, limit: each, count }) => {
                const { startSeconds, endSeconds } = windowAt(each.unit, clock.nowSeconds());
                return {
                  limit: each,
                  remaining: Math.max(0, each.requests - (passed.get(key) ?? 0)),
                  resetSeconds: endSeconds - clock.nowSeconds(),
                  windowSeconds: endSeconds - startSeconds,
                  isExceeded: count >= each.requests,
                };
              }),
            );
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('forget no window that the clock still is in, however it was set in between', () => {
    const clock = fixedClock(NOON + 10.9);
    const limiter = new InProcessLimiter(clock);
    const question = { endpointId: 'orders', consumerId: 'acme', limits: [limit('1/minute/consumer')] };
    const isOver = () => limiter.take(question)[0]?.isExceeded;
    assert.equal(isOver(), false);
    clock.set(86_400);
    assert.equal(isOver(), false, 'another window');
    clock.advance(49);
    clock.set(-86_400);
    assert.equal(isOver(), true);
    clock.advance(0.1);
    assert.equal(isOver(), false, 'the next window');
  });

  it('tell the same wait to requests that come at once as to requests that come one by one', () => {
    const limits = [limit('1/second/consumer'), limit('3/day/consumer')];
    const limiter = new InProcessLimiter(fixedClock());
    const answers = Array.from({ length: 8 }, () => limiter.take({ endpointId: 'e', consumerId: 'c', limits }));
    for (const [, day] of answers) assert.equal(day?.isExceeded, false, 'the day holds one request so far');
  });

  describe('when every counter is in use', () => {
    const perDay = [limit('9/day/consumer')];

    it('answer for the counters that are open, and nobody else', () => {
      const limiter = new InProcessLimiter(fixedClock(), 3);
      const take = (consumerId: string) => limiter.take({ endpointId: 'e', consumerId, limits: perDay });
      for (const id of ['a', 'b', 'c']) take(id);
      assert.throws(() => take('d'), LimiterUnavailable);
      const [reading] = take('b');
      assert.equal(reading?.remaining, 7);
    });

    it('answer again when windows have ended', () => {
      const clock = fixedClock();
      const limiter = new InProcessLimiter(clock, 2);
      const take = (consumerId: string) =>
        limiter.take({ endpointId: 'e', consumerId, limits: [limit('9/second/consumer')] });
      for (let second = 0; second < 5; second += 1) {
        take('a');
        take('b');
        assert.throws(() => take('c'), { name: 'LimiterUnavailable' });
        clock.advance(1);
      }
    });
  });
});
