import assert from 'node:assert/strict';

import { Secret } from '../../../../src/model/secret.ts';
import { isRefusal } from '../../../../src/check/refusal.ts';
import { macOf } from '../../../../src/check/methods/hmac/algorithms.ts';
import { hmacTexts, SIGNED_HTTP_VERSION } from '../../../../src/check/methods/hmac/string-to-sign.ts';
import { bytesOf, whole } from '../../../../src/check/methods/parameter-signature/string-to-sign.ts';
import { parseParameterRequest } from '../../../../src/check/methods/parameter-signature/request.ts';
import { signatureOf } from '../../../../src/check/methods/parameter-signature/signature.ts';
import { naiveHmac, naiveParameters } from '../../../support/signing/naive-signature.ts';
import { hmacOutcome, parameterOutcome } from '../../../support/signing/signature-outcome.ts';
import {
  hmacMessage,
  optionsOf,
  parameterMessage,
  readVectors,
  secretsOf,
} from '../../../support/signing/signature-vectors.ts';
import { emptyMessage, defaultOptions, toSignable } from '../../../support/signing/signed-message.ts';

const published = readVectors('published');
const extended = readVectors('extended');

describe('published vectors', () => {
  const secret = Secret.fromText(published.hmac.appSecret);
  const keys = new Map([[published.hmac.appKey, [secret]]]);
  /** Correct signatures that spec §3.2 refuses by default. */
  const refused = new Map([
    ['H3-http2-literal', 'AUTHENTICATION_FAILED'],
    ['H10-body-digest-unsigned', 'CREDENTIALS_MALFORMED'],
  ]);

  for (const vector of published.hmac.cases) {
    it(`hmac ${vector.id}`, () => {
      const message = hmacMessage(published, vector);
      const expected = refused.get(vector.id) ?? 'ACCEPTED';
      assert.equal(hmacOutcome(message, defaultOptions, keys, published.clock.hmac_epoch).outcome, expected);
      const version = vector.line.split(' ')[2] ?? SIGNED_HTTP_VERSION;
      const texts = hmacTexts(toSignable(message), vector.headers.split(' '), [version]);
      assert.ok(!isRefusal(texts));
      assert.equal(macOf('hmac-sha256', texts[0] ?? '', secret).toString('base64'), vector.signature);
    });
  }

  it('accepts the HTTP/2 literal when the endpoint takes the real version', () => {
    const [vector] = published.hmac.cases.filter(({ id }) => id === 'H3-http2-literal');
    assert.ok(vector);
    const message = { ...hmacMessage(published, vector), protocol: 'HTTP/2' };
    const options = { ...defaultOptions, acceptRealHttpVersion: true };
    assert.equal(hmacOutcome(message, options, keys, published.clock.hmac_epoch).outcome, 'ACCEPTED');
  });

  for (const vector of published.parameter.cases) {
    it(`parameter ${vector.id}`, () => {
      const { appSecret } = published.parameter;
      const text = (vector.string ?? '').slice(0, -appSecret.length);
      assert.equal(signatureOf([whole(Buffer.from(text))], Secret.fromText(appSecret)), vector.sign);
    });
  }

  it('builds their strings from requests', () => {
    const wires: Readonly<Record<string, string>> = {
      'P1-doc': 'name=dadu&appKey=foobar&abc=123',
      'P2-doc-ts': 'name=dadu&appKey=foobar&abc=123&apiTimestamp=1581565619',
      'P6-utf8-decoded': 'name=%E5%BC%A0%E4%B8%89&appKey=foobar',
      'P7-space-decoded': 'q=a+b&appKey=foobar',
      'P10-empty-value': 'e&appKey=foobar',
      'P11-duplicates': 'appKey=foobar&a=1&a=2',
    };
    for (const [id, wire] of Object.entries(wires)) {
      const vector = published.parameter.cases.find((candidate) => candidate.id === id);
      const request = parseParameterRequest(toSignable({ ...emptyMessage, path: `/?${wire}` }), defaultOptions);
      assert.ok(!isRefusal(request));
      assert.equal(`${bytesOf(request.shownText(), 4096).toString()}my.secret`, vector?.string);
    }
  });
});

describe('extended vectors', () => {
  const secrets = secretsOf(extended, extended.hmac.appSecret);
  const keys = new Map([[extended.hmac.appKey, secrets]]);
  const naiveKeys = new Map([[extended.hmac.appKey, extended.secrets ?? []]]);

  for (const vector of extended.hmac.cases) {
    it(`hmac ${vector.id}: ${vector.expect ?? ''}`, () => {
      const message = hmacMessage(extended, vector);
      const now = vector.now ?? extended.clock.hmac_epoch;
      assert.equal(hmacOutcome(message, optionsOf(vector), keys, now).outcome, vector.expect);
      assert.equal(naiveHmac(message, optionsOf(vector), naiveKeys, now).outcome, vector.expect);
    });
  }

  for (const vector of extended.parameter.cases) {
    it(`parameter ${vector.id}: ${vector.expect ?? ''}`, () => {
      const message = parameterMessage(vector);
      const now = vector.now ?? extended.clock.param_epoch;
      const { outcome, data } = parameterOutcome(message, optionsOf(vector), keys, now);
      assert.equal(outcome, vector.expect);
      if (vector.dataBase64 !== undefined) assert.equal(data?.toString('base64'), vector.dataBase64);
      assert.deepEqual(naiveParameters(message, optionsOf(vector), naiveKeys, now), { outcome, data });
    });
  }
});
