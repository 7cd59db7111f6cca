import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { verifyHttpSignature } from '../../../../../src/check/methods/http-message-signature/verify.ts';
import { readJwk } from '../../../../../src/model/public-key/read-jwk.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';

describe('a signature by RSA', () => {
  it('is as long as the modulus, also when it begins with a zero byte (RFC 8017 §8.1.2)', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = readJwk(publicKey.export({ format: 'jwk' }));
    assert.ok(!('fault' in key));
    const base = '"@method": GET';
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    let bytes = sign('sha512', Buffer.from(base), { key: privateKey, padding });
    // One in 256 does.
    while (bytes[0] !== 0) bytes = sign('sha512', Buffer.from(base), { key: privateKey, padding });
    const verified = (signature: Buffer): string => {
      const parts = { bases: [base], bytes: signature, named: null, allowed: ['rsa-pss-sha512'] } as const;
      const outcome = verifyHttpSignature(parts, [key]);
      return isRefusal(outcome) ? `${outcome.refused}: ${outcome.detail}` : 'verified';
    };
    assert.equal(verified(bytes), 'verified');
    for (const other of [bytes.subarray(1), Buffer.concat([Buffer.alloc(1), bytes])]) {
      assert.equal(verified(other), 'AUTHENTICATION_FAILED: the signature does not fit the request');
    }
  });
});
