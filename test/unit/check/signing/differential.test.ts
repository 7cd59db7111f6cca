import assert from 'node:assert/strict';

import fc from 'fast-check';

import { Secret } from '../../../../src/model/secret.ts';
import { naiveHmac, naiveParameters } from '../../../support/signing/naive-signature.ts';
import { hmacOutcome, parameterOutcome } from '../../../support/signing/signature-outcome.ts';
import { defaultOptions, type SignedMessage } from '../../../support/signing/signed-message.ts';
import {
  APP_KEY,
  NOW,
  readingOptions,
  SECRETS,
  signedHmac,
  signedParameters,
  textChange,
} from '../../../support/signing/signed-message-arbitraries.ts';

const keys = new Map([[APP_KEY, SECRETS.map((secret) => Secret.fromText(secret))]]);
const naiveKeys = new Map([[APP_KEY, SECRETS]]);

/** A change anywhere in a request: its line, a header's name or value, its body, the number of its headers. */
const messageChange = fc
  .tuple(
    fc.nat(),
    fc.nat(),
    textChange(
      '"',
      ',',
      ' ',
      '\t',
      '=',
      '&',
      '%',
      '+',
      '\\',
      '!',
      ';',
      'hmac ',
      'sign=',
      'appKey=',
      '{',
      '}',
      '\\u0061',
    ),
  )
  .map(([which, index, change]) => (message: SignedMessage): SignedMessage => {
    const at = message.headers.length === 0 ? 0 : index % message.headers.length;
    const [name = 'x-new', value = ''] = message.headers[at] ?? [];
    const others = message.headers.filter((_, other) => other !== at);
    switch (which % 9) {
      case 0:
        return { ...message, path: change(message.path) };
      case 1:
        return { ...message, body: Buffer.from(change(message.body.toString('latin1')), 'latin1') };
      case 2:
        return { ...message, headers: others };
      case 3:
        return { ...message, headers: [...message.headers, [name, value]] };
      case 4:
        return { ...message, headers: [...others, [name.toUpperCase(), change(value)]] };
      case 5:
        return { ...message, hasRawHeaders: false };
      case 6:
        return { ...message, method: change(message.method) };
      case 7:
        return { ...message, protocol: 'HTTP/2' };
      default:
        return { ...message, headers: [...others, [name, change(value)]] };
    }
  });

const changes = fc.array(messageChange, { maxLength: 3 });
const now = fc.constantFrom(NOW, NOW - 300, NOW - 301, NOW + 300, NOW + 301);

describe('second, naive implementation', () => {
  it('agrees about every hmac request', () => {
    const options = fc.boolean().map((acceptRealHttpVersion) => ({ ...defaultOptions, acceptRealHttpVersion }));
    fc.assert(
      fc.property(signedHmac, changes, options, now, (signed, list, chosen, at) => {
        const message = list.reduce((changed, change) => change(changed), signed);
        assert.deepEqual(hmacOutcome(message, chosen, keys, at), naiveHmac(message, chosen, naiveKeys, at));
      }),
      { numRuns: 1500 },
    );
  });

  it('agrees about every request with a parameter signature', () => {
    const signed = readingOptions.chain((options) => fc.tuple(fc.constant(options), signedParameters(options)));
    fc.assert(
      fc.property(signed, changes, now, ([options, unchanged], list, at) => {
        fc.pre(unchanged !== null);
        const message = list.reduce((changed, change) => change(changed), unchanged);
        assert.deepEqual(
          parameterOutcome(message, options, keys, at),
          naiveParameters(message, options, naiveKeys, at),
        );
      }),
      { numRuns: 1500 },
    );
  });
});
