import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { encodeHttp1, http1, Http1Connection } from '../../support/http/http1-client.ts';
import { http2 } from '../../support/http/http2-client.ts';
import { type Fields, fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const maxBodyBytes = 10_485_760;

/** A signed request before it is put on the wire, its headers in lower case. */
interface SignedBody {
  readonly method: string;
  readonly target: string;
  readonly headers: Fields;
  readonly body: Buffer;
}

function signedBody(body: Buffer): SignedBody {
  const { headers } = signedByHmac({ method: 'POST', body });
  return {
    method: 'POST',
    target: '/hmac',
    headers: headers.map(([name, value]) => [name.toLowerCase(), value] as const),
    body,
  };
}

function pieces(body: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

/** Every way to put a body on the wire; the `Date` of the request stands with the rest of its headers. */
const framings: Readonly<Record<string, (port: number, request: SignedBody) => Promise<HttpAnswer>>> = {
  'HTTP/1.1 with length': (port, request) => http1(port, request),
  'HTTP/1.1 in one chunk': (port, { body, ...request }) => http1(port, { ...request, chunks: [body] }),
  'HTTP/1.1 in many chunks': (port, { body, ...request }) => http1(port, { ...request, chunks: pieces(body, 3) }),
  'HTTP/1.1 in chunks, with trailers': (port, { body, ...request }) =>
    http1(port, { ...request, chunks: pieces(body, 5), trailers: [['X-End', '1']] }),
  'HTTP/2 in one frame': (port, { body, ...request }) => http2(port, { ...request, frames: [body] }),
  'HTTP/2 in one frame, without length': (port, { body, ...request }) =>
    http2(port, { ...request, frames: [body], contentLength: false }),
  'HTTP/2 in many frames': (port, { body, ...request }) => http2(port, { ...request, frames: pieces(body, 3) }),
  'HTTP/2 in many frames, ended by an empty one': (port, { body, ...request }) =>
    http2(port, { ...request, frames: pieces(body, 3), contentLength: false, end: 'empty-frame' }),
  'HTTP/2 with trailers': (port, { body, ...request }) =>
    http2(port, { ...request, frames: pieces(body, 7), contentLength: false, trailers: [['x-end', '1']] }),
};

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a body signed by hmac', () => {
  const stack = useSignedStack('hmac', [{ id: 'hmac', authentication: 'hmac' }], 'shared');
  const port = (): number => stack.running().envoy.port;

  for (const [framing, post] of Object.entries(framings)) {
    it(`is verified and forwarded byte for byte: ${framing}`, async () => {
      const body = randomBytes(100);
      const forwarded = stack.assertAllowed(await post(port(), signedBody(body)));
      assert.deepEqual(forwarded.body, body);
      assert.equal(fieldValue(forwarded.headers, 'content-length'), '100');
    });

    it(`is refused when one byte of it was changed: ${framing}`, async () => {
      const body = randomBytes(100);
      const request = signedBody(Buffer.from(body));
      body.writeUInt8(body.readUInt8(99) ^ 1, 99);
      stack.assertRefused(await post(port(), { ...request, body }), 'DIGEST_MISMATCH');
    });

    it(`is refused when it was cut, or made longer: ${framing}`, async () => {
      const request = signedBody(randomBytes(100));
      for (const body of [request.body.subarray(0, 99), Buffer.concat([request.body, Buffer.from('\0')])]) {
        stack.assertRefused(await post(port(), { ...request, body }), 'DIGEST_MISMATCH');
      }
    });
  }

  const wholeSizes: Readonly<Record<string, (port: number, request: SignedBody) => Promise<HttpAnswer>>> = {
    'HTTP/1.1 with length': (at, request) => http1(at, request),
    'HTTP/2 in many frames': (at, { body, ...request }) =>
      http2(at, { ...request, frames: pieces(body, 1_048_576), contentLength: false }),
  };
  for (const [framing, post] of Object.entries(wholeSizes)) {
    it(`may have 10 485 760 bytes: ${framing}`, async () => {
      const body = randomBytes(maxBodyBytes);
      const forwarded = stack.assertAllowed(await post(port(), signedBody(body)));
      assert.equal(hash(forwarded.body), hash(body));
    });

    it(`may not have one byte more, which Postern itself refuses: ${framing}`, async () => {
      const answer = await post(port(), signedBody(Buffer.alloc(maxBodyBytes + 1)));
      stack.assertRefused(answer, 'BODY_TOO_LARGE');
      const { details, endpoint, code } = await stack.logged(answer);
      assert.match(String(details), /^ext_authz_denied/);
      assert.deepEqual([endpoint, code], ['hmac', 'BODY_TOO_LARGE']);
    });
  }

  it('is asked for when it waits for 100-continue, and then verified', async () => {
    const { headers, body, ...request } = signedBody(Buffer.from('only after 100'));
    const bytes = encodeHttp1({ ...request, headers: [...headers, ['Expect', '100-continue']], body });
    for (const [last, status] of [
      [bytes.subarray(-body.length), 200],
      [Buffer.from('never after 10'), 401],
    ] as const) {
      await using connection = await Http1Connection.open(port());
      connection.write(bytes.subarray(0, -body.length));
      assert.equal(await connection.interim(), 100);
      connection.write(last);
      assert.equal((await connection.answer('POST')).status, status);
    }
    assert.deepEqual(
      stack.running().backend.requests.map((forwarded) => forwarded.body.toString()),
      ['only after 100'],
    );
  });

  it('is verified on each request of a connection', async () => {
    await using connection = await Http1Connection.open(port());
    for (const [sent, status] of [
      ['first', 200],
      ['other', 401],
      ['third', 200],
    ] as const) {
      const { body, ...request } = signedBody(Buffer.from(sent === 'other' ? 'right' : sent));
      connection.write(encodeHttp1({ ...request, body: sent === 'other' ? sent : body }));
      assert.equal((await connection.answer('POST')).status, status);
    }
  });
});
