import assert from 'node:assert/strict';
import { constants, sign } from 'node:crypto';
import {
  type AssertionAlgorithm,
  assertionAlgorithms,
  findSigningKey,
} from '../../../../../src/gateway/oauth2/assertion/algorithms.ts';
import { dummyKey } from '../../../../../src/model/public-key/dummy-key.ts';
import { publicKeyKinds } from '../../../../../src/model/public-key/public-key.ts';
import { keyKindOf } from '../../../../../src/model/jwt-algorithms.ts';
import { jwsSignature, partnerKey } from '../../../../support/oauth2/client-assertion.ts';

const TEXT = 'header.payload';
const signedText = (algorithm: AssertionAlgorithm, signature: Buffer, text = TEXT) => ({
  algorithm,
  signed: Buffer.from(text),
  signature,
});

for (const algorithm of assertionAlgorithms) {
  describe(`an assertion signed by ${algorithm}`, () => {
    const kind = keyKindOf(algorithm);
    const { privateKey, publicKey } = partnerKey(kind);
    const other = partnerKey(kind, 'another').publicKey;
    const signature = jwsSignature(algorithm, privateKey, TEXT);

    it('is known by the key that signed it, current or retiring', async () => {
      const text = signedText(algorithm, signature);
      assert.equal(await findSigningKey(text, [publicKey]), 'current');
      assert.equal(await findSigningKey(text, [publicKey, other]), 'current');
      assert.equal(await findSigningKey(text, [other, publicKey]), 'retiring');
      for (const keys of [[], [other], [other, other]]) assert.equal(await findSigningKey(text, keys), null);
    });

    it('is known by no key of another kind, current or retiring', async () => {
      for (const otherKind of publicKeyKinds.filter((each) => each !== kind)) {
        const key = partnerKey(otherKind).publicKey;
        assert.equal(await findSigningKey(signedText(algorithm, signature), [key]), null);
        assert.equal(await findSigningKey(signedText(algorithm, signature), [key, publicKey]), 'retiring');
      }
    });

    it('is refused with any other bytes', async () => {
      const changed = Buffer.from(signature);
      changed[5] = (changed[5] ?? 0) ^ 1;
      for (const wrong of [
        changed,
        Buffer.alloc(0),
        Buffer.alloc(signature.length),
        signature.subarray(1),
        Buffer.concat([signature, Buffer.alloc(1)]),
        Buffer.concat([Buffer.alloc(1), signature]),
      ]) {
        assert.equal(await findSigningKey(signedText(algorithm, wrong), [publicKey, other]), null);
      }
      assert.equal(await findSigningKey(signedText(algorithm, signature, `${TEXT}x`), [publicKey]), null);
    });

    it('is refused under the name of another algorithm', async () => {
      for (const name of assertionAlgorithms) {
        const isSame = name === algorithm || (kind === 'ed25519' && keyKindOf(name) === 'ed25519');
        assert.equal(await findSigningKey(signedText(name, signature), [publicKey]), isSame ? 'current' : null);
      }
    });
  });
}

describe('the signature of an assertion', () => {
  it('is r and s, never DER (RFC 7518 §3.4)', async () => {
    const { privateKey, publicKey } = partnerKey('p-256');
    const der = sign('sha256', Buffer.from(TEXT), privateKey);
    assert.equal(await findSigningKey(signedText('ES256', der), [publicKey]), null);
  });

  it('has a salt as long as its hash (RFC 7518 §3.5)', async () => {
    const { privateKey: key, publicKey } = partnerKey('rsa');
    for (const [saltLength, expected] of [
      [32, 'current'],
      [0, null],
      [20, null],
      [64, null],
    ] as const) {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      const signature = sign('sha256', Buffer.from(TEXT), { key, padding, saltLength });
      assert.equal(await findSigningKey(signedText('PS256', signature), [publicKey]), expected, String(saltLength));
    }
  });

  it('is as long as the modulus, also when it begins with a zero byte (RFC 8017 §8.1.2)', async () => {
    const { privateKey, publicKey } = partnerKey('rsa');
    let signature = jwsSignature('PS256', privateKey, TEXT);
    // One in 256 does.
    while (signature[0] !== 0) signature = jwsSignature('PS256', privateKey, TEXT);
    assert.equal(await findSigningKey(signedText('PS256', signature), [publicKey]), 'current');
    assert.equal(await findSigningKey(signedText('PS256', signature.subarray(1)), [publicKey]), null);
  });

  it('is never right by a dummy key', async () => {
    const { privateKey, publicKey } = partnerKey();
    const text = signedText('Ed25519', jwsSignature('Ed25519', privateKey, TEXT));
    const dummyOf = () => publicKey;
    assert.equal(await findSigningKey(text, [], dummyOf), null);
    assert.equal(await findSigningKey(text, [partnerKey('rsa').publicKey], dummyOf), null);
  });

  it('takes as long with a dummy key, which is as large as the key of a client that has such signatures', async () => {
    const { publicKey } = partnerKey('rsa');
    for (const bytes of [256, 512]) {
      const asked: unknown[] = [];
      const dummyOf = (...wanted: Parameters<typeof dummyKey>) => {
        const key = dummyKey(...wanted);
        asked.push([...wanted, key?.bits]);
        return key;
      };
      assert.equal(await findSigningKey(signedText('PS256', Buffer.alloc(bytes, 1)), [publicKey], dummyOf), null);
      assert.deepEqual(asked, [['rsa', bytes, bytes * 8]]);
    }
    assert.equal(await findSigningKey(signedText('PS256', Buffer.alloc(64, 1)), [publicKey]), null);
  });
});
