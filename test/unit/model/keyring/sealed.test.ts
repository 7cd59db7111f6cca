import assert from 'node:assert/strict';
import { isUnopened, UnopenedSecret } from '../../../../src/model/keyring/sealed.ts';
import { Secret } from '../../../../src/model/secret.ts';

describe('a secret that was not opened', () => {
  const sealed = { keyId: 'k', nonce: 'n', ciphertext: 'c' };
  const secret = new UnopenedSecret(sealed, () => new Error('the key ring has no key "k"'));

  it('is kept, and never seen', () => {
    assert.equal(secret.sealed, sealed);
    assert.throws(() => secret.reveal(), /^Error: the key ring has no key "k"$/);
    assert.deepEqual([String(secret), JSON.stringify(secret)], ['[secret]', '"[secret]"']);
  });

  it('differs from one that was', () => {
    assert.deepEqual([secret, Secret.fromText('text'), null].map(isUnopened), [true, false, false]);
  });
});
