import assert from 'node:assert/strict';
import { dummyKey } from '../../../../src/model/public-key/dummy-key.ts';
import { readJwk } from '../../../../src/model/public-key/read-jwk.ts';

describe('a key that nobody has', () => {
  for (const [kind, bytes, bits] of [
    ['ed25519', 64, 256],
    ['p-256', 64, 256],
    ['p-384', 96, 384],
    ['rsa', 256, 2048],
    ['rsa', 257, 2056],
    ['rsa', 1024, 8192],
  ] as const) {
    it(`of ${kind}, for signatures of ${String(bytes)} bytes, is as good as a stored one`, () => {
      const key = dummyKey(kind, bytes);
      assert.ok(key !== null);
      const read = readJwk(key.jwk);
      assert.ok(!('fault' in read));
      assert.deepEqual([key.kind, key.bits, key.signatureBytes], [kind, bits, bytes]);
      assert.deepEqual([read.kind, read.bits], [kind, bits]);
      assert.equal(key.object.type, 'public');
    });
  }

  it('is none for signatures of a length that no key has', () => {
    const lengths = [
      dummyKey('ed25519', 63),
      dummyKey('p-256', 96),
      dummyKey('p-384', 64),
      dummyKey('rsa', 255),
      dummyKey('rsa', 1025),
    ];
    assert.deepEqual(lengths, [null, null, null, null, null]);
  });
});
