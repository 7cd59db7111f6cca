import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backOffMs } from '../../../../../src/stores/mongodb/deadline.ts';

describe('the wait before another attempt', () => {
  it('is from 50 ms to 3 s, whatever the attempt', () => {
    fc.assert(
      fc.property(fc.nat(), (attempt) => {
        const waitMs = backOffMs(attempt);
        return waitMs >= 50 && waitMs <= 3000;
      }),
    );
  });

  it('becomes longer, and differs between replicas', () => {
    assert.ok(backOffMs(0) <= 100);
    assert.ok(backOffMs(20) >= 1500);
    assert.ok(new Set(Array.from({ length: 50 }, () => backOffMs(20))).size > 1);
  });
});
