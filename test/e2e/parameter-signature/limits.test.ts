import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { http1 } from '../../support/http/http1-client.ts';
import { http2 } from '../../support/http/http2-client.ts';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import {
  FORM_TYPE,
  formRequest,
  JSON_TYPE,
  jsonRequest,
  withSign,
  wrapperOf,
} from '../../support/partner/parameters.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const maxFormBytes = 10_485_760;
const formHeaders = [['content-type', FORM_TYPE[1]]] as const;
const K = `appKey=${acme.appKey}`;

function pieces(body: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

/** Every way to put a form on the wire. */
const framings: Readonly<Record<string, (port: number, body: Buffer) => Promise<HttpAnswer>>> = {
  'HTTP/1.1 with length': (port, body) => http1(port, { ...posted, body }),
  'HTTP/1.1 in many chunks': (port, body) => http1(port, { ...posted, chunks: pieces(body, 10) }),
  'HTTP/2 in one frame': (port, body) => http2(port, { ...posted, frames: [body] }),
  'HTTP/2 in many frames': (port, body) =>
    http2(port, { ...posted, frames: pieces(body, 10), contentLength: false, end: 'empty-frame' }),
  'HTTP/2 with trailers': (port, body) =>
    http2(port, { ...posted, frames: pieces(body, 10), contentLength: false, trailers: [['x-end', '1']] }),
};
const posted = { method: 'POST', target: '/signed', headers: formHeaders } as const;

/** So many parameters, `appKey` and `sign` counted. */
function parametersOf(count: number): string {
  return withSign([K, ...Array.from({ length: count - 2 }, (_, index) => `p${String(index)}=1`)].join('&'));
}

/** A signed form of so many bytes. */
function formOf(bytes: number): Buffer {
  const room = bytes - withSign(`${K}&q=`).length;
  return Buffer.from(
    withSign(
      `${K}&q=${randomBytes(Math.ceil(room / 2))
        .toString('hex')
        .slice(0, room)}`,
    ),
  );
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('the size and kind of what parameters are signed in', () => {
  const stack = useSignedStack(
    'parameter-signature',
    [
      { id: 'signed', authentication: 'parameter-signature' },
      {
        id: 'lax',
        authentication: 'parameter-signature',
        options: { unsignedBody: 'forward', unsignedQuery: 'forward' },
      },
    ],
    'shared',
  );
  const port = (): number => stack.running().envoy.port;

  for (const [framing, post] of Object.entries(framings)) {
    it(`a form is verified and forwarded byte for byte: ${framing}`, async () => {
      const body = Buffer.from(withSign(`b=%41+c&${K}&a=&&b=2`, `a=&${K}&b=A c&b=2`));
      const forwarded = stack.assertAllowed(await post(port(), body));
      assert.deepEqual(forwarded.body, body);
      assert.equal(fieldValue(forwarded.headers, 'content-length'), String(body.length));
    });

    it(`a form is refused when it was changed: ${framing}`, async () => {
      const body = Buffer.from(withSign(`a=1&${K}`).replace('a=1', 'a=2'));
      stack.assertRefused(await post(port(), body), 'AUTHENTICATION_FAILED');
    });
  }

  const large: Readonly<Record<string, (port: number, body: Buffer) => Promise<HttpAnswer>>> = {
    'HTTP/1.1': (at, body) => http1(at, { ...posted, body }),
    'HTTP/2': (at, body) => http2(at, { ...posted, frames: pieces(body, 1_048_576), contentLength: false }),
  };
  for (const [protocol, post] of Object.entries(large)) {
    it(`a form may have 10 485 760 bytes, over ${protocol}`, async () => {
      const body = formOf(maxFormBytes);
      const forwarded = stack.assertAllowed(await post(port(), body));
      assert.deepEqual([body.length, hash(forwarded.body)], [maxFormBytes, hash(body)]);
    });

    it(`a form may not have one byte more, which Postern itself refuses, over ${protocol}`, async () => {
      const answer = await post(port(), formOf(maxFormBytes + 1));
      stack.assertRefused(answer, 'BODY_TOO_LARGE');
      assert.match(String((await stack.logged(answer))['details']), /^ext_authz_denied/);
    });
  }

  for (const protocol of protocols) {
    it(`a URL or form may have 100 parameters, over ${protocol}`, async () => {
      const parameters = parametersOf(100);
      stack.assertAllowed(await stack.send(protocol, { target: `/signed?${parameters}` }));
      stack.running().backend.reset();
      stack.assertAllowed(await stack.send(protocol, formRequest('/signed', parameters)));
    });

    it(`a URL or form may not have 101, and none is left out, over ${protocol}`, async () => {
      const parameters = parametersOf(101);
      const inUrl = await stack.send(protocol, { target: `/signed?${parameters}` });
      stack.assertRefused(inUrl, 'TOO_MANY_PARAMETERS');
      const inForm = await stack.send(protocol, formRequest('/signed', parameters));
      stack.assertRefused(inForm, 'TOO_MANY_PARAMETERS');
      // What a reader that stops at 100 would take for signed.
      const smuggled = `${parametersOf(100)}&smuggled=1`;
      stack.assertRefused(await stack.send(protocol, formRequest('/signed', smuggled)), 'TOO_MANY_PARAMETERS');
    });

    const form = withSign(`a=1&${K}`);
    const wrapper = wrapperOf('{}');
    const unverifiable: Readonly<Record<string, Parameters<typeof formRequest>>> = {
      'a compressed form': ['/signed', gzipSync(form), [FORM_TYPE, ['Content-Encoding', 'gzip']]],
      'a compressed wrapper': ['/signed', gzipSync(wrapper), [JSON_TYPE, ['Content-Encoding', 'gzip']]],
      'a form that only says that it is compressed': ['/signed', form, [FORM_TYPE, ['Content-Encoding', 'br']]],
      'a wrapper in two encodings': ['/signed', wrapper, [JSON_TYPE, ['Content-Encoding', 'identity, gzip']]],
      'a form in another charset': ['/signed', form, [['Content-Type', `${FORM_TYPE[1]}; charset=iso-8859-1`]]],
      'a wrapper in another charset': ['/signed', wrapper, [['Content-Type', 'application/json; charset=utf-16']]],
      'plain text': ['/signed', form, [['Content-Type', 'text/plain']]],
      'a multipart form': ['/signed', form, [['Content-Type', 'multipart/form-data; boundary=x']]],
      'JSON of another type': ['/signed', wrapper, [['Content-Type', 'application/vnd.api+json']]],
      'no type': ['/signed', form, []],
      'two types in one': ['/signed', form, [['Content-Type', `${FORM_TYPE[1]}, application/json`]]],
      'two types in one, where other bodies are forwarded': [
        `/lax?${form}`,
        'x',
        [['Content-Type', 'text/plain, application/json']],
      ],
      'a signed URL with a body of another type': [`/signed?${form}`, 'x', [['Content-Type', 'text/plain']]],
    };
    for (const [kind, request] of Object.entries(unverifiable)) {
      it(`is refused because nothing can verify it: ${kind}, over ${protocol}`, async () => {
        stack.assertRefused(await stack.send(protocol, formRequest(...request)), 'BODY_NOT_VERIFIABLE');
      });
    }

    it(`the identity encoding is none, over ${protocol}`, async () => {
      const headers = [JSON_TYPE, ['Content-Encoding', 'Identity']] as const;
      const forwarded = stack.assertAllowed(await stack.send(protocol, jsonRequest('/signed', wrapper, headers)));
      assert.equal(forwarded.body.toString(), '{}');
    });

    it(`a body of another type is forwarded as it is where the endpoint says so, over ${protocol}`, async () => {
      const body = gzipSync('anything');
      const headers = [
        ['Content-Type', 'application/octet-stream'],
        ['Content-Encoding', 'gzip'],
      ] as const;
      const forwarded = stack.assertAllowed(await stack.send(protocol, formRequest(`/lax?${form}`, body, headers)));
      assert.deepEqual(forwarded.body, body);
      const unsigned = await stack.send(protocol, formRequest(`/lax?a=2&${form.slice(4)}`, body, headers));
      assert.equal(unsigned.status, 401);
    });

    it(`a query that nothing signs is forwarded as it is where the endpoint says so, over ${protocol}`, async () => {
      const target = '/lax?x=%zz&&sign=1&appKey=other';
      const inForm = stack.assertAllowed(await stack.send(protocol, formRequest(target, form)));
      assert.deepEqual([inForm.target, inForm.body.toString()], [target, form]);
      stack.running().backend.reset();
      const inJson = stack.assertAllowed(await stack.send(protocol, jsonRequest(target, wrapper)));
      assert.deepEqual([inJson.target, inJson.body.toString()], [target, '{}']);
    });

    it(`a query that nothing signs is refused otherwise, over ${protocol}`, async () => {
      for (const query of ['x=1', `${K}&x=1`, 'appKey=other', `${K}&${K}`, 'sign=1', '%zz']) {
        stack.assertRefused(await stack.send(protocol, formRequest(`/signed?${query}`, form)), 'MALFORMED_REQUEST');
        stack.assertRefused(await stack.send(protocol, jsonRequest(`/signed?${query}`, wrapper)), 'MALFORMED_REQUEST');
      }
    });
  }
});
