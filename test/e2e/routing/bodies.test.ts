import assert from 'node:assert/strict';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import { createHash, randomBytes } from 'node:crypto';
import { filterSettings, type JsonObject, objectAt, removeFilter, routes } from '../../support/envoy/envoy-config.ts';
import { protocols } from '../../support/http/http-client.ts';
import { encodeHttp1, http1, Http1Connection } from '../../support/http/http1-client.ts';
import { http2 } from '../../support/http/http2-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { assertRefused } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - { id: public, scenario: open, match: { paths: [{ prefix: /public }] } }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

const target = '/orders?appKey=key-of-acme';
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const large = randomBytes(10 * 1024 * 1024);
const half = large.length / 2;
const gzip = Buffer.from('1f8b08000000000000034b4c4a0600c241243503000000', 'hex');

/** Ways to send the large body. */
const framings: Readonly<Record<string, (port: number) => Promise<HttpAnswer>>> = {
  'HTTP/1.1 with length': (port) => http1(port, { method: 'POST', target, body: large }),
  'HTTP/1.1 in chunks': (port) =>
    http1(port, { method: 'POST', target, chunks: [large.subarray(0, half), large.subarray(half)] }),
  'HTTP/2 with length': (port) => http2(port, { method: 'POST', target, frames: [large] }),
  'HTTP/2 without length': (port) =>
    http2(port, {
      method: 'POST',
      target,
      frames: [large.subarray(0, half), large.subarray(half)],
      contentLength: false,
      end: 'empty-frame',
    }),
};

describe('the body of a request', () => {
  const { stack, sendAllowed, sendRefused } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH']) {
      it(`reaches the back end byte for byte with ${method}, over ${protocol}`, async () => {
        for (const path of [target, '/public']) {
          const forwarded = await sendAllowed(protocol, { method, target: path, body: everyByte });
          assert.equal(forwarded.method, method);
          assert.deepEqual(forwarded.body, everyByte);
          assert.equal(fieldValue(forwarded.headers, 'content-length'), '256');
        }
      });
    }

    it(`may be of any type and encoding on a key endpoint, over ${protocol}`, async () => {
      for (const headers of [
        [['Content-Type', 'application/json']],
        [['Content-Type', 'application/x-www-form-urlencoded']],
        [['Content-Encoding', 'gzip']],
        [['Content-Type', 'text/plain; charset=utf-16, x']],
      ] as const) {
        const forwarded = await sendAllowed(protocol, { method: 'POST', target, headers: [...headers], body: gzip });
        assert.deepEqual(forwarded.body, gzip);
        for (const [name, value] of headers) assert.equal(fieldValue(forwarded.headers, name), value);
      }
    });

    it(`of no bytes stays one, over ${protocol}`, async () => {
      const forwarded = await sendAllowed(protocol, { method: 'POST', target, body: '' });
      assert.equal(forwarded.body.length, 0);
      assert.equal(fieldValue(forwarded.headers, 'content-length'), '0');
    });

    it(`of a refused request goes nowhere, over ${protocol}`, async () => {
      const body = large.subarray(0, 1024 * 1024);
      await sendRefused(protocol, { method: 'POST', target: '/orders', body }, 'CREDENTIALS_MISSING');
      await sendRefused(protocol, { method: 'POST', target: '/other', body }, 'ENDPOINT_NOT_FOUND');
    });
  }

  for (const [framing, sendLarge] of Object.entries(framings)) {
    it(`of 10 MiB reaches the back end byte for byte: ${framing}`, async () => {
      const answer = await sendLarge(stack().envoy.port);
      assert.equal(answer.status, 200, answer.body.toString());
      const forwarded = assertOne(stack().backend.requests);
      assert.equal(digest(forwarded.body), digest(large));
      assert.equal(forwarded.target, '/orders');
    });
  }

  it('that waits for 100-continue is asked for, decided with, and forwarded', async () => {
    await using connection = await Http1Connection.open(stack().envoy.port);
    const headers = [['Expect', '100-continue']] as const;
    for (const [path, check] of [
      [
        target,
        (answer: HttpAnswer) => {
          assert.equal(answer.status, 200);
        },
      ],
      [
        '/orders?appKey=wrong',
        (answer: HttpAnswer) => {
          assertRefused(answer, 'AUTHENTICATION_FAILED');
        },
      ],
      [
        '/public',
        (answer: HttpAnswer) => {
          assert.equal(answer.status, 200);
        },
      ],
    ] as const) {
      const request = encodeHttp1({ method: 'POST', target: path, headers, body: 'whole' });
      connection.write(request.subarray(0, -5));
      assert.equal(await connection.interim(), 100);
      connection.write(request.subarray(-5));
      check(await connection.answer('POST'));
    }
    assert.deepEqual(
      stack().backend.requests.map((request) => [request.target, request.body.toString()]),
      [
        ['/orders', 'whole'],
        ['/public', 'whole'],
      ],
    );
  });

  it('in chunks with trailers reaches the back end whole', async () => {
    const answer = await http1(stack().envoy.port, {
      method: 'PUT',
      target,
      chunks: ['one ', Buffer.from([0, 255, 13, 10]), ' end'],
      trailers: [['X-Consumer-Id', 'root']],
    });
    assert.equal(answer.status, 200);
    const forwarded = assertOne(stack().backend.requests);
    assert.deepEqual(forwarded.body, Buffer.from('one \0\xff\r\n end', 'latin1'));
    assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), 'acme');
    assert.deepEqual(forwarded.trailers, []);
  });

  it('is its own when requests share a connection', async () => {
    await using connection = await Http1Connection.open(stack().envoy.port);
    const requests = Array.from({ length: 20 }, (_, index) => ({
      method: 'POST',
      target: index % 3 === 0 ? '/orders' : `${target}&n=${String(index)}`,
      body: `body ${String(index)}`,
    }));
    connection.write(Buffer.concat(requests.map((request) => encodeHttp1(request))));
    for (const [index] of requests.entries()) {
      const answer = await connection.answer('POST');
      assert.equal(answer.status, index % 3 === 0 ? 401 : 200);
    }
    assert.deepEqual(
      stack().backend.requests.map((request) => `${request.target} ${request.body.toString()}`),
      requests.flatMap(({ body }, index) => (index % 3 === 0 ? [] : [`/orders?n=${String(index)} ${body}`])),
    );
  });
});

/** An Envoy that hands Postern at most 100 bytes of a body, and on one path none at all. */
function cutBodies(config: JsonObject): void {
  removeFilter(config, 'envoy.filters.http.buffer');
  const settings = objectAt(filterSettings(config, 'envoy.filters.http.ext_authz'), 'with_request_body');
  settings['max_request_bytes'] = 100;
  settings['allow_partial_message'] = true;
  routes(config).splice(-1, 0, {
    match: { prefix: '/orders/stream' },
    route: { cluster: 'backend' },
    typed_per_filter_config: {
      'envoy.filters.http.ext_authz': {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute',
        check_settings: { disable_request_body_buffering: true },
      },
    },
  });
}

describe('the body of a request, when Envoy hands on a part of it,', () => {
  const { sendAllowed, sendRefused } = useStack(document, { attachment: envoyYaml, edit: cutBodies });

  for (const protocol of protocols) {
    it(`is refused by Postern on every endpoint, before anything else, over ${protocol}`, async () => {
      const body = Buffer.alloc(101, 'x');
      for (const path of [target, '/orders', '/public', '/other', '/orders/../x']) {
        await sendRefused(protocol, { method: 'POST', target: path, body }, 'BODY_TOO_LARGE');
      }
    });

    it(`passes when it was whole, over ${protocol}`, async () => {
      const body = Buffer.alloc(99, 'x');
      assert.deepEqual((await sendAllowed(protocol, { method: 'POST', target, body })).body, body);
    });

    it(`streams on a route that wants none of it looked at, over ${protocol}`, async () => {
      const path = '/orders/stream?appKey=key-of-acme';
      const body = large.subarray(0, 1024 * 1024);
      const forwarded = await sendAllowed(protocol, { method: 'POST', target: path, body });
      assert.equal(digest(forwarded.body), digest(body));
      assert.equal(forwarded.target, '/orders/stream');
    });
  }
});

function digest(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}
