import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { checkDigest, digestOf } from '../../../../../src/check/methods/hmac/digest.ts';
import { runAtOnce } from '../../../../../src/base/text/work.ts';

describe('Digest header', () => {
  const body = Buffer.from('{"name": "bob"}');
  const right = 'SHA-256=lWuihDRnfX2CUVffGA74EjBnzVgnfHPywPXkYaKDC1I=';

  it('is the prefix and the base64 of the SHA-256 of the body', () => {
    assert.equal(digestOf(body), right);
    assert.equal(digestOf(Buffer.alloc(0)), 'SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');
    assert.equal(runAtOnce(checkDigest(right, body)), null);
  });

  const sha512 = createHash('sha512').update(body).digest('base64');
  for (const [what, value] of [
    ['of another body', digestOf(Buffer.from('other'))],
    ['in hex', `SHA-256=${createHash('sha256').update(body).digest('hex')}`],
    ['by SHA-512', `SHA-512=${sha512}`],
    ['with another prefix', right.replace('SHA-256', 'sha-256')],
    ['without prefix', right.slice(8)],
    ['with another spelling of the same bytes', right.replace('I=', 'J=')],
    ['without padding', right.slice(0, -1)],
    ['with something after it', `${right},SHA-512=${sha512}`],
    ['with a blank', `${right} `],
    ['that is empty', ''],
    ['that is only the prefix', 'SHA-256='],
  ] as const) {
    it(`is a mismatch when it is one ${what}`, () => {
      assert.deepEqual(runAtOnce(checkDigest(value, body)), {
        refused: 'DIGEST_MISMATCH',
        detail: 'the Digest header is not SHA-256= and the hash of the 15 bytes received',
      });
    });
  }
});
