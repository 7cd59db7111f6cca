import assert from 'node:assert/strict';
import { differences, median, medianRatio } from '../../../bench/statistics.ts';

describe('statistics of the bench', () => {
  it('take the middle value, or the mean of the two middle ones', () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 2, 3]), 2.5);
    assert.ok(Number.isNaN(median([])));
  });

  it('compare two series round by round', () => {
    assert.equal(medianRatio([10, 100, 12], [20, 200, 48]), 0.5);
    assert.deepEqual(differences([10, 100, 12], [8, 97, 5]), [2, 3, 7]);
  });
});
