import assert from 'node:assert/strict';
import { Throttle, throttleLimits } from '../../../src/oauth2/throttle.ts';
import { fixedClock } from '../../support/pipeline/fixed-clock.ts';

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

  it('lock out nobody elsewhere, and no other client', () => {
    const throttle = new Throttle(fixedClock());
    times(failuresPerClient, () => {
      throttle.countFailure('a', 'acme');
    });
    assert.equal(throttle.findWait('b', 'acme'), null);
    assert.equal(throttle.findWait('a', 'borealis'), null);
  });
});

describe('the memory of the throttle', () => {
  it('is bounded: sources without room share one count', () => {
    const throttle = new Throttle(fixedClock(), { maxSources: 2 });
    for (const source of ['a', 'b', 'c', 'd']) assert.equal(throttle.takeRequest(source), null);
    times(requests - 2, () => {
      assert.equal(throttle.takeRequest('c'), null);
    });
    assert.equal(throttle.takeRequest('d'), 60);
    assert.equal(throttle.takeRequest('a'), null);
  });

  it('is bounded: a client without room is judged by all failures of its source, and others by their own', () => {
    const throttle = new Throttle(fixedClock(), { maxFailingClients: 3 });
    for (const client of ['1', '2', '3', '4']) throttle.countFailure('a', client);
    assert.equal(throttle.findWait('a', 'acme'), null);
    times(failuresPerClient - 4, () => {
      throttle.countFailure('a', '5');
    });
    assert.equal(throttle.findWait('a', 'acme'), 60);
    assert.equal(throttle.findWait('a', '1'), null);
    assert.equal(throttle.findWait('b', 'acme'), null);
  });

  it('is free again with the next minute', () => {
    const clock = fixedClock();
    const throttle = new Throttle(clock, { maxSources: 1, maxFailingClients: 1 });
    throttle.takeRequest('a');
    throttle.countFailure('a', '1');
    clock.advance(60);
    throttle.takeRequest('b');
    throttle.countFailure('b', '2');
    times(failuresPerClient - 1, () => {
      throttle.countFailure('b', '2');
    });
    assert.equal(throttle.findWait('b', '2'), 60);
  });
});
