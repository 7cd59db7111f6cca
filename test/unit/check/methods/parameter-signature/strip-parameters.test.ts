import assert from 'node:assert/strict';

import fc from 'fast-check';

import { stripReservedParameters } from '../../../../../src/check/methods/parameter-signature/strip-parameters.ts';
import { naiveStrip } from '../../../../support/signing/naive-signature.ts';

const strip = (text: string): string => stripReservedParameters(Buffer.from(text, 'latin1')).toString('latin1');

describe('stripping of credentials from parameters', () => {
  for (const [text, kept] of [
    ['', ''],
    ['a=1&b', 'a=1&b'],
    ['appKey=k', ''],
    ['appKey', ''],
    ['appKey=k&a=1', 'a=1'],
    ['a=1&appKey=k', 'a=1'],
    ['a=1&appKey=k&b=2', 'a=1&b=2'],
    ['a=1&sign=x&appKey=k&apiTimestamp=1', 'a=1'],
    ['sign=x&a=1&appKey=k', 'a=1'],
    ['&appKey=k&', '&'],
    ['appKey=k&', ''],
    ['&appKey=k', ''],
    ['&&sign=x&&', '&&&'],
    ['a&&appKey=k&&b=%2F+&c=', 'a&&&b=%2F+&c='],
    ['%61%70%70%4B%65%79=k&a=1', 'a=1'],
    ['appkey=k&Sign=x&signs=1&xsign=2&sign%00=3&=sign', 'appkey=k&Sign=x&signs=1&xsign=2&sign%00=3&=sign'],
    ['sign%=1&sig%6=2&sign%zz', 'sign%=1&sig%6=2&sign%zz'],
    ['a=sign&b=appKey%3Dx', 'a=sign&b=appKey%3Dx'],
    [`${'%61'.repeat(50)}=1`, `${'%61'.repeat(50)}=1`],
    ['sign==x=&a', 'a'],
  ] as const) {
    it(`of ${text} keeps ${kept}`, () => {
      assert.equal(strip(text), kept);
    });
  }

  it('gives the very same bytes when there is nothing to strip', () => {
    const bytes = Buffer.from('a=1&&b');
    assert.equal(stripReservedParameters(bytes), bytes);
  });

  it('is splitting at "&", dropping and joining, and nothing else', () => {
    const piece = fc.constantFrom(
      '&',
      '&',
      '=',
      'a',
      'sign',
      'appKey',
      'apiTimestamp',
      's%69gn',
      '%',
      '+',
      'sign=x',
      'appKey=k',
      '%FF',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        assert.equal(strip(pieces.join('')), naiveStrip(pieces.join('')));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes ten megabytes in time that grows no faster than that', () => {
    for (const unit of ['&', '=', 'a', '%', '&&&&a=b']) stripReservedParameters(Buffer.alloc(10_485_760, unit));
  });
});
