import assert from 'node:assert/strict';

import { Secret } from '../../../../../src/model/secret.ts';
import { isRefusal, type Refusal } from '../../../../../src/check/refusal.ts';
import { digestOf } from '../../../../../src/check/methods/hmac/digest.ts';
import { MAX_HMAC_BODY_BYTES, parseHmac, verifyHmac } from '../../../../../src/check/methods/hmac/signature.ts';
import { signableVersions } from '../../../../../src/check/methods/hmac/string-to-sign.ts';
import { type HmacSigning, signHmac } from '../../../../../src/check/methods/hmac/sign.ts';
import { checkHmacMessage } from '../../../../support/signing/signature-outcome.ts';
import {
  type CheckOptions,
  defaultOptions,
  emptyMessage,
  type SignedMessage,
  toSignable,
} from '../../../../support/signing/signed-message.ts';

const NOW = 1_709_210_096;
const secret = Secret.fromText('a-secret-of-the-partner');
const keys = new Map([['k', [secret]]]);
const signing: HmacSigning = { appKey: 'k', secret, algorithm: 'hmac-sha256', alsoSigned: [], nowSeconds: NOW };

function signed(message: Partial<SignedMessage> = {}, more: Partial<HmacSigning> = {}): SignedMessage {
  const request = signHmac({ ...emptyMessage, ...message }, { ...signing, ...more });
  assert.ok(!isRefusal(request), JSON.stringify(request));
  return { ...emptyMessage, ...message, ...request };
}

function check(message: SignedMessage, options: Partial<CheckOptions> = {}): Refusal | null {
  return checkHmacMessage(message, { ...defaultOptions, ...options }, keys, NOW);
}

function with_(message: SignedMessage, ...headers: readonly (readonly [string, string])[]): SignedMessage {
  return { ...message, headers: [...message.headers, ...headers] };
}

function without(message: SignedMessage, name: string): SignedMessage {
  return { ...message, headers: message.headers.filter(([header]) => header.toLowerCase() !== name) };
}

describe('hmac request', () => {
  const post = { method: 'POST', path: '/orders?a=%2F', body: Buffer.from('{}') };

  it('is accepted when its signature, time and digest are right', () => {
    assert.equal(check(signed()), null);
    assert.equal(check(signed(post)), null);
    assert.equal(check(signed(post, { alsoSigned: ['host'] })), null);
  });

  it('may have a body of 10 485 760 bytes and no more', () => {
    const body = Buffer.alloc(MAX_HMAC_BODY_BYTES, 'x');
    assert.equal(MAX_HMAC_BODY_BYTES, 10 * 1024 * 1024);
    assert.equal(check(signed({ ...post, body })), null);
    assert.deepEqual(check({ ...signed(post), body: Buffer.alloc(MAX_HMAC_BODY_BYTES + 1) }), {
      refused: 'BODY_TOO_LARGE',
      detail: 'the body has more than 10485760 bytes',
    });
  });

  it('is refused for its size before anything else', () => {
    const message = { ...emptyMessage, path: '/ ', body: Buffer.alloc(MAX_HMAC_BODY_BYTES + 1) };
    assert.equal(check(message)?.refused, 'BODY_TOO_LARGE');
  });

  for (const [what, message, refused, detail] of [
    [
      'no Authorization',
      without(signed(), 'authorization'),
      'CREDENTIALS_MISSING',
      'the request has no Authorization header',
    ],
    [
      'two Authorization headers',
      with_(signed(), ['authorization', 'Basic x']),
      'CREDENTIALS_MALFORMED',
      'the request has more than one Authorization header',
    ],
    [
      'no Date',
      without(signed(), 'date'),
      'CREDENTIALS_MALFORMED',
      'the request has no header date, which is listed as signed',
    ],
    [
      'two Date headers',
      with_(signed(), ['date', 'Thu, 29 Feb 2024 12:34:56 GMT']),
      'CREDENTIALS_MALFORMED',
      'the request does not have one Date header',
    ],
    [
      'a Date in another form',
      with_(without(signed(), 'date'), ['date', '2024-02-29T12:34:56Z']),
      'CREDENTIALS_MALFORMED',
      'the Date header is not an IMF-fixdate such as Thu, 22 Jun 2017 21:12:36 GMT',
    ],
    [
      'two Digest headers',
      with_(signed(post), ['digest', digestOf(post.body)]),
      'CREDENTIALS_MALFORMED',
      'the request has more than one Digest header',
    ],
    [
      'two Digest headers without a body',
      with_(signed(), ['digest', digestOf(Buffer.alloc(0))], ['digest', digestOf(Buffer.alloc(0))]),
      'CREDENTIALS_MALFORMED',
      'the request has more than one Digest header',
    ],
    [
      'a body but no Digest',
      { ...signed(), body: post.body },
      'CREDENTIALS_MALFORMED',
      'the request has a body but no Digest header',
    ],
    [
      'a body whose Digest is not signed',
      with_({ ...signed(), body: post.body }, ['digest', digestOf(post.body)]),
      'CREDENTIALS_MALFORMED',
      'the request has a body but its Digest is not signed',
    ],
    [
      'no authority although host is signed',
      { ...signed({}, { alsoSigned: ['host'] }), authority: '' },
      'CREDENTIALS_MALFORMED',
      'the request has no header host, which is listed as signed',
    ],
    [
      'an algorithm that the endpoint does not take',
      signed({}, { algorithm: 'hmac-sha512' }),
      'CREDENTIALS_MALFORMED',
      'the algorithm hmac-sha512 is not allowed on this endpoint',
    ],
    [
      'a method that is no token',
      { ...signed(), method: 'GET /' },
      'MALFORMED_REQUEST',
      'the method or the path holds bytes that cannot stand in a request line',
    ],
    [
      'a path with a blank',
      { ...signed(), path: '/a HTTP/1.1' },
      'MALFORMED_REQUEST',
      'the method or the path holds bytes that cannot stand in a request line',
    ],
    [
      'a path beyond ASCII',
      { ...signed(), path: '/\xe9' },
      'MALFORMED_REQUEST',
      'the method or the path holds bytes that cannot stand in a request line',
    ],
    [
      'a line feed in a signed header',
      with_(without(signed({ headers: [['x-a', '1']] }, { alsoSigned: ['x-a'] }), 'x-a'), ['x-a', '1\nx-b: 2']),
      'MALFORMED_REQUEST',
      'the header x-a has a line break',
    ],
    [
      'another path',
      { ...signed(), path: '/other' },
      'AUTHENTICATION_FAILED',
      'the signature does not fit the request',
    ],
    [
      'another body of the same length',
      { ...signed(post), body: Buffer.from('[]') },
      'DIGEST_MISMATCH',
      'the Digest header is not SHA-256= and the hash of the 2 bytes received',
    ],
  ] as const) {
    it(`is refused with ${what}`, () => {
      assert.deepEqual(check(message), { refused, detail });
    });
  }

  it('gets no refusal of its time or digest before the signature was right', () => {
    const message = { ...signed({ ...post }, { nowSeconds: NOW - 1000 }), body: Buffer.from('[]') };
    assert.equal(check(message)?.refused, 'REQUEST_EXPIRED');
    assert.equal(check({ ...message, path: '/other' })?.refused, 'AUTHENTICATION_FAILED');
    assert.equal(check({ ...signed(post), path: '/other', body: Buffer.from('[]') })?.refused, 'AUTHENTICATION_FAILED');
  });

  it('never prints what the caller sent as algorithm', () => {
    const message = signed();
    const headers = message.headers.map(([name, value]) => [name, value.replace('hmac-sha256', 'evil')] as const);
    assert.equal(check({ ...message, headers })?.detail, 'the algorithm is unknown');
  });

  it('is signed over values that are joined by a comma and a blank', () => {
    const message = signed(
      {
        headers: [
          ['X-Tag', 'one'],
          ['x-tag', 'two'],
        ],
      },
      { alsoSigned: ['x-tag'] },
    );
    assert.equal(check(message), null);
    assert.equal(check(with_(without(message, 'x-tag'), ['x-tag', 'one, two'])), null);
    assert.equal(check(with_(without(message, 'x-tag'), ['x-tag', 'one,two']))?.refused, 'AUTHENTICATION_FAILED');
    assert.equal(check(with_(message, ['x-tag', 'three']))?.refused, 'AUTHENTICATION_FAILED');
  });

  it('is signed over bytes, not over repaired text', () => {
    const message = signed({ headers: [['x-name', '\xff\xfe']] }, { alsoSigned: ['x-name'] });
    assert.equal(check(message), null);
    assert.equal(check(with_(without(message, 'x-name'), ['x-name', '\xff\xfd']))?.refused, 'AUTHENTICATION_FAILED');
  });

  it('has a lone digest of an empty body that is right, whether it is signed or not', () => {
    const message = with_(signed(), ['digest', digestOf(Buffer.alloc(0))]);
    assert.equal(check(message), null);
    assert.equal(check(with_(signed(), ['digest', digestOf(post.body)]))?.refused, 'DIGEST_MISMATCH');
  });
});

describe('hmac request whose headers came in the map form', () => {
  const lossy = { hasRawHeaders: false };

  it('is accepted when nothing that counts has a "!"', () => {
    assert.equal(check(signed({ ...lossy, headers: [['x-a', 'wow!']] })), null);
    assert.equal(check(signed({ ...lossy, headers: [['x-a', '1']] }, { alsoSigned: ['x-a'] })), null);
  });

  it('is refused with a "!" in the path, before its credentials are looked at', () => {
    const expected = {
      refused: 'MALFORMED_REQUEST',
      detail: 'the path has a "!", which may stand for a byte that Envoy could not show',
    };
    assert.deepEqual(check({ ...signed({ path: '/wow!' }), ...lossy }), expected);
    assert.deepEqual(check({ ...emptyMessage, ...lossy, path: '/wow!' }), expected);
  });

  it('is refused with a "!" in a signed header, before other faults of its credentials', () => {
    const message = signed({ headers: [['x-a', 'wow!']] }, { alsoSigned: ['x-a'] });
    const expected = {
      refused: 'MALFORMED_REQUEST',
      detail: 'the signed header x-a has a "!", which may stand for a byte that Envoy could not show',
    };
    assert.deepEqual(check({ ...message, ...lossy }), expected);
    assert.deepEqual(check({ ...without(message, 'date'), ...lossy }), expected);
    assert.equal(check(message), null);
  });
});

describe('hmac verification', () => {
  const former = Secret.fromText('the-former-secret-of-it');
  const credentials = parseHmac(toSignable(signed()), defaultOptions);
  assert.ok(!isRefusal(credentials));

  it('reports which secret was right', () => {
    assert.deepEqual(verifyHmac(credentials, [secret]), { keyIndex: 0 });
    assert.deepEqual(verifyHmac(credentials, [former, secret]), { keyIndex: 1 });
  });

  it('refuses with every other secret, and with none', () => {
    const refusal = { refused: 'AUTHENTICATION_FAILED', detail: 'the signature does not fit the request' };
    assert.deepEqual(verifyHmac(credentials, [former]), refusal);
    assert.deepEqual(verifyHmac(credentials, []), refusal);
  });

  it('refuses a signature of another length', () => {
    for (const mac of [
      Buffer.alloc(0),
      credentials.mac.subarray(1),
      Buffer.concat([credentials.mac, Buffer.alloc(1)]),
    ]) {
      const verified = verifyHmac({ ...credentials, mac }, [secret]);
      assert.ok(isRefusal(verified) && verified.refused === 'AUTHENTICATION_FAILED');
    }
  });

  it('gives the string to sign that hints show, without any secret', () => {
    assert.deepEqual(credentials.texts, ['date: Thu, 29 Feb 2024 12:34:56 GMT\nGET / HTTP/1.1']);
  });
});

describe('version in the request line', () => {
  for (const [protocol, isReal, versions] of [
    ['HTTP/1.1', false, ['HTTP/1.1']],
    ['HTTP/2', false, ['HTTP/1.1']],
    ['HTTP/1.1', true, ['HTTP/1.1']],
    ['HTTP/2', true, ['HTTP/1.1', 'HTTP/2', 'HTTP/2.0']],
    ['HTTP/3', true, ['HTTP/1.1', 'HTTP/3', 'HTTP/3.0']],
    ['HTTP/1.0', true, ['HTTP/1.1', 'HTTP/1.0']],
    ['', true, ['HTTP/1.1']],
    ['HTTP/2\nx: y', true, ['HTTP/1.1']],
  ] as const) {
    it(`of ${JSON.stringify(protocol)}, ${isReal ? 'real too' : 'always 1.1'}`, () => {
      assert.deepEqual(signableVersions(protocol, isReal), versions);
    });
  }
});
