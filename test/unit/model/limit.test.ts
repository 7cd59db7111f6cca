import assert from 'node:assert/strict';
import fc from 'fast-check';
import { limitUnits, unitSeconds, windowAt } from '../../../src/model/limit.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

describe('the window of a limit', () => {
  const moments = fc.integer({ min: 0, max: Date.UTC(2100, 0) / 1000 });

  it('begins at the full second, minute, hour or day of UTC', () => {
    const at = NOON + 3 * 3600 + 25 * 60 + 41;
    const starts = limitUnits.map((unit) => new Date(windowAt(unit, at).startSeconds * 1000).toISOString());
    assert.deepEqual(starts, [
      '2026-10-01T15:25:41.000Z',
      '2026-10-01T15:25:00.000Z',
      '2026-10-01T15:00:00.000Z',
      '2026-10-01T00:00:00.000Z',
    ]);
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
