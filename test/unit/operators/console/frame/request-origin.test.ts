import assert from 'node:assert/strict';
import { findForgery } from '../../../../../src/operators/console/frame/form-token.ts';
import { originOf } from '../../../../../src/operators/console/frame/request-origin.ts';

const host = 'postern.example.com';
const cases: readonly (readonly [string, ReturnType<typeof originOf>, Record<string, string>])[] = [
  ['of a page of this host', 'own', { 'sec-fetch-site': 'same-origin' }],
  ['of a page of this host, without Fetch Metadata', 'own', { origin: `https://${host}` }],
  ['of a page of this host that hides its origin', 'own', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ['of another site', 'other', { 'sec-fetch-site': 'cross-site', origin: `https://${host}` }],
  ['of a neighbour of the site', 'other', { 'sec-fetch-site': 'same-site' }],
  ['of another host, without Fetch Metadata', 'other', { origin: 'https://evil.example' }],
  ['of a host that only begins so', 'other', { origin: `https://${host}.evil.example` }],
  ['of another port', 'other', { origin: `https://${host}:8443` }],
  ['of a frame without an origin', 'other', { origin: 'null' }],
  ['that a person typed', 'unknown', { 'sec-fetch-site': 'none' }],
  ['that says nothing of where it comes from', 'unknown', {}],
];

function requestWith(headers: Readonly<Record<string, string>>): Request {
  const request = new Request(`https://${host}/sign-in`, { method: 'POST' });
  for (const [name, value] of Object.entries({ host, ...headers })) request.headers.set(name, value);
  return request;
}

describe('console: where a request comes from', () => {
  for (const [what, expected, headers] of cases) {
    it(`${what}: ${expected}`, () => {
      assert.equal(originOf(requestWith(headers)), expected);
    });

    it(`${what}, with the token of the session: a form is ${expected === 'other' ? 'refused' : 'taken'}`, () => {
      const forgery = findForgery(requestWith(headers), 'the token', 'the token');
      assert.equal(forgery, expected === 'other' ? 'The form was sent from another site.' : null);
    });

    it(`${what}, without the token of the session: a form is refused`, () => {
      for (const [sent, known] of [
        ['another', 'the token'],
        ['', ''],
      ] as const) {
        const why = expected === 'other' ? /from another site/ : /does not belong to this session/;
        assert.match(findForgery(requestWith(headers), sent, known) ?? 'taken', why);
      }
    });
  }
});
