import assert from 'node:assert/strict';

import fc from 'fast-check';

import { Secret } from '../../../../../src/model/secret.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import { parseParameterRequest } from '../../../../../src/check/methods/parameter-signature/request.ts';
import { bytesOf } from '../../../../../src/check/methods/parameter-signature/string-to-sign.ts';
import { naiveMeaning } from '../../../../support/signing/naive-signature.ts';
import { parameterOutcome } from '../../../../support/signing/signature-outcome.ts';
import {
  type CheckOptions,
  defaultOptions,
  emptyMessage,
  type SignedMessage,
  toSignable,
} from '../../../../support/signing/signed-message.ts';
import {
  APP_KEY,
  EXPIRED,
  NOW,
  readingOptions,
  SECRETS,
  signedParameters,
  textChange,
} from '../../../../support/signing/signed-message-arbitraries.ts';

const keys = new Map([[APP_KEY, SECRETS.map((secret) => Secret.fromText(secret))]]);

function textOf(query: string, options: CheckOptions): string | null {
  const request = parseParameterRequest(toSignable({ ...emptyMessage, path: `/?${query}` }), options);
  return isRefusal(request) ? null : bytesOf(request.texts[0]?.() ?? []).toString('latin1');
}

describe('parameter signatures', () => {
  it('are accepted over whatever was signed, but for time', () => {
    const signed = readingOptions.chain((options) => fc.tuple(fc.constant(options), signedParameters(options)));
    fc.assert(
      fc.property(signed, ([options, message]) => {
        fc.pre(message !== null);
        const { outcome } = parameterOutcome(message, { ...options, requireTimestamp: false }, keys, NOW);
        assert.equal(outcome, saysExpired(message) ? 'REQUEST_EXPIRED' : 'ACCEPTED');
      }),
      { numRuns: 300 },
    );
  });

  it('are refused when a change of one byte makes other parameters of them', () => {
    fc.assert(
      fc.property(signedParameters(defaultOptions), textChange('&', '=', '%', '+', '%20', 'a'), (message, change) => {
        fc.pre(message !== null && !saysExpired(message));
        const changed =
          message.body.length === 0
            ? { ...message, path: `/p?${change(queryOf(message))}` }
            : { ...message, body: Buffer.from(change(message.body.toString('latin1')), 'latin1') };
        fc.pre(meaningOf(message) !== meaningOf(changed));
        assert.notEqual(parameterOutcome(changed, defaultOptions, keys, NOW).outcome, 'ACCEPTED');
      }),
      { numRuns: 600 },
    );
  });

  for (const spelling of ['decoded', 'raw'] as const) {
    it(`are over a text that no other parameters have (${spelling})`, () => {
      const piece = fc.constantFrom('a', 'b', '=', '&', '%26', '%3D', '+', 'a=', 'b=');
      const meanings = new Map<string, string>();
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
          const text = textOf(pieces.join(''), { ...defaultOptions, parameterEncoding: spelling });
          fc.pre(text !== null);
          const meaning = JSON.stringify(naiveMeaning(pieces.join(''), spelling));
          assert.equal(meanings.get(text) ?? meaning, meaning);
          meanings.set(text, meaning);
        }),
        { numRuns: 2000 },
      );
    });
  }

  it('are over the same text for parameters that strictParameters would have refused', () => {
    const lax = { ...defaultOptions, strictParameters: false };
    assert.equal(textOf('b=1%26c%3D2', lax), textOf('b=1&c=2', lax));
    assert.equal(textOf('b=1%26c%3D2', defaultOptions), null);
  });
});

/** What a request says with its parameters: equal for two spellings of the same. */
function meaningOf(message: SignedMessage): string {
  if (message.body.length === 0) return JSON.stringify(naiveMeaning(queryOf(message), 'decoded'));
  if (message.headers[0]?.[1] !== 'application/json') {
    return JSON.stringify(naiveMeaning(message.body.toString('latin1'), 'decoded'));
  }
  try {
    const wrapper = JSON.parse(message.body.toString('utf8')) as Record<string, unknown>;
    // A number and a string of the same digits are one source text.
    return JSON.stringify([wrapper['data'], wrapper['appKey'], String(wrapper['apiTimestamp'])]);
  } catch (error) {
    assert.ok(error instanceof SyntaxError);
    return 'no JSON';
  }
}

/** The parameters of the URL; paths differ. */
function queryOf({ path }: SignedMessage): string {
  return path.slice(path.indexOf('?') + 1);
}

function saysExpired(message: SignedMessage): boolean {
  return `${message.path}${message.body.toString('latin1')}`.includes(String(EXPIRED));
}
