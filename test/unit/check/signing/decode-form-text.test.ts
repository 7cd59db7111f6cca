import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodeFormText } from '../../../../src/base/text/form-decoding.ts';

describe('decoding form text', () => {
  for (const [given, expected] of [
    ['', ''],
    ['plain-text_1.~', 'plain-text_1.~'],
    ['a+b', 'a b'],
    ['a%2Bb', 'a+b'],
    ['%41%4a%4A', 'AJJ'],
    ['%C3%A4', 'ä'],
    ['%F0%9F%98%80', '😀'],
    ['\xc3\xa4', 'ä'],
    ['%EF%BB%BFx', '\ufeffx'],
    ['%00', '\0'],
    ['%', null],
    ['%4', null],
    ['%zz', null],
    ['%4g', null],
    ['%g4', null],
    ['% 1', null],
    ['%+1', null],
    ['%FF', null],
    ['%C0%AE', null],
    ['%ED%A0%80', null],
    ['\xe4', null],
  ] as const) {
    it(`reads ${JSON.stringify(given)} as ${JSON.stringify(expected)}`, () => {
      assert.equal(decodeFormText(given), expected);
    });
  }

  it('reads back whatever was form-encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = new URLSearchParams([['', text]]).toString().slice(1);
        assert.equal(decodeFormText(encoded), text);
      }),
    );
  });

  it('never fails, and never makes a text longer', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('%', '+', 'a', 'b', 'C', '0', '\xe9') }), (text) => {
        const decoded = decodeFormText(text);
        assert.ok(decoded === null || decoded.length <= text.length);
      }),
    );
  });
});
