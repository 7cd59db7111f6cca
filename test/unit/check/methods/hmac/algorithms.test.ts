import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { macOf } from '../../../../../src/check/methods/hmac/algorithms.ts';
import { hmacAlgorithms } from '../../../../../src/model/options/hmac-algorithms.ts';
import { Secret } from '../../../../../src/model/secret.ts';

describe('the MAC of a string to sign', () => {
  for (const algorithm of hmacAlgorithms) {
    const expected = (text: string, secret: string): string =>
      createHmac(algorithm.replace('hmac-', ''), secret).update(text, 'latin1').digest('hex');

    it(`is that of node:crypto for ${algorithm}, whatever the secret and the text`, () => {
      const anyText = fc.string({ unit: 'binary', maxLength: 300 });
      fc.assert(
        fc.property(anyText, fc.array(anyText, { minLength: 1, maxLength: 4 }), (secretText, texts) => {
          const secret = Secret.fromText(secretText);
          for (const text of texts) {
            assert.equal(macOf(algorithm, text, secret).toString('hex'), expected(text, secretText));
          }
        }),
      );
    });

    for (const length of [16_255, 16_256, 16_257, 16_319, 16_320, 16_321, 40_000]) {
      it(`is that of node:crypto for ${algorithm} and a text of ${String(length)} bytes`, () => {
        const text = 'x'.repeat(length);
        assert.equal(macOf(algorithm, text, Secret.fromText('s')).toString('hex'), expected(text, 's'));
      });
    }
  }

  it('follows the algorithm when one secret is used with several', () => {
    const secret = Secret.fromText('shared');
    for (const algorithm of [...hmacAlgorithms, ...hmacAlgorithms]) {
      const expected = createHmac(algorithm.replace('hmac-', ''), 'shared').update('text').digest('hex');
      assert.equal(macOf(algorithm, 'text', secret).toString('hex'), expected);
    }
  });
});
