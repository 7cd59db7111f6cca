import assert from 'node:assert/strict';
import { Availability } from '../../../../../src/store/mongodb/feed/availability.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

describe('what is told of a store that goes away', () => {
  const unreachable = new Error('unreachable');
  const denied = new Error('denied');
  let told: string[];
  let clock: ReturnType<typeof fixedClock>;
  let availability: Availability;

  beforeEach(() => {
    told = [];
    clock = fixedClock();
    availability = new Availability(clock, {
      away: (fault) => told.push(`away: ${fault.message}`),
      back: (seconds) => told.push(`back after ${String(seconds)} s`),
    });
  });

  it('is one line when it goes and one when all of it is back', () => {
    availability.lose('changes', 'passing', unreachable);
    availability.lose('look-ups', 'passing', unreachable);
    availability.lose('changes', 'passing', unreachable);
    assert.equal(availability.isUp, false);
    clock.advance(7);
    availability.regain('changes');
    assert.equal(availability.isUp, false);
    availability.regain('look-ups');
    availability.regain('look-ups');
    assert.equal(availability.isUp, true);
    assert.deepEqual(told, ['away: unreachable', 'back after 7 s']);
  });

  it('is another line when the reason becomes another', () => {
    availability.lose('changes', 'passing', unreachable);
    availability.lose('changes', 'denied', denied);
    availability.lose('changes', 'denied', denied);
    availability.lose('look-ups', 'passing', unreachable);
    assert.deepEqual(told, ['away: unreachable', 'away: denied']);
  });

  it('is told again for the next outage', () => {
    for (let outage = 0; outage < 2; outage += 1) {
      availability.lose('look-ups', 'passing', unreachable);
      availability.regain('look-ups');
    }
    assert.deepEqual(told, ['away: unreachable', 'back after 0 s', 'away: unreachable', 'back after 0 s']);
  });

  it('is nothing for what was never away', () => {
    availability.regain('changes');
    assert.deepEqual(told, []);
  });
});
