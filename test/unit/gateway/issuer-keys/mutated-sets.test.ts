import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseUniqueJson } from '../../../../src/base/text/unique-json.ts';
import { isKeyFor } from '../../../../src/model/issuer.ts';
import { jwtAlgorithms } from '../../../../src/model/jwt-algorithms.ts';
import { readJwkSet } from '../../../../src/model/read-jwk-set.ts';
import { issuerKey } from '../../../support/jwt/issuer-token.ts';
import { jwksOf } from '../../../support/jwt/jwks-server.ts';

/** `MUTATIONS=10000` runs the whole number. */
const RUNS = Number(process.env['MUTATIONS'] ?? '500');

const keys = (['ES256', 'ES384', 'EdDSA', 'RS256'] as const).map((algorithm) => issuerKey(algorithm));
const right = JSON.stringify(jwksOf(keys));
const members = ['kty', 'crv', 'x', 'y', 'n', 'e', 'd', 'k', 'kid', 'use', 'alg', 'key_ops', 'keys', '__proto__'];

const changedText = fc
  .tuple(fc.nat(), fc.nat({ max: 12 }), fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom(...members)))
  .map(([at, count, more]) => {
    const place = at % right.length;
    return right.slice(0, place) + more + right.slice(place + count);
  });
const changedMember = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom(...members), fc.oneof(fc.jsonValue(), fc.base64String()))
  .map(([at, name, value]) => {
    const set = JSON.parse(right) as { keys: Record<string, unknown>[] };
    Object.defineProperty(set.keys[at], name, { value, enumerable: true, configurable: true });
    return JSON.stringify(set);
  });

describe('a set of keys that was changed', () => {
  it('gives only keys that can be used, or is a fault, and never breaks anything', () => {
    const known = new Set(keys.map(({ publicKey }) => publicKey.thumbprint));
    fc.assert(
      fc.property(fc.oneof(changedText, changedMember, fc.json()), (text) => {
        const set = readJwkSet(parseUniqueJson(Buffer.from(text, 'utf8')));
        if ('fault' in set) return;
        for (const key of set.keys) {
          assert.ok(jwtAlgorithms.some((algorithm) => isKeyFor(key, algorithm)));
          // Another key came about, which is as good as any: OpenSSL takes it.
          if (!known.has(key.publicKey.thumbprint)) assert.ok(key.publicKey.object.type === 'public');
        }
      }),
      { numRuns: RUNS },
    );
  }).timeout(600_000);
});
