import assert from 'node:assert/strict';

import { equal } from '../../../../src/base/text/equal.ts';

describe('comparison of secrets', () => {
  it('finds equal bytes equal', () => {
    assert.equal(equal(Buffer.from('abc'), new Uint8Array([0x61, 0x62, 0x63])), true);
    assert.equal(equal(Buffer.alloc(0), Buffer.alloc(0)), true);
  });

  it('finds a difference in any byte', () => {
    const right = Buffer.from('0123456789');
    for (let index = 0; index < right.length; index += 1) {
      const wrong = Buffer.from(right);
      wrong[index] = 0;
      assert.equal(equal(right, wrong), false);
    }
  });

  it('finds bytes of other lengths different', () => {
    assert.equal(equal(Buffer.from('abc'), Buffer.from('abcd')), false);
    assert.equal(equal(Buffer.from('abc'), Buffer.alloc(0)), false);
  });
});
