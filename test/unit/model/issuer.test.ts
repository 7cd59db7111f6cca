import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { findUnmetClaim, isKeyFor } from '../../../src/model/issuer.ts';
import { isJwtAlgorithm, jwtAlgorithms } from '../../../src/model/jwt-algorithms.ts';
import { readJwkSet } from '../../../src/model/read-jwk-set.ts';

describe('what an issuer says of tokens', () => {
  it('never is "none" or an algorithm with a shared secret', () => {
    assert.ok(jwtAlgorithms.every((each) => !/^(none|HS)/i.test(each)));
    for (const text of ['none', 'HS256', 'constructor', 5, null]) assert.equal(isJwtAlgorithm(text), false);
  });

  it('a key is for the algorithms of its kind, or for the one that it names', () => {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const [free, bound] = ['ES256', undefined].reverse().map((alg) => {
      const set = readJwkSet({ keys: [alg === undefined ? jwk : { ...jwk, alg }] });
      assert.ok('keys' in set);
      return set.keys[0];
    });
    assert.ok(free !== undefined && bound !== undefined);
    assert.deepEqual(
      jwtAlgorithms.filter((each) => isKeyFor(free, each)),
      ['ES256'],
    );
    assert.equal(isKeyFor(bound, 'ES256'), true);
    assert.equal(isKeyFor({ ...bound, alg: 'RS256' }, 'ES256'), false);
  });

  it('a required claim is met by the same text, or by a list that holds it', () => {
    const required = { tenant: 'acme', roles: ['reader', 'writer'] };
    assert.equal(findUnmetClaim(required, { tenant: 'acme', roles: ['writer', 'admin'] }), null);
    assert.equal(findUnmetClaim(required, { tenant: 'acme', roles: 'reader' }), null);
    assert.equal(findUnmetClaim(required, { tenant: 'Acme', roles: 'reader' }), 'tenant');
    assert.equal(findUnmetClaim(required, { tenant: 'acme', roles: ['admin'] }), 'roles');
    assert.equal(findUnmetClaim(required, { tenant: 'acme' }), 'roles');
    assert.equal(findUnmetClaim({ toString: 'x' }, {}), 'toString');
  });
});
