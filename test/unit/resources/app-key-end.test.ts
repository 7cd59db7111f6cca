import assert from 'node:assert/strict';
import { UnopenedSecret } from '../../../src/model/keyring/sealed.ts';
import { endOfAppKey, endToFind } from '../../../src/resources/app-key-end.ts';
import { appKeyMaterial, type Material, sharedSecret } from '../../../src/model/material.ts';
import { Secret } from '../../../src/model/secret.ts';

describe('the end of an App Key by which it is found', () => {
  const end = (text: string, material: Material): string | null =>
    endToFind({ material, appKey: Secret.fromText(text) });

  it('is that of a long secret, and of one that is public', () => {
    assert.equal(end('0123456789abcdef0123456789abcdef', appKeyMaterial), 'cdef');
    assert.equal(end('0123456789abcdef0123456', appKeyMaterial), null);
    const shared = sharedSecret(Secret.fromText('an App Secret'));
    assert.equal(end('acme-app', shared), '-app');
    assert.equal(end('abc', shared), null);
    assert.equal(end('', { kind: 'token-claims', issuerId: 'idp', claims: {} }), null);
  });
});

describe('the end of an App Key that is the secret', () => {
  const end = (text: string, material: Material = appKeyMaterial): string | null =>
    endOfAppKey({ material, appKey: Secret.fromText(text) });

  it('is four characters, of one with 24 or more', () => {
    assert.equal(end('0123456789abcdef0123456789abcdef'), 'cdef');
    assert.equal(end('0123456789abcdef01234567'), '4567');
    assert.equal(end('0123456789abcdef0123456'), null);
    assert.equal(end('abcdef'), null);
  });

  it('is not of one that is public, not kept, or not opened', () => {
    const long = '0123456789abcdef0123456789abcdef';
    assert.equal(end(long, sharedSecret(Secret.fromText('an App Secret'))), null);
    assert.equal(endOfAppKey({ material: appKeyMaterial, appKey: null }), null);
    const sealed = { keyId: 'k', nonce: '', ciphertext: '' };
    assert.equal(
      endOfAppKey({ material: appKeyMaterial, appKey: new UnopenedSecret(sealed, () => new Error('no')) }),
      null,
    );
  });
});
