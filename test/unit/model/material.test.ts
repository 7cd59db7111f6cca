import assert from 'node:assert/strict';
import {
  appKeyMaterial,
  formerEndOf,
  mapSecrets,
  materialKindOf,
  secretsIn,
  sharedSecret,
  takesMaterial,
  wholeMaterial,
  withoutFormer,
} from '../../../src/model/material.ts';
import { authenticationMethods } from '../../../src/model/endpoint.ts';
import { Secret } from '../../../src/model/secret.ts';

describe('what a credential proves with', () => {
  const rotating = sharedSecret('new', { appSecret: 'old', expiresAt: 5 });

  it('is the App Key for method key alone, and a shared secret for every other', () => {
    assert.deepEqual(
      ([['key'], ['hmac'], ['oauth2'], ['hmac', 'key']] as const).map((methods) => materialKindOf(methods)),
      ['app-key', 'shared-secret', 'shared-secret', 'shared-secret'],
    );
  });

  it('is a public key for a method that takes nothing else, and for no method that does not', () => {
    assert.equal(materialKindOf(['http-message-signature']), 'public-key');
    assert.deepEqual(
      authenticationMethods.filter((method) => takesMaterial(method, 'public-key')),
      ['http-message-signature', 'oauth2'],
    );
    assert.deepEqual(
      authenticationMethods.filter((method) => !takesMaterial(method, 'shared-secret')),
      ['http-message-signature', 'jwt', 'certificate'],
    );
  });

  it('has its secrets by their paths, the current one first', () => {
    assert.deepEqual(
      [...secretsIn(rotating)],
      [
        ['appSecret', 'new'],
        ['retiringSecret.appSecret', 'old'],
      ],
    );
    assert.deepEqual([...secretsIn(sharedSecret('new'))], [['appSecret', 'new']]);
    assert.deepEqual([...secretsIn(appKeyMaterial)], []);
  });

  it('keeps all else when its secrets change their form', () => {
    assert.deepEqual(
      mapSecrets(rotating, (secret, path) => `${path}: ${secret}`),
      sharedSecret('appSecret: new', { appSecret: 'retiringSecret.appSecret: old', expiresAt: 5 }),
    );
    assert.equal(
      mapSecrets(appKeyMaterial, () => 'none'),
      appKeyMaterial,
    );
  });

  it('is whole only with each of its secrets', () => {
    const secret = Secret.fromText('a secret of the tests');
    assert.deepEqual(wholeMaterial(sharedSecret<Secret | null>(secret)), sharedSecret(secret));
    assert.equal(wholeMaterial(sharedSecret(null)), null);
    assert.equal(wholeMaterial(sharedSecret<Secret | null>(secret, { appSecret: null, expiresAt: 5 })), null);
    assert.equal(wholeMaterial(appKeyMaterial), appKeyMaterial);
  });

  it('says when what was replaced ends, and can be without it', () => {
    assert.deepEqual([rotating, sharedSecret('new'), appKeyMaterial].map(formerEndOf), [5, null, null]);
    assert.deepEqual(withoutFormer(rotating), sharedSecret('new'));
    assert.equal(withoutFormer(appKeyMaterial), appKeyMaterial);
  });
});
