import assert from 'node:assert/strict';

import { checkTime } from '../../../../src/check/signing/signed-time.ts';

describe('time window', () => {
  it('passes up to its very edge, in both directions', () => {
    for (const signed of [700, 701, 1000, 1299, 1300]) assert.equal(checkTime(signed, 1000, 300), null);
  });

  it('refuses one second more', () => {
    assert.deepEqual(checkTime(699, 1000, 300), {
      refused: 'REQUEST_EXPIRED',
      detail: "the signed time is 301 s behind the server's; 300 s are allowed",
    });
    assert.deepEqual(checkTime(1301, 1000, 300), {
      refused: 'REQUEST_EXPIRED',
      detail: "the signed time is 301 s ahead of the server's; 300 s are allowed",
    });
  });

  it('refuses what is no number', () => {
    assert.equal(checkTime(NaN, 1000, 300)?.refused, 'REQUEST_EXPIRED');
  });
});
