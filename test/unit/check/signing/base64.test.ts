import assert from 'node:assert/strict';

import fc from 'fast-check';

import { decodeCanonicalBase64 } from '../../../../src/base/text/encodings.ts';

describe('canonical base64', () => {
  it('decodes what standard base64 writes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        assert.deepEqual(decodeCanonicalBase64(text), Buffer.from(bytes));
      }),
    );
  });

  it('takes one spelling only, whatever is changed', () => {
    const alphabet = fc.constantFrom(...Array.from('AQgwZz09+/-_= \n\t\r.%é'));
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 12 }), (text) => {
        const bytes = decodeCanonicalBase64(text);
        if (bytes !== null) assert.equal(bytes.toString('base64'), text);
      }),
    );
  });

  for (const [what, text] of [
    ['missing padding', 'TQ'],
    ['half the padding', 'TQ='],
    ['too much padding', 'TWFu===='],
    ['padding alone', '===='],
    ['spare bits after one byte', 'TR=='],
    ['spare bits after two bytes', 'TWF='],
    ['URL-safe letters', '-_-_'],
    ['a blank', 'TW Fu'],
    ['a line feed at the end', 'TWFu\n'],
    ['text after the padding', 'TQ==TWFu'],
    ['a letter beyond ASCII', 'TWFé'],
    ['a letter beyond a byte', 'TWFŁ'],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.equal(decodeCanonicalBase64(text), null);
    });
  }
});
