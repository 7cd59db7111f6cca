import assert from 'node:assert/strict';
import { generateAppSecret, generatePair } from '../../../../src/resources/changes/generate-credential.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';

describe('generating App Keys and App Secrets', () => {
  it('makes 32 hex characters and 43 base64url characters', () => {
    const { appKey, appKeyHash, appSecret } = generatePair('shared-secret');
    assert.match(appKey.reveal().toString(), /^[0-9a-f]{32}$/);
    assert.equal(appKeyHash, hashAppKey(appKey.reveal().toString()));
    assert.match(appSecret?.reveal().toString() ?? '', /^[\w-]{43}$/);
  });

  it('makes no App Secret for a credential whose App Key is the secret', () => {
    assert.equal(generatePair('app-key').appSecret, null);
    assert.notEqual(generatePair('shared-secret').appSecret, null);
  });

  it('makes others each time', () => {
    const secrets = Array.from({ length: 100 }, () => generateAppSecret().reveal().toString());
    assert.equal(new Set(secrets).size, 100);
    assert.equal(new Set(secrets.map(() => generatePair('app-key').appKeyHash)).size, 100);
  });
});
