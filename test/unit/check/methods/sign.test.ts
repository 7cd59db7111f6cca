import assert from 'node:assert/strict';

import { Secret } from '../../../../src/model/secret.ts';
import { isRefusal } from '../../../../src/check/refusal.ts';
import { type ClientRequest } from '../../../../src/check/signing/client-request.ts';
import { signHmac } from '../../../../src/check/methods/hmac/sign.ts';
import { type ParameterSigning, signParameters } from '../../../../src/check/methods/parameter-signature/sign.ts';
import { readVectors } from '../../../support/signing/signature-vectors.ts';
import { defaultOptions, emptyMessage } from '../../../support/signing/signed-message.ts';

const { hmac, parameter, clock } = readVectors('published');

function request(message: Partial<ClientRequest>): ClientRequest {
  const { method, path, authority, headers, body } = { ...emptyMessage, ...message };
  return { method, path, authority, headers, body };
}

describe('signing by hmac', () => {
  const signing = {
    appKey: hmac.appKey,
    secret: Secret.fromText(hmac.appSecret),
    algorithm: 'hmac-sha256',
    alsoSigned: [],
    nowSeconds: clock.hmac_epoch,
  } as const;

  it('gives the headers of the published vectors', () => {
    assert.deepEqual(signHmac(request({ path: '/requests?name=bob' }), signing), {
      ...request({ path: '/requests?name=bob' }),
      headers: [
        ['Date', 'Thu, 22 Jun 2017 21:12:36 GMT'],
        [
          'Authorization',
          'hmac appkey="wsK8t77fvAAs3i7878NSkC0j95ib3oVu", algorithm="hmac-sha256", headers="date request-line", signature="e1CAf/cBid4uFMagtNJotaVAVuM6j9T9t5OGhBB5qbg="',
        ],
      ],
    });
  });

  it('adds a signed Digest for a body, in place of what is there', () => {
    const body = Buffer.from('{"name": "bob"}');
    const headers = [
      ['date', 'never'],
      ['DIGEST', 'x'],
      ['authorization', 'Basic x'],
      ['Accept', '*/*'],
    ] as const;
    const signed = signHmac(request({ method: 'POST', path: '/requests', body, headers }), signing);
    assert.ok(!isRefusal(signed));
    assert.deepEqual(
      signed.headers.map(([name]) => name),
      ['Accept', 'Date', 'Digest', 'Authorization'],
    );
    assert.match(
      signed.headers[3]?.[1] ?? '',
      /headers="date request-line digest", signature="5m6EV0YZazzaSfrb4SDaFmufwjaLa9IwcJ8UEwjB2bk="$/,
    );
  });

  it('refuses what the gateway would refuse', () => {
    const details = [
      signHmac(request({}), { ...signing, alsoSigned: ['x-absent'] }),
      signHmac(request({}), { ...signing, alsoSigned: ['x-request-id'] }),
      signHmac(request({ path: '/a b' }), signing),
      signHmac(request({}), { ...signing, appKey: 'a"b' }),
    ].map((result) => (isRefusal(result) ? result.detail : null));
    assert.deepEqual(details, [
      'the request has no header x-absent, which is listed as signed',
      'the header x-request-id cannot be signed',
      'the method or the path holds bytes that cannot stand in a request line',
      'the Authorization header has no comma after appkey',
    ]);
  });
});

describe('signing of parameters', () => {
  const signing: ParameterSigning = {
    appKey: parameter.appKey,
    secret: Secret.fromText(parameter.appSecret),
    timestampSeconds: null,
    options: defaultOptions,
  };
  const signOf = (id: string): string => parameter.cases.find((vector) => vector.id === id)?.sign ?? '';
  const document = '{"userName":"abc","gender":"male"}';

  it('adds to the query what the published vectors hold', () => {
    const plain = signParameters(request({ path: '/p?name=dadu&abc=123' }), signing);
    assert.ok(!isRefusal(plain));
    assert.equal(plain.path, `/p?name=dadu&abc=123&appKey=foobar&sign=${signOf('P1-doc')}`);
    const timed = signParameters(request({ path: '/p?name=dadu&abc=123' }), {
      ...signing,
      timestampSeconds: clock.param_epoch,
    });
    assert.ok(!isRefusal(timed));
    assert.equal(timed.path, `/p?name=dadu&abc=123&appKey=foobar&apiTimestamp=1581565619&sign=${signOf('P2-doc-ts')}`);
  });

  it('adds to a form body', () => {
    const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
    const signed = signParameters(request({ method: 'POST', headers, body: Buffer.from('q=a+b') }), signing);
    assert.ok(!isRefusal(signed));
    assert.equal(signed.body.toString(), `q=a+b&appKey=foobar&sign=${signOf('P7-space-decoded')}`);
  });

  it('wraps a JSON body', () => {
    const headers = [['Content-Type', 'application/json']] as const;
    const signed = signParameters(request({ method: 'POST', headers, body: Buffer.from(document) }), {
      ...signing,
      timestampSeconds: clock.param_epoch,
    });
    assert.ok(!isRefusal(signed));
    assert.deepEqual(JSON.parse(signed.body.toString()), {
      data: document,
      appKey: 'foobar',
      sign: signOf('P5-json-ts'),
      apiTimestamp: clock.param_epoch,
    });
  });

  it('refuses what the gateway would refuse', () => {
    const headers = [['Content-Type', 'application/json']] as const;
    const refused = [
      signParameters(request({ path: '/p?b=1%26c%3D2' }), signing),
      signParameters(request({ path: '/p?appKey=x' }), signing),
      signParameters(request({ path: '/p?sign=x' }), signing),
      signParameters(request({ path: '/p?%' }), signing),
      signParameters(request({ headers, body: Buffer.from([0xff]) }), signing),
      signParameters(request({ headers, body: Buffer.alloc(2_097_152, 'x') }), signing),
      signParameters(request({ headers, path: '/p?a=1', body: Buffer.from('{}') }), signing),
      signParameters(request({ body: Buffer.from('x') }), signing),
    ].map((result) => (isRefusal(result) ? result.refused : null));
    assert.deepEqual(refused, [
      'AMBIGUOUS_PARAMETERS',
      'CREDENTIALS_MALFORMED',
      'CREDENTIALS_MALFORMED',
      'MALFORMED_REQUEST',
      'MALFORMED_WRAPPER',
      'BODY_TOO_LARGE',
      'MALFORMED_REQUEST',
      'BODY_NOT_VERIFIABLE',
    ]);
  });
});
