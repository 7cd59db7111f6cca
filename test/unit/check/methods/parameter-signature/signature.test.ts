import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import { Secret } from '../../../../../src/model/secret.ts';
import { isRefusal, type Refusal } from '../../../../../src/check/refusal.ts';
import {
  type ParameterRequest,
  parseParameterRequest,
} from '../../../../../src/check/methods/parameter-signature/request.ts';
import {
  parseParameterCredentials,
  signatureOf,
  verifyParameterSignature,
} from '../../../../../src/check/methods/parameter-signature/signature.ts';
import { runAtOnce } from '../../../../../src/base/text/work.ts';
import { bytesOf, whole } from '../../../../../src/check/methods/parameter-signature/string-to-sign.ts';
import { signParameters } from '../../../../../src/check/methods/parameter-signature/sign.ts';
import { checkParameterMessage } from '../../../../support/signing/signature-outcome.ts';
import {
  type CheckOptions,
  defaultOptions,
  emptyMessage,
  type SignedMessage,
  toSignable,
} from '../../../../support/signing/signed-message.ts';

const NOW = 1_709_210_096;
const HEX = '0'.repeat(128);
const secret = Secret.fromText('a-secret-of-the-partner');
const former = Secret.fromText('the-former-secret-of-it');
const keys = new Map([['k', [secret, former]]]);

const FORM = [['content-type', 'application/x-www-form-urlencoded']] as const;
const JSON_TYPE = [['content-type', 'application/json']] as const;

const url = (query: string): SignedMessage => ({ ...emptyMessage, path: `/p?${query}` });
const form = (body: string, query = ''): SignedMessage => ({
  ...emptyMessage,
  path: query === '' ? '/p' : `/p?${query}`,
  headers: FORM,
  body: Buffer.from(body, 'latin1'),
});
const json = (body: object, query = ''): SignedMessage => ({
  ...form('', query),
  headers: JSON_TYPE,
  body: Buffer.from(JSON.stringify(body), 'utf8'),
});

function parse(message: SignedMessage, options: Partial<CheckOptions> = {}): ParameterRequest | Refusal {
  return parseParameterRequest(toSignable(message), { ...defaultOptions, ...options });
}

function parsed(message: SignedMessage, options: Partial<CheckOptions> = {}): ParameterRequest {
  const request = parse(message, options);
  assert.ok(!isRefusal(request), JSON.stringify(request));
  return request;
}

function check(message: SignedMessage, options: Partial<CheckOptions> = {}): Refusal | null {
  return checkParameterMessage(message, { ...defaultOptions, ...options }, keys, NOW).refusal;
}

function signed(
  message: SignedMessage,
  timestampSeconds: number | null = null,
  options: Partial<CheckOptions> = {},
): SignedMessage {
  const request = signParameters(message, {
    appKey: 'k',
    secret,
    timestampSeconds,
    options: { ...defaultOptions, ...options },
  });
  assert.ok(!isRefusal(request), JSON.stringify(request));
  return { ...message, ...request };
}

const malformed = (detail: string): Refusal => ({ refused: 'MALFORMED_REQUEST', detail });
const UNSIGNED_QUERY = malformed('the query holds more than the appKey of the body, and nothing signs it');
const AMBIGUOUS: Refusal = {
  refused: 'AMBIGUOUS_PARAMETERS',
  detail: 'a parameter holds "&" and "=", so that its signature could be read in two ways',
};

describe('parameters of a request', () => {
  it('are in the URL, in a form body or in a JSON wrapper', () => {
    assert.deepEqual(parsed(url('appKey=k&a=1')).form, 'url');
    assert.deepEqual(parsed(form('appKey=k&a=1')).form, 'form');
    assert.deepEqual(parsed(json({ data: '{}', appKey: 'k', sign: 's' })).form, 'json');
  });

  it('have reserved names that are recognised after decoding in every mode', () => {
    for (const parameterEncoding of ['decoded', 'raw', 'auto'] as const) {
      const { reserved } = parsed(url('app%4Bey=%6B&sig%6E=x&apiTimesta%6dp=1&AppKey=2&appKe=3&+appKey=4&appKey+=5'), {
        parameterEncoding,
      });
      assert.deepEqual(reserved, {
        appKey: [Buffer.from('k')],
        sign: [Buffer.from('x')],
        apiTimestamp: [Buffer.from('1')],
      });
    }
  });

  it('carry the original body out of a wrapper, and nothing else', () => {
    assert.deepEqual(parsed(json({ data: '{"a": "é\0"}', appKey: 'k', sign: 's' })).data, Buffer.from('{"a": "é\0"}'));
    assert.equal(parsed(form('appKey=k')).data, null);
    assert.equal(parsed(url('appKey=k')).data, null);
  });

  it('are reported as a wrapper even when its credentials are refused later', () => {
    const checked = checkParameterMessage(json({ data: 'd', appKey: '', sign: 'S' }), defaultOptions, keys, NOW);
    assert.equal(checked.refusal?.refused, 'CREDENTIALS_MALFORMED');
    assert.deepEqual(checked.data, Buffer.from('d'));
  });

  for (const [what, message, refusal] of [
    ['bad encoding', url('a=%'), malformed('a "%" in the parameters is not followed by two hexadecimal digits')],
    ['text that is not UTF-8', form('a=\xff'), malformed('the parameters are not UTF-8')],
    [
      'too many parameters',
      url('a&'.repeat(101)),
      { refused: 'TOO_MANY_PARAMETERS', detail: 'there are more than 100 parameters' },
    ],
    ['an ambiguous value', url('a=1%26b%3D2'), AMBIGUOUS],
    ['an ambiguous name', form('a%26b=1'), AMBIGUOUS],
    ['an ambiguous appKey', url('appKey=1%26b%3D2'), AMBIGUOUS],
    [
      'a malformed wrapper',
      json({}),
      { refused: 'MALFORMED_WRAPPER', detail: 'the JSON wrapper is not well formed: it has no data' },
    ],
    [
      'a path with bytes that cannot be signed',
      { ...url('a=1'), path: '/é?a=1' },
      malformed('the method or the path holds bytes that cannot stand in a request line'),
    ],
    ['a query beside a form', form('appKey=k', 'a=1'), UNSIGNED_QUERY],
    ['another appKey in the query', form('appKey=k', 'appKey=x'), UNSIGNED_QUERY],
    ['the appKey twice in the query', form('appKey=k', 'appKey=k&appKey=k'), UNSIGNED_QUERY],
    ['the appKey in the query only', form('a=1', 'appKey=k'), UNSIGNED_QUERY],
    ['sign in the query', form('appKey=k', 'sign=x'), UNSIGNED_QUERY],
    ['bad encoding in the query', form('appKey=k', '%'), UNSIGNED_QUERY],
    ['a query beside a wrapper', json({ data: '', appKey: 'k', sign: 's' }, 'a=1'), UNSIGNED_QUERY],
    ['another appKey beside a wrapper', json({ data: '', appKey: 'k', sign: 's' }, 'appKey=K'), UNSIGNED_QUERY],
    ['an unsigned query before a malformed wrapper', json({}, 'a=1'), UNSIGNED_QUERY],
    ['an unsigned query before too many parameters', form('a&'.repeat(101), 'a=1'), UNSIGNED_QUERY],
    [
      'too many parameters before ambiguous ones',
      url('a%26&'.repeat(101)),
      { refused: 'TOO_MANY_PARAMETERS', detail: 'there are more than 100 parameters' },
    ],
  ] as const) {
    it(`are refused with ${what}`, () => {
      assert.deepEqual(parse(message), refusal);
    });
  }

  it('may repeat in the query of a body the appKey of the body, however encoded', () => {
    for (const query of ['appKey=k', '%61ppKey=%6b', '&appKey=k&', '&', '&&']) {
      assert.equal(parsed(form('appKey=k', query)).form, 'form');
      assert.equal(parsed(json({ data: '', appKey: 'k', sign: 's' }, query)).form, 'json');
    }
    assert.equal(parsed({ ...form('appKey=k'), path: '/p?' }).form, 'form');
  });

  it('may be beside any query when that is forwarded unsigned', () => {
    const options = { unsignedQuery: 'forward' } as const;
    for (const query of ['a=1', '%', 'appKey=other', 'a&'.repeat(200)]) {
      assert.equal(parsed(form('appKey=k', query), options).form, 'form');
      assert.equal(parsed(json({ data: '', appKey: 'k', sign: 's' }, query), options).form, 'json');
    }
  });

  it('are ambiguous only where the text is joined decoded', () => {
    assert.equal(parsed(url('a=1%26b%3D2&c%26=1'), { parameterEncoding: 'raw' }).texts.length, 1);
    assert.equal(parsed(url('a=1%26b%3D2'), { strictParameters: false }).texts.length, 1);
    assert.equal(parsed(url('a=1%26b%3D2&sign=1%26b%3D2'), { strictParameters: false }).texts.length, 1);
    assert.deepEqual(parse(url('a%26b=2'), { strictParameters: false }), AMBIGUOUS);
    assert.equal(parsed(json({ data: '{"u":"?a=1&b=2"}', appKey: 'k', sign: 's' })).texts.length, 1);
  });

  it('are tried decoded, raw and by value in auto, and raw only when they are ambiguous', () => {
    const texts = (query: string, options: Partial<CheckOptions>): string[] =>
      parsed(url(query), { parameterEncoding: 'auto', ...options }).texts.map((build) => bytesOf(build()).toString());
    assert.deepEqual(texts('b=%62&b=a&a=+', {}), ['a= &b=b&b=a', 'a=+&b=%62&b=a', 'a= &b=a&b=b']);
    assert.deepEqual(texts('b=1%26c%3D2&a', {}), ['a=&b=1%26c%3D2']);
    assert.deepEqual(texts('b%3D=1', { strictParameters: false }), ['b%3D=1']);
    assert.equal(texts('b=1%26c%3D2', { strictParameters: false }).length, 3);
  });

  it('show in hints what was decoded, also in auto, and what is raw in raw', () => {
    const shown = (query: string, options: Partial<CheckOptions>): string =>
      bytesOf(parsed(url(query), options).shownText(), 4096).toString();
    assert.equal(shown('sign=x&b=%20&a', {}), 'a=&b= ');
    assert.equal(shown('b=1%26c%3D2&a', { parameterEncoding: 'auto' }), 'a=&b=1&c=2');
    assert.equal(shown('b=%20&a', { parameterEncoding: 'raw' }), 'a=&b=%20');
  });

  it('are refused with a "!" in the target when headers came in the map form', () => {
    const message = { ...url('a=wow!'), hasRawHeaders: false };
    assert.deepEqual(
      parse(message),
      malformed('the path has a "!", which may stand for a byte that Envoy could not show'),
    );
    assert.equal(parsed({ ...form('a=wow!'), hasRawHeaders: false }).form, 'form');
  });
});

describe('credentials of a parameter signature', () => {
  const credentials = (message: SignedMessage, requireTimestamp = false): unknown => {
    const found = parseParameterCredentials(parsed(message), { requireTimestamp });
    if (isRefusal(found)) return found;
    const { parameters, ...rest } = found;
    return { ...rest, texts: parameters.texts.length };
  };
  const missing = (detail: string): Refusal => ({ refused: 'CREDENTIALS_MISSING', detail });
  const bad = (detail: string): Refusal => ({ refused: 'CREDENTIALS_MALFORMED', detail });

  it('are App Key, MAC and time', () => {
    const expected = { appKey: 'k', mac: Buffer.alloc(64), signedAtSeconds: null, texts: 1 };
    assert.deepEqual(credentials(url(`appKey=k&sign=${HEX}`)), expected);
    assert.deepEqual(credentials(url(`appKey=k&sign=${HEX}&apiTimestamp=17`)), { ...expected, signedAtSeconds: 17 });
    assert.deepEqual(credentials(json({ data: '', appKey: 'é', sign: HEX, apiTimestamp: 17 })), {
      ...expected,
      appKey: 'é',
      signedAtSeconds: 17,
    });
  });

  for (const [query, refusal] of [
    ['', missing('the request has no appKey')],
    [`sign=${HEX}`, missing('the request has no appKey')],
    [`appkey=k&sign=${HEX}`, missing('the request has no appKey')],
    ['appKey=k', missing('the request has no sign')],
    ['appKey=k&appKey=k', missing('the request has no sign')],
    [`appKey=k&appKey=k&sign=${HEX}`, bad('appKey appears more than once')],
    [`appKey=k&appKey&sign=${HEX}`, bad('appKey appears more than once')],
    [`appKey=k&sign=${HEX}&sign=${HEX}`, bad('sign appears more than once')],
    [`appKey=k&sign=${HEX}&apiTimestamp=1&apiTimestamp=1`, bad('apiTimestamp appears more than once')],
    [`appKey&sign=${HEX}`, bad('appKey is empty')],
    [`appKey=&sign=${HEX}`, bad('appKey is empty')],
    ['appKey=k&sign', bad('sign is not 128 lower-case hexadecimal digits')],
    ['appKey=k&sign=', bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=${HEX}0`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=${HEX.slice(1)}`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=0A${HEX.slice(2)}`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=A0${HEX.slice(2)}`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=${'A'.repeat(128)}`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=${'g'.repeat(128)}`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=${HEX}%0A`, bad('sign is not 128 lower-case hexadecimal digits')],
    [`appKey=k&sign=+${HEX.slice(1)}`, bad('sign is not 128 lower-case hexadecimal digits')],
    ...['', '-1', '%2B1', '1.0', '1e9', '0x1', '1+', '+1', '1/', '1:', '1%00', '%D9%A1', 'now'].map(
      (text) => [`appKey=k&sign=${HEX}&apiTimestamp=${text}`, bad('apiTimestamp is not digits only')] as const,
    ),
    [`appKey=k&sign=${HEX}&apiTimestamp`, bad('apiTimestamp is not digits only')],
  ] as const) {
    it(`are refused in ?${query.replaceAll(HEX, '<hex>')}`, () => {
      assert.deepEqual(credentials(url(query)), refusal);
    });
  }

  it('need a time where the endpoint requires one', () => {
    assert.deepEqual(credentials(url(`appKey=k&sign=${HEX}`), true), bad('apiTimestamp is required and absent'));
    assert.deepEqual(
      credentials(json({ data: '', appKey: 'k', sign: HEX }), true),
      bad('apiTimestamp is required and absent'),
    );
  });
});

describe('parameter signature', () => {
  it('is accepted in all three forms', () => {
    for (const message of [url('b=2&a=1'), form('b=2&a=%20'), { ...form('{"a": 1}'), headers: JSON_TYPE }]) {
      assert.equal(check(signed(message)), null);
      assert.equal(check(signed(message, NOW)), null);
    }
  });

  it('is accepted up to 300 s from now, and refused as expired after that', () => {
    for (const message of [url('a=1'), form('a=1'), { ...form('{}'), headers: JSON_TYPE }]) {
      for (const seconds of [NOW - 300, NOW + 300]) assert.equal(check(signed(message, seconds)), null);
      for (const seconds of [NOW - 301, NOW + 301]) {
        assert.equal(check(signed(message, seconds))?.refused, 'REQUEST_EXPIRED');
      }
    }
  });

  it('is refused as wrong before it is refused as expired', () => {
    const message = signed(url('a=1'), NOW - 301);
    assert.equal(check({ ...message, path: message.path.replace('a=1', 'a=2') })?.refused, 'AUTHENTICATION_FAILED');
  });

  it('is refused for an unknown App Key like a wrong one', () => {
    const message = signed(url('a=1'));
    assert.deepEqual(check({ ...message, path: message.path.replace('appKey=k', 'appKey=x') }), {
      refused: 'AUTHENTICATION_FAILED',
      detail: 'the signature does not fit the parameters',
    });
  });

  it('reports which secret was right, also when the text is large', () => {
    for (const size of [10, 200_000]) {
      for (const parameterEncoding of ['decoded', 'auto', 'raw'] as const) {
        const message = signed(form(`a=${'x+'.repeat(size)}`), null, { parameterEncoding });
        const credentials = parseParameterCredentials(parsed(message, { parameterEncoding }), defaultOptions);
        assert.ok(!isRefusal(credentials));
        assert.deepEqual(runAtOnce(verifyParameterSignature(credentials, [secret])), { keyIndex: 0 });
        assert.deepEqual(runAtOnce(verifyParameterSignature(credentials, [secret, former])), { keyIndex: 0 });
        assert.deepEqual(runAtOnce(verifyParameterSignature(credentials, [former, secret])), { keyIndex: 1 });
        for (const secrets of [[], [former], [former, former]]) {
          const refusal = runAtOnce(verifyParameterSignature(credentials, secrets));
          assert.ok(isRefusal(refusal) && refusal.refused === 'AUTHENTICATION_FAILED');
        }
      }
    }
  });

  it('is a hash over text and secret, at any size of the text', () => {
    for (const size of [0, 1, 65_512, 65_513, 65_514, 65_536, 65_537]) {
      const text = Buffer.alloc(size, 'text');
      const right = createHash('sha512').update(text).update(secret.reveal()).digest('hex');
      assert.equal(signatureOf([whole(text)], secret), right, String(size));
    }
  });

  it('covers a form of 10 485 760 bytes and a wrapper of 2 097 152', () => {
    const large = signed(form(`a=${'x'.repeat(10_485_760 - 2 - 9 - 134)}`));
    assert.equal(large.body.length, 10_485_760);
    assert.equal(check(large), null);
    const wrapper = signed({ ...form('x'.repeat(2_097_152 - 162)), headers: JSON_TYPE });
    assert.equal(wrapper.body.length, 2_097_152);
    assert.equal(check(wrapper), null);
    assert.equal(
      check({ ...wrapper, body: Buffer.concat([wrapper.body, Buffer.from(' ')]) })?.refused,
      'BODY_TOO_LARGE',
    );
  });

  it('is not asked for beside a body that is forwarded unsigned', () => {
    const message = {
      ...url('a=1'),
      headers: [['content-type', 'text/plain']] as const,
      body: Buffer.from('anything'),
    };
    const options = { unsignedBody: 'forward' } as const;
    assert.equal(check(signed(message, null, options), options), null);
    assert.equal(check(message)?.refused, 'BODY_NOT_VERIFIABLE');
  });
});
