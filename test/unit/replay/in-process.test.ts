import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InProcessReplayGuard } from '../../../src/replay/in-process.ts';
import { StoreUnavailable } from '../../../src/store/credential-source.ts';
import { fixedClock, NOON } from '../../support/pipeline/fixed-clock.ts';

describe('signatures remembered in process', () => {
  it('are remembered to their last second, and forgotten within a minute after it', () => {
    for (const offset of [0, 1, 59]) {
      const clock = fixedClock(NOON + offset);
      const guard = new InProcessReplayGuard(clock);
      assert.equal(guard.reserve('a', NOON + offset + 660), 'first');
      clock.advance(659);
      assert.equal(guard.reserve('a', 0), 'repeated');
      clock.advance(61);
      assert.equal(guard.reserve('b', clock.nowSeconds() + 660), 'first');
      assert.equal(guard.size, 1);
    }
  });

  it('are never forgotten to make room: then nothing new can be known', () => {
    const clock = fixedClock();
    const guard = new InProcessReplayGuard(clock, 2);
    assert.equal(guard.reserve('a', NOON + 60), 'first');
    assert.equal(guard.reserve('b', NOON + 660), 'first');
    assert.throws(() => guard.reserve('c', NOON + 660), {
      name: 'StoreUnavailable',
      message: /^2 signatures are remembered, and there is no room for another/,
    });
    assert.equal(guard.reserve('a', NOON + 660), 'repeated');
    clock.advance(60);
    assert.equal(guard.reserve('c', NOON + 660), 'first');
    assert.equal(guard.reserve('b', NOON + 660), 'repeated');
    assert.throws(() => guard.reserve('d', NOON + 660), StoreUnavailable);
  });

  it('pass once within their time and never grow beyond the bound, whatever is asked when', () => {
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      lasts: fc.integer({ min: 1, max: 400 }),
      after: fc.integer({ min: 0, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = fixedClock();
        const guard = new InProcessReplayGuard(clock, 3);
        const until = new Map<string, number>();
        for (const { key, lasts, after } of steps) {
          clock.advance(after);
          const now = clock.nowSeconds();
          const isLive = now < (until.get(key) ?? 0);
          const remembered = guard.size;
          try {
            const reservation = guard.reserve(key, now + lasts);
            if (isLive) assert.equal(reservation, 'repeated');
            if (reservation === 'first') until.set(key, now + lasts);
          } catch (error) {
            assert.ok(error instanceof StoreUnavailable && remembered === 3 && !isLive);
          }
          assert.ok(guard.size <= 3);
        }
      }),
    );
  });
});
