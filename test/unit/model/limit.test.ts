import assert from 'node:assert/strict';
import fc from 'fast-check';
import { limitUnits, unitSeconds, windowAt } from '../../../src/model/limit.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

describe('the window of a limit', () => {
  const moments = fc.integer({ min: 0, max: Date.UTC(2100, 0) / 1000 });

  it('begins at the full second, minute, hour, day or month of UTC', () => {
    const at = NOON + 10 * 86_400 + 3 * 3600 + 25 * 60 + 41;
    const starts = limitUnits.map((unit) => new Date(windowAt(unit, at).startSeconds * 1000).toISOString());
    assert.deepEqual(starts, [
      '2026-10-11T15:25:41.000Z',
      '2026-10-11T15:25:00.000Z',
      '2026-10-11T15:00:00.000Z',
      '2026-10-11T00:00:00.000Z',
      '2026-10-01T00:00:00.000Z',
    ]);
  });

  it('of a month has the days of that month', () => {
    const daysOf = (year: number, month: number) => {
      const { startSeconds, endSeconds } = windowAt('month', Date.UTC(year, month, 17, 3) / 1000);
      return (endSeconds - startSeconds) / 86_400;
    };
    assert.deepEqual(
      Array.from({ length: 12 }, (_, month) => daysOf(2027, month)),
      [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31],
    );
    assert.equal(daysOf(2028, 1), 29);
  });

  it('holds its moment, is the same for each of its moments, and ends where the next begins', () => {
    fc.assert(
      fc.property(fc.constantFrom(...limitUnits), moments, (unit, now) => {
        const window = windowAt(unit, now);
        const { startSeconds, endSeconds } = window;
        assert.ok(startSeconds <= now && now < endSeconds);
        assert.ok(endSeconds - startSeconds <= unitSeconds[unit]);
        assert.deepEqual(windowAt(unit, startSeconds), window);
        assert.deepEqual(windowAt(unit, endSeconds - 1), window);
        assert.equal(windowAt(unit, endSeconds).startSeconds, endSeconds);
      }),
    );
  });
});
