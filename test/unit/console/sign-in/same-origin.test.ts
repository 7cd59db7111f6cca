import assert from 'node:assert/strict';
import { isFromOwnPage } from '../../../../src/console/sign-in/same-origin.ts';

describe('a request of a page', () => {
  const host = 'postern.example.com';
  const cases: readonly (readonly [string, boolean, Record<string, string>])[] = [
    ['of this host', true, { 'sec-fetch-site': 'same-origin' }],
    ['of this host, without Fetch Metadata', true, { origin: `https://${host}` }],
    ['of this host that hides its origin', true, { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['of another site', false, { 'sec-fetch-site': 'cross-site', origin: `https://${host}` }],
    ['of a neighbour of the site', false, { 'sec-fetch-site': 'same-site' }],
    ['that a person typed', false, { 'sec-fetch-site': 'none' }],
    ['of another host, without Fetch Metadata', false, { origin: 'https://evil.example' }],
    ['of a host that only begins so', false, { origin: `https://${host}.evil.example` }],
    ['of another port', false, { origin: `https://${host}:8443` }],
    ['of a frame without an origin', false, { origin: 'null' }],
    ['that says nothing of where it comes from', false, {}],
  ];
  for (const [what, isOwn, headers] of cases) {
    it(`${what} ${isOwn ? 'is' : 'is not'} one of ours`, () => {
      const request = new Request(`https://${host}/sign-in`, { method: 'POST' });
      for (const [name, value] of Object.entries({ host, ...headers })) request.headers.set(name, value);
      assert.equal(isFromOwnPage(request), isOwn);
    });
  }
});
