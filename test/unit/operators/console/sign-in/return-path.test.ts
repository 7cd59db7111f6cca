import assert from 'node:assert/strict';
import { returnPath, signInPath } from '../../../../../src/operators/console/sign-in/return-path.ts';

describe('where to go after signing in', () => {
  const good: Readonly<Record<string, string>> = {
    '/': '/',
    '/consumers/acme': '/consumers/acme',
    '/consumers?label=a%3Db&x=//evil.example': '/consumers?label=a%3Db&x=//evil.example',
    '/consumers/../audit': '/audit',
    '/consumers#top': '/consumers',
    '/é': '/%C3%A9',
  };
  for (const [text, path] of Object.entries(good)) {
    it(`is ${path} for ${text}`, () => {
      assert.equal(returnPath(text), path);
    });
  }

  const elsewhere = [
    ...['https://evil.example/', '//evil.example', '/\\evil.example', '\\\\evil.example', '/.//evil.example/'],
    ...['/\t/evil.example', '/\n/evil.example', '/a/..//evil.example', 'javascript:alert(1)', 'consumers', ''],
    ...['/sign-in', '/sign-in/callback?code=x', '/sign-out', '/v1/consumers', `/${'a'.repeat(2000)}`, ' /consumers'],
  ];
  for (const text of elsewhere) {
    it(`is the start page instead of ${JSON.stringify(text.slice(0, 30))}`, () => {
      assert.equal(returnPath(text), '/');
    });
  }

  it('is what was asked for, when it was a page', () => {
    assert.equal(signInPath(new Request('http://h/consumers?a=b')), '/sign-in?return=%2Fconsumers%3Fa%3Db');
    assert.equal(signInPath(new Request('http://h/')), '/sign-in');
    assert.equal(signInPath(new Request('http://h/consumers', { method: 'POST' })), '/sign-in');
  });
});
