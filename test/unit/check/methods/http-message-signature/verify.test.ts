import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { type Check, verifyHttpSignature } from '../../../../../src/check/methods/http-message-signature/verify.ts';
import {
  type HttpSignatureAlgorithm,
  httpSignatureAlgorithms,
} from '../../../../../src/model/options/http-signature-algorithms.ts';
import type { PublicKey } from '../../../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../../../src/model/public-key/read-jwk.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import { newKeyPair } from '../../../../support/partner/http-signature.ts';

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

describe('a wrong signature', () => {
  const algorithms = httpSignatureAlgorithms;
  const verifiedBy = (bytes: number, keys: readonly PublicKey[]): readonly string[] => {
    const done: string[] = [];
    const ways = Object.fromEntries(
      algorithms.map((algorithm) => [
        algorithm,
        (_: Buffer, { bits }: PublicKey) => !done.push(`${algorithm} ${String(bits)}`),
      ]),
    ) as unknown as Readonly<Record<HttpSignatureAlgorithm, Check>>;
    const parts = { bases: ['a', 'b'], bytes: Buffer.alloc(bytes, 1), named: null, allowed: algorithms };
    assert.ok(isRefusal(verifyHttpSignature(parts, keys, ways)));
    return done.sort();
  };

  it('is verified once against a key that nobody has, of the commonest kind, for an unknown App Key', () => {
    assert.deepEqual(verifiedBy(64, []), ['ed25519 256', 'ed25519 256']);
    assert.deepEqual(verifiedBy(96, []), ['ecdsa-p384-sha384 384', 'ecdsa-p384-sha384 384']);
    assert.deepEqual(verifiedBy(320, []), ['rsa-pss-sha512 2560', 'rsa-pss-sha512 2560']);
    assert.deepEqual([verifiedBy(255, []), verifiedBy(1025, [])], [[], []]);
  });

  it('is not verified in vain where a key of the credential could have made it', () => {
    const [current, former] = [newKeyPair('p-256').publicKey, newKeyPair('p-256').publicKey];
    assert.deepEqual(verifiedBy(64, [current]), ['ecdsa-p256-sha256 256', 'ecdsa-p256-sha256 256']);
    assert.equal(verifiedBy(64, [current, former]).length, 4);
    assert.deepEqual(verifiedBy(64, [newKeyPair('rsa').publicKey]), verifiedBy(64, []));
  });

  it('is no exception with a key that nobody has', () => {
    for (const bytes of [64, 96, 256, 257, 320, 1024]) {
      for (const fill of [0, 1, 0xff]) {
        const parts = { bases: ['a'], bytes: Buffer.alloc(bytes, fill), named: null, allowed: algorithms };
        assert.ok(isRefusal(verifyHttpSignature(parts, [])));
      }
    }
  });
});
