import assert from 'node:assert/strict';
import { UnopenedSecret } from '../../../../src/model/keyring/sealed.ts';
import { endOfAppKey } from '../../../../src/resources/changes/shown-credential.ts';
import { appKeyMaterial, type Material, sharedSecret } from '../../../../src/model/material.ts';
import { Secret } from '../../../../src/model/secret.ts';

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
