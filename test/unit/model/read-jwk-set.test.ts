import assert from 'node:assert/strict';
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import fc from 'fast-check';
import { MAX_ISSUER_KEYS } from '../../../src/model/bounds.ts';
import { readJwkSet } from '../../../src/model/read-jwk-set.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const edwards = generateKeyPairSync('ed25519');
const p256 = ec.publicKey.export({ format: 'jwk' });
const ed25519 = edwards.publicKey.export({ format: 'jwk' });

describe('a set of keys of an issuer', () => {
  it('is read with the names and algorithms of its keys', () => {
    const set = read([{ ...p256, kid: 'a', alg: 'ES256', use: 'sig', x5t: 'abc' }, ed25519]);
    assert.deepEqual(set.faults, []);
    assert.deepEqual(
      set.keys.map(({ kid, alg, publicKey }) => [kid, alg, publicKey.kind]),
      [
        ['a', 'ES256', 'p-256'],
        [null, null, 'ed25519'],
      ],
    );
  });

  it('passes over keys that are not for signatures or of types that are not known', () => {
    const others: readonly JsonWebKey[] = [
      { ...p256, use: 'enc' },
      { ...p256, key_ops: ['deriveKey'] },
      { ...p256, alg: 'ECDH-ES' },
      { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AAAA' },
      { kty: 'OKP', crv: 'X25519', x: 'AAAA' },
      { kty: 'EC', crv: 'P-521', x: 'AAAA', y: 'AAAA' },
    ];
    assert.deepEqual(read(others), { keys: [], faults: [] });
  });

  it('refuses a set with a private or shared key as a whole', () => {
    const privateKey = ec.privateKey.export({ format: 'jwk' });
    assert.match(faultOf({ keys: [ed25519, privateKey] }), /^is a private key: it must never leave the partner/);
    assert.match(faultOf({ keys: [ed25519, { kty: 'oct', k: 'c2VjcmV0' }] }), /^has a shared secret \(kty "oct"\)/);
  });

  it('says which keys are wrong, and takes the others', () => {
    const { keys, faults } = read([
      { ...p256, kid: 'a' },
      { ...p256, kid: 'a' },
      { ...ed25519, kid: 'a' },
      { ...p256, alg: 'RS256' },
      { ...p256, x: 'AAAA' },
      { ...p256, kid: 5 },
      'a key' as unknown as JsonWebKey,
    ]);
    assert.equal(keys.length, 2);
    assert.deepEqual(faults, [
      { index: 1, fault: 'has the "kid" of a key of the same kind before it, so tokens cannot tell them' },
      { index: 3, fault: 'has an "alg" of another kind of key' },
      { index: 4, fault: 'has no "x" and "y" of 32 bytes in base64url each' },
      { index: 5, fault: 'has a "kid" that is no text of 1 to 256 characters' },
      { index: 6, fault: 'is no mapping' },
    ]);
  });

  it('refuses what is no set', () => {
    assert.match(faultOf('text'), /^is no JWK set/);
    assert.match(faultOf({ ...p256 }), /^has no list "keys"/);
    const many = Array.from({ length: MAX_ISSUER_KEYS + 1 }, () => p256);
    assert.equal(faultOf({ keys: many }), `has more than ${String(MAX_ISSUER_KEYS)} keys`);
  });

  it('never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ keys: fc.array(fc.anything()) })), (raw) => {
        readJwkSet(raw);
      }),
    );
  });

  it('never takes a key that was changed anywhere for another kind', () => {
    const member = fc.constantFrom('kty', 'crv', 'x', 'y', 'use', 'alg', 'kid', 'd', 'k', 'n');
    fc.assert(
      fc.property(member, fc.oneof(fc.string(), fc.integer(), fc.constant(null)), (name, value) => {
        const set = readJwkSet({ keys: [{ ...p256, [name]: value }] });
        if ('keys' in set) for (const { publicKey } of set.keys) assert.equal(publicKey.kind, 'p-256');
      }),
    );
  });
});

function read(keys: readonly JsonWebKey[]) {
  const set = readJwkSet({ keys });
  assert.ok('keys' in set);
  return set;
}

function faultOf(raw: unknown): string {
  const set = readJwkSet(raw);
  assert.ok('fault' in set);
  return set.fault;
}
