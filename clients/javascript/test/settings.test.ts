import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, PosternProblem, type ClientSettings } from '../src/index.ts';
import { appKey, appSecret } from './support/credentials.ts';

const tokenUrl = 'https://api.example.com/oauth2/token';

describe('createClient refuses', () => {
  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ['no method', { appKey }, /setting method/],
    ['an unknown method', { method: 'basic', appKey }, /setting method/],
    ['no App Key', { method: 'key' }, /setting appKey/],
    ['an empty App Key', { method: 'key', appKey: '' }, /setting appKey/],
    ['an App Key with a blank', { method: 'key', appKey: 'hidden text' }, /setting appKey/],
    ['an App Key of 513 characters', { method: 'key', appKey: 'k'.repeat(513) }, /setting appKey/],
    ['no App Secret', { method: 'hmac', appKey }, /setting appSecret/],
    ['an empty App Secret', { method: 'hmac', appKey, appSecret: '' }, /setting appSecret/],
    ['an App Secret with a line feed', { method: 'hmac', appKey, appSecret: 'hidden\n' }, /setting appSecret/],
    ['an App Secret with a blank before it', { method: 'oauth2', appKey, appSecret: ' hidden', tokenUrl }, /appSecret/],
    ['an App Secret with a control character', { method: 'hmac', appKey, appSecret: 'hid\u0007den' }, /appSecret/],
    ['an App Secret that is no Unicode', { method: 'hmac', appKey, appSecret: 'hidden\ud800' }, /appSecret/],
    ['an App Secret for key', { method: 'key', appKey, appSecret }, /key has no setting appSecret/],
    ['an unknown algorithm', { method: 'hmac', appKey, appSecret, algorithm: 'hmac-sha1' }, /setting algorithm/],
    ['an unknown encoding', { method: 'parameter-signature', appKey, appSecret, encoding: 'x' }, /setting encoding/],
    ['signed headers in a text', { method: 'hmac', appKey, appSecret, signedHeaders: 'host' }, /signedHeaders/],
    ['a carrier that is no header name', { method: 'key', appKey, carrier: { header: 'X Key' } }, /setting carrier/],
    ['two carriers', { method: 'key', appKey, carrier: { header: 'X-Key', query: 'k' } }, /setting carrier/],
    ['no token URL', { method: 'oauth2', appKey, appSecret }, /setting tokenUrl/],
    ['a relative token URL', { method: 'oauth2', appKey, appSecret, tokenUrl: '/oauth2/token' }, /setting tokenUrl/],
    ['a token URL with a user', { method: 'oauth2', appKey, appSecret, tokenUrl: 'https://u:hidden@a/' }, /tokenUrl/],
    ['retries below 0', { method: 'key', appKey, retries: -1 }, /setting retries/],
    ['half a retry', { method: 'key', appKey, retries: 0.5 }, /setting retries/],
    ['a clock correction below 0', { method: 'key', appKey, clockCorrection: -1 }, /setting clockCorrection/],
    ['a name that is misspelt', { method: 'hmac', appKey, appSecret, signHeaders: ['host'] }, /no setting signHeaders/],
    ['a name of every object', { method: 'key', appKey, toString: 1 }, /no setting toString/],
  ];
  for (const [what, settings, message] of wrong) {
    it(what, () => {
      assert.throws(
        () => createClient(settings as unknown as ClientSettings),
        (error) => {
          assert.ok(error instanceof PosternProblem);
          assert.equal(error.code, 'INVALID_CREDENTIAL');
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /hid/);
          return true;
        },
      );
    });
  }
});

describe('createClient takes', () => {
  it('a secret with blanks and letters of all kinds inside', () => {
    createClient({ method: 'hmac', appKey: 'a.b_c-1', appSecret: 'geheim nis-schlüssel-東京-🚀' });
  });
  it('settings that are undefined, as their defaults', () => {
    createClient({ method: 'key', appKey, carrier: undefined, retries: undefined } as unknown as ClientSettings);
  });
});
