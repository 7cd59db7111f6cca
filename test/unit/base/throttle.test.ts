import assert from 'node:assert/strict';
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../../src/base/clock.ts';
import { Throttle, throttleLimits } from '../../../src/base/throttle.ts';
import { fixedClock } from '../../support/time/fixed-clock.ts';

const { requests, failuresPerClient } = throttleLimits;

function times(count: number, act: () => void): void {
  for (let done = 0; done < count; done += 1) act();
}

describe('requests of one source', () => {
  it('are 600 in a minute of UTC', () => {
    const clock = fixedClock();
    const throttle = new Throttle(clock);
    clock.advance(13);
    times(requests, () => {
      assert.equal(throttle.takeRequest('a'), null);
    });
    assert.equal(throttle.takeRequest('a'), 47);
    clock.advance(46.5);
    assert.equal(throttle.takeRequest('a'), 1);
    assert.equal(throttle.takeRequest('b'), null);
    clock.advance(0.5);
    assert.equal(throttle.takeRequest('a'), null);
  });
});

describe('failures of a client', () => {
  it('are 20 in a minute from one source, which then waits', () => {
    const clock = fixedClock();
    const throttle = new Throttle(clock);
    times(failuresPerClient, () => {
      assert.equal(throttle.findWait('a', 'acme'), null);
      throttle.countFailure('a', 'acme');
    });
    assert.equal(throttle.findWait('a', 'acme'), 60);
    clock.advance(59);
    assert.equal(throttle.findWait('a', 'acme'), 1);
    clock.advance(1);
    assert.equal(throttle.findWait('a', 'acme'), null);
  });

  it('lock out no client elsewhere, and no other client', () => {
    const throttle = new Throttle(fixedClock());
    times(failuresPerClient, () => {
      throttle.countFailure('a', 'acme');
    });
    assert.equal(throttle.findWait('b', 'acme'), null);
    assert.equal(throttle.findWait('a', 'borealis'), null);
  });
});

describe('a clock that is set', () => {
  it('gives no new tries: minutes are counted by time that passed', () => {
    const clock = fixedClock();
    let isSet = false;
    const stepping: Clock = {
      ...clock,
      nowSeconds: () => clock.nowSeconds() + (isSet ? 3600 : 0),
    };
    const throttle = new Throttle(stepping);
    times(failuresPerClient, () => {
      throttle.countFailure('a', 'acme');
    });
    isSet = true;
    assert.equal(throttle.findWait('a', 'acme'), 60);
    isSet = false;
    assert.equal(throttle.findWait('a', 'acme'), 60);
  });
});

describe('the memory of the throttle', () => {
  const strangers = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `stranger ${String(at)}`);

  it('is never shared: however many sources there are, a partner has all of its own requests and tries', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 200 }), (maxRecords, sources) => {
        const throttle = new Throttle(fixedClock(), { maxRecords });
        for (const stranger of strangers(sources)) {
          times(failuresPerClient, () => {
            assert.equal(throttle.takeRequest(stranger), null);
            throttle.countFailure(stranger, 'acme');
          });
        }
        times(requests, () => {
          assert.equal(throttle.takeRequest('partner'), null);
        });
        times(failuresPerClient, () => {
          assert.equal(throttle.findWait('partner', 'acme'), null);
          throttle.countFailure('partner', 'acme');
        });
        assert.equal(throttle.takeRequest('partner'), 60);
        assert.equal(throttle.findWait('partner', 'acme'), 60);
      }),
      { numRuns: 25 },
    );
  });

  it('keeps what is used up, however many sources fail once afterwards', () => {
    const throttle = new Throttle(fixedClock(), { maxRecords: 10 });
    times(failuresPerClient, () => {
      throttle.countFailure('guesser', 'acme');
    });
    times(requests, () => throttle.takeRequest('guesser'));
    for (const stranger of strangers(1000)) {
      throttle.takeRequest(stranger);
      throttle.countFailure(stranger, 'acme');
    }
    assert.equal(throttle.findWait('guesser', 'acme'), 60);
    assert.equal(throttle.takeRequest('guesser'), 60);
  });

  it('forgets the count that is not used up and was not added to for the longest time', () => {
    const throttle = new Throttle(fixedClock(), { maxRecords: 3 });
    const fail = (source: string, count: number): void => {
      times(count, () => {
        throttle.countFailure(source, 'acme');
      });
    };
    fail('a', 19);
    fail('b', 18);
    fail('c', 19);
    fail('b', 1);
    fail('d', 1);
    for (const source of ['a', 'b', 'c']) fail(source, 1);
    assert.deepEqual(
      ['a', 'b', 'c'].map((source) => throttle.findWait(source, 'acme')),
      // Whoever is counted again in the place of another one pushes the next one out: only "b" was more recent than that.
      [null, 60, null],
    );
  });

  it('holds no body that a client id was cut out of', () => {
    const throttle = new Throttle(fixedClock());
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heapBytes();
    for (const stranger of strangers(5000)) {
      const body = `client_id=${stranger}${'x'.repeat(100)}&client_secret=${'y'.repeat(10_000)}`;
      throttle.countFailure('a', body.slice('client_id='.length, body.indexOf('&')));
    }
    const heldBytes = heapBytes() - before;
    assert.ok(heldBytes < 5000 * 1000, `${String(heldBytes)} bytes for 5000 clients`);
    assert.equal(throttle.findWait('a', 'acme'), null);
  });

  it('is free again with the next minute', () => {
    const clock = fixedClock();
    const throttle = new Throttle(clock, { maxRecords: 1 });
    times(failuresPerClient, () => {
      throttle.countFailure('a', '1');
    });
    assert.equal(throttle.findWait('a', '1'), 60);
    clock.advance(60);
    assert.equal(throttle.findWait('a', '1'), null);
    times(failuresPerClient, () => {
      throttle.countFailure('b', '2');
    });
    assert.equal(throttle.findWait('b', '2'), 60);
  });
});
