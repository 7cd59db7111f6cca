import assert from 'node:assert/strict';

import fc from 'fast-check';

import { Secret } from '../../../../../src/model/secret.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import { type ClientHeader, withHeaders } from '../../../../../src/check/signing/client-request.ts';
import { hmacTexts, SIGNED_HTTP_VERSION } from '../../../../../src/check/methods/hmac/string-to-sign.ts';
import { signHmac } from '../../../../../src/check/methods/hmac/sign.ts';
import { parseSignedHeaders, REQUEST_LINE } from '../../../../../src/check/methods/hmac/signed-headers.ts';
import { hmacOutcome } from '../../../../support/signing/signature-outcome.ts';
import {
  defaultOptions,
  emptyMessage,
  type SignedMessage,
  toSignable,
} from '../../../../support/signing/signed-message.ts';
import {
  APP_KEY,
  NOW,
  SECRETS,
  signedHmac,
  textChange,
} from '../../../../support/signing/signed-message-arbitraries.ts';

const secrets = SECRETS.map((secret) => Secret.fromText(secret));
const keys = new Map([[APP_KEY, secrets]]);

const outcome = (message: SignedMessage): string => hmacOutcome(message, defaultOptions, keys, NOW).outcome;

describe('hmac signatures', () => {
  it('are accepted over whatever was signed', () => {
    fc.assert(
      fc.property(signedHmac, (message) => {
        assert.equal(outcome(message), 'ACCEPTED');
      }),
      { numRuns: 500 },
    );
  });

  it('are refused when a single thing that they cover was changed', () => {
    fc.assert(
      fc.property(signedHmac, fc.nat(), textChange(' ', '%', 'A', '\n', ','), (message, which, change) => {
        const changes = changesOf(message, change);
        const changed = changes[which % changes.length];
        fc.pre(changed !== undefined);
        assert.notEqual(outcome(changed), 'ACCEPTED');
      }),
      { numRuns: 2000 },
    );
  });

  it('are refused when the values of a covered header change places or number', () => {
    const values = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '', 'a, b'), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(values, fc.array(fc.constantFrom('a', 'b', 'c', '', 'a, b'), { maxLength: 4 }), (signed, sent) => {
        fc.pre(signed.join(', ') !== sent.join(', '));
        const headers = (list: string[]): ClientHeader[] => list.map((value) => ['x-z', value]);
        const request = signHmac(
          { ...emptyMessage, headers: headers(signed) },
          {
            appKey: APP_KEY,
            secret: secrets[0] ?? Secret.fromText(''),
            algorithm: 'hmac-sha256',
            alsoSigned: ['x-z'],
            nowSeconds: NOW,
          },
        );
        assert.ok(!isRefusal(request));
        assert.equal(outcome({ ...emptyMessage, ...request }), 'ACCEPTED');
        const rest = request.headers.filter(([name]) => name !== 'x-z');
        assert.notEqual(outcome({ ...emptyMessage, ...request, headers: [...rest, ...headers(sent)] }), 'ACCEPTED');
      }),
    );
  });

  it('are over a text that no other request has, but for values joined by a comma and a blank', () => {
    const value = fc
      .array(fc.constantFrom('a', ':', ' ', ',', '/', 'a / HTTP/1.1', 'x-a: '), { maxLength: 3 })
      .map((parts) => parts.join(''));
    const values = fc.array(value, { minLength: 1, maxLength: 2 });
    const names = fc.shuffledSubarray(['date', 'x-a', 'x-b', 'host', REQUEST_LINE]);
    const method = fc.constantFrom('a', 'x-a', 'GET');
    const path = fc.constantFrom('/', '/a', '/x-a:');
    const authority = fc.constantFrom('a', 'a:1');
    const meanings = new Map<string, string>();
    fc.assert(
      fc.property(names, method, path, authority, values, values, (listed, verb, target, host, a, b) => {
        const signedHeaders = parseSignedHeaders(listed.join(' '));
        fc.pre(!isRefusal(signedHeaders));
        const headers = [
          ...a.map((text) => ['x-a', text] as const),
          ...b.map((text) => ['x-b', text] as const),
          ['date', 'd'] as const,
        ];
        const request = { ...emptyMessage, method: verb, path: target, authority: host, headers };
        const texts = hmacTexts(toSignable(request), signedHeaders, [SIGNED_HTTP_VERSION]);
        assert.ok(!isRefusal(texts));
        const said: Record<string, string> = {
          host,
          'x-a': a.join(', '),
          'x-b': b.join(', '),
          [REQUEST_LINE]: `${verb} ${target}`,
        };
        const meaning = JSON.stringify(signedHeaders.map((name) => [name, said[name]]));
        const text = texts[0] ?? '';
        assert.equal(meanings.get(text) ?? meaning, meaning);
        meanings.set(text, meaning);
      }),
      { numRuns: 5000 },
    );
  });
});

/** The request with one part that its signature covers changed, for each part that the change really changes. */
function changesOf(message: SignedMessage, change: (text: string) => string): SignedMessage[] {
  const authorization = message.headers.find(([name]) => name === 'Authorization')?.[1] ?? '';
  const signed = /headers="([^"]*)"/.exec(authorization)?.[1]?.split(' ') ?? [];
  const changes: SignedMessage[] = [];
  const add = (text: string, changed: (text: string) => SignedMessage): void => {
    if (change(text) !== text) changes.push(changed(change(text)));
  };
  add(message.method, (method) => ({ ...message, method }));
  add(message.path, (path) => ({ ...message, path }));
  add(message.body.toString('latin1'), (body) => ({ ...message, body: Buffer.from(body, 'latin1') }));
  if (signed.includes('host')) add(message.authority, (authority) => ({ ...message, authority }));
  for (const [index, [name, value]] of message.headers.entries()) {
    if (!signed.includes(name.toLowerCase())) continue;
    add(value, (text) => ({ ...message, headers: message.headers.with(index, [name, text]) }));
  }
  add(authorization.slice(-45, -2), (mac) => ({
    ...message,
    ...withHeaders(message, [['Authorization', `${authorization.slice(0, -45)}${mac}="`]]),
  }));
  return changes;
}
