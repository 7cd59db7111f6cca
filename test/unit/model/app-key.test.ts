import assert from 'node:assert/strict';
import fc from 'fast-check';
import { APP_KEY_PATTERN, isAppKey, KEY_ID_PATTERN, MAX_APP_KEY_CHARACTERS } from '../../../src/model/app-key.ts';

describe('an App Key', () => {
  it('is what the pattern says', () => {
    const alike = fc.string({ unit: fc.constantFrom('a', 'z', 'A', 'Z', '0', '9', '.', '_', '-'), maxLength: 40 });
    const other = fc.string({ unit: 'binary', maxLength: 3 });
    fc.assert(
      fc.property(alike, other, alike, (before, between, after) => {
        const text = before + between + after;
        assert.equal(isAppKey(text), KEY_ID_PATTERN.test(text));
      }),
    );
    for (let code = 0; code < 0x200; code += 1) {
      const text = `a${String.fromCharCode(code)}`;
      assert.equal(isAppKey(text), KEY_ID_PATTERN.test(text), `U+${code.toString(16)}`);
    }
  });

  it('is printable ASCII beside a public key, and of fewer characters beside an App Secret', () => {
    const ascii = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    const printable = ascii.filter((each) => /^[ -~]$/.test(each));
    assert.deepEqual(
      ascii.filter(isAppKey),
      printable.filter((each) => each !== '"' && each !== '\\'),
    );
    assert.deepEqual(
      ascii.filter((each) => APP_KEY_PATTERN.test(each) && !isAppKey(each)),
      [],
    );
  });

  it('has a length between its bounds', () => {
    assert.equal(isAppKey(''), false);
    assert.equal(isAppKey('a'.repeat(MAX_APP_KEY_CHARACTERS)), true);
    assert.equal(isAppKey('a'.repeat(MAX_APP_KEY_CHARACTERS + 1)), false);
  });
});
