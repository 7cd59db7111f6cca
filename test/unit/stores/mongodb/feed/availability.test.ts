import assert from 'node:assert/strict';
import { MongodbUnavailable } from '../../../../../src/stores/mongodb/faults.ts';
import { Availability } from '../../../../../src/stores/mongodb/feed/availability.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

describe('what is reported of a store that goes down', () => {
  const unreachable = new MongodbUnavailable('unreachable', 'no answer');
  const denied = new MongodbUnavailable('denied', 'wrong password');
  let told: string[];
  let clock: ReturnType<typeof fixedClock>;
  let availability: Availability;

  beforeEach(() => {
    told = [];
    clock = fixedClock();
    availability = new Availability(clock, {
      down: (reason, detail) => told.push(`${reason}: ${detail}`),
      up: (seconds) => told.push(`up after ${String(seconds)} s`),
      defect: (error) => told.push(`defect: ${String(error)}`),
    });
  });

  it('is one line when it goes down and one when all of it is up', () => {
    availability.lose('changes', unreachable);
    availability.lose('look-ups', unreachable);
    availability.lose('changes', unreachable);
    assert.equal(availability.isUp, false);
    clock.advance(7);
    availability.regain('changes');
    assert.equal(availability.isUp, false);
    availability.regain('look-ups');
    availability.regain('look-ups');
    assert.equal(availability.isUp, true);
    assert.deepEqual(told, ['unreachable: no answer', 'up after 7 s']);
  });

  it('is said in words as long as it is down, first what waits for an operator', () => {
    const forbidden = new MongodbUnavailable('forbidden', 'the user lacks a right');
    const said: (string | null)[] = [availability.describe()];
    const note = (): void => {
      said.push(availability.describe());
    };
    availability.lose('changes', unreachable);
    note();
    availability.lose('revoked-tokens', forbidden);
    note();
    availability.lose('revoked-tokens', unreachable);
    note();
    for (const part of ['changes', 'revoked-tokens'] as const) availability.regain(part);
    note();
    const down = 'MongoDB does not answer';
    assert.deepEqual(said, [null, down, 'the user lacks a right', down, null]);
  });

  it('is another line when the reason becomes another', () => {
    availability.lose('changes', unreachable);
    availability.lose('changes', denied);
    availability.lose('changes', denied);
    availability.lose('look-ups', unreachable);
    assert.deepEqual(told, ['unreachable: no answer', 'denied: wrong password']);
  });

  it('is reported again for the next outage', () => {
    for (let outage = 0; outage < 2; outage += 1) {
      availability.lose('look-ups', unreachable);
      availability.regain('look-ups');
    }
    assert.deepEqual(told, ['unreachable: no answer', 'up after 0 s', 'unreachable: no answer', 'up after 0 s']);
  });

  it('is one line for another passing reason of the same outage', () => {
    availability.lose('changes', unreachable);
    availability.lose('changes', new MongodbUnavailable('slow', 'no answer in time'));
    assert.deepEqual(told, ['unreachable: no answer']);
  });

  it('is a defect, too, for what is no fault of MongoDB', () => {
    assert.equal(availability.lose('changes', new TypeError('oops')).message, 'oops');
    assert.deepEqual(told, ['defect: TypeError: oops', 'defect: oops']);
  });

  it('is nothing for what was never down', () => {
    availability.regain('changes');
    assert.deepEqual(told, []);
  });
});
