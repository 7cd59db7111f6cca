import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InProcessReplayGuard } from '../../../../src/check/replay/in-process.ts';
import { type Reservation, type UsedSignature } from '../../../../src/check/replay/replay-guard.ts';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { usedSignature } from '../../../support/partner/used-signature.ts';
import { fixedClock, type FixedClock, NOON } from '../../../support/time/fixed-clock.ts';

const WINDOW = 600;

/** Signs with the time of the clock. */
function signed(clock: FixedClock, text: string, parts: Partial<UsedSignature> = {}): UsedSignature {
  return usedSignature(text, { signedAtSeconds: clock.nowSeconds(), ...parts });
}

describe('signatures remembered in process', () => {
  it('are remembered to their last second, and forgotten within a minute after it', () => {
    for (const offset of [0, 1, 59]) {
      const clock = fixedClock(NOON + offset);
      const guard = new InProcessReplayGuard(clock);
      const first = signed(clock, 'a');
      assert.equal(guard.reserve(first, WINDOW), 'first');
      clock.advance(659);
      assert.equal(guard.reserve(first, WINDOW), 'repeated');
      clock.advance(61);
      assert.equal(guard.reserve(signed(clock, 'b'), WINDOW), 'first');
      assert.equal(guard.size, 1);
      assert.equal(guard.reserve(first, WINDOW), 'outdated');
    }
  });

  it('are remembered by the skew of now, not by that of when they came', () => {
    const clock = fixedClock();
    const guard = new InProcessReplayGuard(clock);
    const first = signed(clock, 'a');
    assert.equal(guard.reserve(first, 2), 'first');
    clock.advance(50);
    assert.equal(guard.reserve(signed(clock, 'raised'), 7200), 'first');
    clock.advance(7200);
    assert.equal(guard.reserve(first, 7200), 'repeated');
    assert.equal(guard.reserve(signed(clock, 'lowered'), 2), 'first');
    assert.equal(guard.size, 1);
  });

  it('come back by no skew that is raised after they were forgotten', () => {
    const clock = fixedClock();
    const guard = new InProcessReplayGuard(clock);
    const first = signed(clock, 'a');
    assert.equal(guard.reserve(first, 2), 'first');
    clock.advance(200);
    assert.equal(guard.reserve(signed(clock, 'b'), 2), 'first');
    assert.equal(guard.size, 1);
    assert.equal(guard.reserve(first, 7200), 'outdated');
    assert.equal(guard.reserve(signed(clock, 'c'), 7200), 'first');
  });

  it('are kept apart by method, each with a window of its own', () => {
    const clock = fixedClock();
    const guard = new InProcessReplayGuard(clock);
    const byHmac = signed(clock, 'a');
    const byParameters = signed(clock, 'a', { method: 'parameter-signature' });
    assert.equal(guard.reserve(byHmac, 2), 'first');
    assert.equal(guard.reserve(byParameters, 7200), 'first');
    clock.advance(200);
    assert.equal(guard.reserve(signed(clock, 'b'), 2), 'first');
    assert.equal(guard.size, 2);
    assert.equal(guard.reserve(byParameters, 7200), 'repeated');
  });

  describe('when the clock is set', () => {
    const others = (guard: InProcessReplayGuard, clock: FixedClock): Reservation =>
      guard.reserve(signed(clock, `other ${String(clock.nowSeconds())}`), WINDOW);

    it('survive a step forward and back', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock);
      const first = signed(clock, 'a');
      assert.equal(guard.reserve(first, WINDOW), 'first');
      clock.set(7200);
      assert.equal(others(guard, clock), 'first');
      clock.set(-7200);
      assert.equal(guard.reserve(first, WINDOW), 'repeated');
    });

    it('survive a step back', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock);
      const first = signed(clock, 'a');
      assert.equal(guard.reserve(first, WINDOW), 'first');
      clock.set(-3600);
      clock.advance(3600);
      assert.equal(others(guard, clock), 'first');
      assert.equal(guard.reserve(first, WINDOW), 'repeated');
    });

    it('are not taken once more when they were forgotten before', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock);
      const first = signed(clock, 'a');
      assert.equal(guard.reserve(first, WINDOW), 'first');
      clock.advance(3600);
      assert.equal(others(guard, clock), 'first');
      clock.set(-3600);
      assert.equal(guard.reserve(first, WINDOW), 'outdated');
    });

    it('are forgotten within a day, and new ones taken, after the clock was ahead by ten years', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock);
      const tenYears = 315_360_000;
      assert.equal(guard.reserve(signed(clock, 'before'), WINDOW), 'first');
      clock.set(tenYears);
      assert.equal(guard.reserve(signed(clock, 'ahead'), WINDOW), 'first');
      clock.advance(1000);
      assert.equal(guard.reserve(signed(clock, 'later'), WINDOW), 'first');
      clock.set(-tenYears);
      assert.equal(guard.reserve(signed(clock, 'right again'), WINDOW), 'first');
      clock.advance(90_000);
      assert.equal(guard.reserve(signed(clock, 'next day'), WINDOW), 'first');
      assert.equal(guard.size, 1);
    });
  });

  describe('when they are many', () => {
    it('leave room for others: a credential may hold as many as are free', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock, 100);
      const taken = Array.from({ length: 80 }, (_, index) =>
        guard.reserve(signed(clock, `greedy ${String(index)}`), WINDOW),
      );
      assert.equal(taken.filter((each) => each === 'first').length, 50);
      assert.deepEqual(taken.at(-1), { retryAfterSeconds: 60 });
      for (let count = 0; count < 20; count += 1) {
        const credentialId = `modest-${String(count)}`;
        assert.equal(
          guard.reserve(signed(clock, credentialId, { credentialId, consumerId: credentialId }), WINDOW),
          'first',
        );
      }
      assert.deepEqual(guard.refused, { share: 30, memory: 0 });
      assert.equal(guard.reserve(signed(clock, 'greedy 0'), WINDOW), 'repeated');
      clock.advance(720);
      assert.equal(guard.reserve(signed(clock, 'greedy again'), WINDOW), 'first');
      assert.equal(guard.size, 1);
    });

    it('leave room for other consumers, however many credentials one has', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock, 300);
      for (let count = 0; count < 1000; count += 1) {
        const credentialId = `acme-${String(count % 10)}`;
        const reserved = guard.reserve(signed(clock, `acme ${String(count)}`, { credentialId }), WINDOW);
        assert.ok(reserved === 'first' || typeof reserved === 'object');
      }
      assert.ok(guard.size <= 200, String(guard.size));
      const borealis = { credentialId: 'borealis', consumerId: 'borealis' };
      assert.equal(guard.reserve(signed(clock, 'borealis', borealis), WINDOW), 'first');
      clock.advance(720);
      assert.equal(guard.reserve(signed(clock, 'acme again'), WINDOW), 'first');
      assert.equal(guard.size, 1);
    });

    it('are never forgotten to make room: then nothing new can be known', () => {
      const clock = fixedClock();
      const guard = new InProcessReplayGuard(clock, 2);
      const by = (credentialId: string): UsedSignature => signed(clock, credentialId, { credentialId });
      const [a, b] = [by('a'), by('b')];
      assert.equal(guard.reserve(a, WINDOW), 'first');
      assert.equal(guard.reserve(b, WINDOW), 'first');
      assert.throws(() => guard.reserve(by('c'), WINDOW), {
        name: 'StoreUnavailable',
        message: /^2 signatures are remembered, and there is no room for another/,
      });
      assert.equal(guard.reserve(a, WINDOW), 'repeated');
      assert.deepEqual(guard.refused, { share: 0, memory: 1 });
    });
  });

  it('pass once, and never grow beyond the bound, whatever comes when and however the clock is set', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      credentialId: fc.constantFrom('one', 'two'),
      skew: fc.constantFrom(1, 100, 3600),
      after: fc.integer({ min: 0, max: 4000 }),
      set: fc.constantFrom(0, 0, 0, 0, -5000, -30, 30, 5000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = fixedClock();
        const guard = new InProcessReplayGuard(clock, 8);
        const taken = new Set<string>();
        const signatures = new Map<string, UsedSignature>();
        for (const { name, credentialId, skew, after, set } of steps) {
          clock.advance(after);
          clock.set(set);
          const text = `${name} ${credentialId}`;
          const used = signatures.get(text) ?? signed(clock, text, { credentialId });
          signatures.set(text, used);
          try {
            if (guard.reserve(used, skew) === 'first') {
              assert.ok(!taken.has(text), `${text} was taken twice`);
              taken.add(text);
            }
          } catch (error) {
            assert.ok(error instanceof StoreUnavailable && guard.size === 8);
          }
          assert.ok(guard.size <= 8);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('take every caller who signs now, however the clock was set before, unless the clock is back by more than the window', () => {
    const step = fc.record({ after: fc.integer({ min: 0, max: 4000 }), set: fc.constantFrom(0, 0, -50, 3000, 90_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = fixedClock();
        const guard = new InProcessReplayGuard(clock);
        for (const [index, { after, set }] of steps.entries()) {
          clock.advance(after);
          clock.set(set);
          assert.equal(guard.reserve(signed(clock, String(index)), WINDOW), 'first');
        }
      }),
    );
  });
});

describe('assertions remembered in process', () => {
  const assertion = (text: string, endsAt: number): UsedSignature =>
    usedSignature(text, { method: 'assertion', signedAtSeconds: endsAt, expiresAtSeconds: endsAt });

  it('are remembered until each has ended, however long others last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3600 }), fc.integer({ min: 1, max: 3600 }), (lasts, other) => {
        const clock = fixedClock();
        const guard = new InProcessReplayGuard(clock);
        const first = assertion('a', NOON + lasts);
        assert.equal(guard.reserve(first, 0), 'first');
        assert.equal(guard.reserve(assertion('b', NOON + other), 0), 'first');
        clock.advance(lasts);
        assert.equal(guard.reserve(first, 0), 'repeated');
      }),
    );
  });

  it('are forgotten after a minute more, and nothing that still counts is out of date then', () => {
    const clock = fixedClock();
    const guard = new InProcessReplayGuard(clock);
    assert.equal(guard.reserve(assertion('short', NOON + 60), 0), 'first');
    clock.advance(120);
    assert.equal(guard.reserve(assertion('next', NOON + 121), 0), 'first');
    assert.equal(guard.size, 1);
    assert.equal(guard.reserve(assertion('short', NOON + 60), 0), 'outdated');
  });

  it('keep no signature from being forgotten', () => {
    const clock = fixedClock();
    const guard = new InProcessReplayGuard(clock);
    guard.reserve(assertion('long', NOON + 3600), 0);
    guard.reserve(signed(clock, 'a'), WINDOW);
    clock.advance(721);
    guard.reserve(signed(clock, 'b'), WINDOW);
    assert.equal(guard.size, 2);
  });
});
