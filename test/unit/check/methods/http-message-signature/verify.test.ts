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

  for (const kind of ['ed25519', 'p-256', 'p-384'] as const) {
    it(`is verified as often for an unknown App Key as for one with keys on ${kind}`, () => {
      const [current, former] = [newKeyPair(kind).publicKey, newKeyPair(kind).publicKey];
      const bytes = current.bits / 4;
      const unknown = verifiedBy(bytes, []);
      assert.equal(unknown.length, kind === 'p-384' ? 4 : 8);
      assert.deepEqual(verifiedBy(bytes, [current]), unknown);
      assert.deepEqual(verifiedBy(bytes, [current, former]), unknown);
      assert.deepEqual(verifiedBy(bytes, [current, newKeyPair('rsa').publicKey]), unknown);
    });
  }

  it('is verified as often for an unknown App Key as for one with an RSA key of any size', () => {
    for (const bits of [2048, 2560]) {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
      const key = readJwk(publicKey.export({ format: 'jwk' }));
      assert.ok(!('fault' in key));
      assert.equal(verifiedBy(bits / 8, []).length, 8);
      assert.deepEqual(verifiedBy(bits / 8, [key]), verifiedBy(bits / 8, []));
    }
    assert.deepEqual([verifiedBy(255, []), verifiedBy(1025, [])], [[], []]);
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
