import assert from 'node:assert/strict';
import fc from 'fast-check';
import { certificateAppKey, claimsAppKey, sortClaims } from '../../../src/model/derived-app-key.ts';

const identifiers = ['certificate', 'public-key', 'uri', 'dns'] as const;

describe('what stands in for an App Key that nobody sends', () => {
  it('is the same for the same claims, in whatever order they are written', () => {
    const [first, second] = [
      { azp: 'acme', tenant: 'a' },
      { tenant: 'a', azp: 'acme' },
    ] as const;
    assert.deepEqual(Object.keys(sortClaims(second)), ['azp', 'tenant']);
    assert.equal(claimsAppKey('idp', first), claimsAppKey('idp', second));
  });

  it('stays what it is from version to version, as databases keep its digest', () => {
    assert.equal(claimsAppKey('idp', { azp: 'acme' }), 'jwt.zAlItI4FxqKB2_QMI5JkGfRAJHEQnPSHnNFAtjveadI');
    assert.equal(
      certificateAppKey('uri', 'spiffe://acme.example/batch'),
      'crt.k689AXmUrvPHSCoSwQvuXLfOtoMRYgTgr-J5EwnV4GY',
    );
  });

  it('differs by issuer, name and value of each claim, wherever one ends and the next begins', () => {
    const others = [
      claimsAppKey('idp2', { a: 'b', c: 'd' }),
      claimsAppKey('idp', { a: 'b' }),
      claimsAppKey('idp', { a: 'b', c: 'e' }),
      claimsAppKey('idp', { a: 'b","c', d: '' }),
      claimsAppKey('idp', { 'a","b': 'c', d: '' }),
    ];
    assert.equal(new Set([claimsAppKey('idp', { a: 'b', c: 'd' }), ...others]).size, others.length + 1);
  });

  it('differs by what of a certificate counts, for one value', () => {
    const value = 'ab'.repeat(32);
    assert.equal(new Set(identifiers.map((by) => certificateAppKey(by, value))).size, identifiers.length);
  });

  it('is short text of its own form, however long and odd the parts are', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.string()), (text, claims) => {
        assert.match(claimsAppKey(text, claims), /^jwt\.[\w-]{43}$/);
        assert.match(certificateAppKey('dns', text), /^crt\.[\w-]{43}$/);
      }),
    );
  });
});
