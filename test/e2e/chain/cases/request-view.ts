import assert from 'node:assert/strict';
import { type Chain, useChain } from '../../../support/stack/chain.ts';
import { allow } from '../../../support/stack/check-answers.ts';
import { checkedFields, checkedRequest } from '../../../support/stack/fake-check-service.ts';
import { encodeHttp1, http1, Http1Connection } from '../../../support/http/http1-client.ts';
import { http2 } from '../../../support/http/http2-client.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValue, fieldValues } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** What the chain shows to Postern and to the back end. */
export function requestViewCases(attachment: Attachment, shared?: Chain): void {
  describe('what the chain shows to Postern and to the back end', () => {
    const chain = shared ?? useChain({ attachment });

    for (const protocol of protocols) {
      describe(`over ${protocol}`, () => {
        const targets = [
          '/%41%7e',
          '/a\\b',
          '/a/%2e%2e/b',
          '/a/../b',
          '/a//b///',
          '/a/..;/b',
          '/a%2Fb%5c%00%zz',
          '/a|b"<>`^{}',
          '/?',
          '/a?b=%26&&c&=d&e=+%20',
        ];
        for (const target of targets) {
          it(`leaves the target ${target} as it is`, async () => {
            const answer = await send(protocol, chain.envoy.port, { target });
            assert.equal(answer.status, 200);
            const check = assertOne(chain.check.checks);
            assert.equal(fieldValue(checkedFields(check), ':path'), target);
            assert.equal(checkedRequest(check).protocol, protocol);
            assert.equal(assertOne(chain.backend.requests).target, target);
          });
        }

        it('forwards the target that Postern set, byte for byte', async () => {
          const target = '/a?b=%2F&&c&d=+%20&e';
          chain.check.answer = () => allow({ headers: [[':path', target]] });
          await send(protocol, chain.envoy.port, { target: '/a?appKey=k&b=%2F&&c&d=+%20&e' });
          assert.equal(assertOne(chain.backend.requests).target, target);
        });

        it('takes the route that was decided on, whatever the new target is', async () => {
          chain.check.answer = () => allow({ headers: [[':path', '/oauth2/token']] });
          await send(protocol, chain.envoy.port, { target: '/orders' });
          assert.equal(assertOne(chain.backend.requests).target, '/oauth2/token');
          assert.equal(chain.posternHttp.requests.length, 0);
        });

        it('keeps repeated header fields apart, in order', async () => {
          await send(protocol, chain.envoy.port, {
            headers: [
              ['x-app-key', 'one'],
              ['x-app-key', 'two'],
            ],
          });
          assert.deepEqual(fieldValues(checkedFields(assertOne(chain.check.checks)), 'x-app-key'), ['one', 'two']);
        });

        it('gives the body to Postern and to the back end byte for byte', async () => {
          const body = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
          await send(protocol, chain.envoy.port, { method: 'POST', body });
          const seen = checkedRequest(assertOne(chain.check.checks));
          assert.deepEqual(Buffer.from(seen.rawBody), body);
          assert.equal(seen.size, body.length);
          assert.equal(fieldValue(checkedFields(assertOne(chain.check.checks)), 'x-envoy-auth-partial-body'), 'false');
          assert.deepEqual(assertOne(chain.backend.requests).body, body);
        });

        it('drops the mark of a cut body that the caller sent', async () => {
          for (const mark of ['true', 'false']) {
            chain.reset();
            await send(protocol, chain.envoy.port, { headers: [['x-envoy-auth-partial-body', mark]] });
            assert.deepEqual(
              fieldValues(checkedFields(assertOne(chain.check.checks)), 'x-envoy-auth-partial-body'),
              [],
            );
            await send(protocol, chain.envoy.port, {
              method: 'POST',
              headers: [['x-envoy-auth-partial-body', mark]],
              body: 'x',
            });
            const [, second] = chain.check.checks;
            assert.ok(second);
            assert.deepEqual(fieldValues(checkedFields(second), 'x-envoy-auth-partial-body'), ['false']);
            for (const forwarded of chain.backend.requests) {
              assert.deepEqual(fieldValues(forwarded.headers, 'x-envoy-auth-partial-body'), []);
            }
          }
        });

        it('gives one request id to Postern, the back end, the caller and the log, and not the one that the caller sent', async () => {
          const own = '11111111-2222-4333-8444-555555555555';
          const answer = await send(protocol, chain.envoy.port, { headers: [['x-request-id', own]] });
          const requestId = fieldValue(answer.headers, 'x-request-id');
          assert.ok(requestId);
          assert.notEqual(requestId, own);
          assert.equal(fieldValue(checkedFields(assertOne(chain.check.checks)), 'x-request-id'), requestId);
          assert.equal(fieldValue(assertOne(chain.backend.requests).headers, 'x-request-id'), requestId);
          assert.equal((await chain.envoy.accessLogEntry(requestId))['status'], 200);
        });

        it('logs the path without its query, and what Postern tells of the request', async () => {
          chain.check.answer = () =>
            allow({ metadata: { endpoint: 'orders', consumer: 'acme', authentication: 'key', code: 'ALLOWED' } });
          const answer = await send(protocol, chain.envoy.port, { target: '/orders?appKey=0123456789' });
          const entry = await chain.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
          const { request, endpoint, consumer, authentication, code } = entry;
          assert.deepEqual(
            { request, endpoint, consumer, authentication, code },
            { request: 'GET /orders', endpoint: 'orders', consumer: 'acme', authentication: 'key', code: 'ALLOWED' },
          );
          assert.doesNotMatch(chain.envoy.output(), /0123456789/);
        });

        it('does not believe the address that a caller claims to have', async () => {
          await send(protocol, chain.envoy.port, {
            headers: [
              ['x-forwarded-for', '203.0.113.9'],
              ['x-envoy-external-address', '203.0.113.9'],
            ],
          });
          const fields = checkedFields(assertOne(chain.check.checks));
          assert.notEqual(fieldValue(fields, 'x-envoy-external-address'), '203.0.113.9');
        });

        it('forwards 150 header fields', async () => {
          const headers = Array.from({ length: 150 }, (_, index) => [`x-field-${String(index)}`, 'v'] as const);
          const answer = await send(protocol, chain.envoy.port, { headers });
          assert.equal(answer.status, 200);
          assert.equal(fieldValue(assertOne(chain.backend.requests).headers, 'x-field-149'), 'v');
        });

        for (const path of ['/oauth2/token', '/oauth2/revoke', '/.well-known/oauth-authorization-server']) {
          it(`leads ${path} to Postern's HTTP listener, without a decision`, async () => {
            const answer = await send(protocol, chain.envoy.port, { method: 'POST', target: path, body: 'a=b' });
            assert.equal(answer.status, 200);
            assert.equal(assertOne(chain.posternHttp.requests).target, path);
            assert.equal(chain.check.checks.length, 0);
            assert.equal(chain.backend.requests.length, 0);
          });
        }

        it('leads what only looks like a token path through the decision', async () => {
          await send(protocol, chain.envoy.port, { target: '/oauth2%2ftoken' });
          assert.equal(chain.check.checks.length, 1);
          assert.equal(chain.posternHttp.requests.length, 0);
        });

        it('never leads /oauth2/../ to the back end', async () => {
          await send(protocol, chain.envoy.port, { target: '/oauth2/../orders' });
          assert.equal(chain.backend.requests.length, 0);
        });
      });
    }

    it('shows raw bytes of an HTTP/2 target as they are', async () => {
      await http2(chain.envoy.port, { target: '/\xe9\xff' });
      assert.equal(fieldValue(checkedFields(assertOne(chain.check.checks)), ':path'), '/\xe9\xff');
    });

    it('gives a chunked body a content-length, for Postern and for the back end', async () => {
      await http1(chain.envoy.port, { method: 'POST', chunks: ['one ', 'two ', 'three'] });
      assert.equal(fieldValue(checkedFields(assertOne(chain.check.checks)), 'content-length'), '13');
      const forwarded = assertOne(chain.backend.requests);
      assert.equal(fieldValue(forwarded.headers, 'content-length'), '13');
      assert.equal(fieldValue(forwarded.headers, 'transfer-encoding'), null);
      assert.equal(forwarded.body.toString(), 'one two three');
    });

    it('gives an HTTP/2 body without length a content-length, for Postern and for the back end', async () => {
      await http2(chain.envoy.port, { method: 'POST', frames: ['one ', 'two ', 'three'], contentLength: false });
      assert.equal(fieldValue(checkedFields(assertOne(chain.check.checks)), 'content-length'), '13');
      assert.equal(fieldValue(assertOne(chain.backend.requests).headers, 'content-length'), '13');
    });

    it('asks for a body that waits for 100-continue, and decides with it', async () => {
      await using connection = await Http1Connection.open(chain.envoy.port);
      const request = encodeHttp1({ method: 'POST', headers: [['Expect', '100-continue']], body: 'whole' });
      connection.write(request.subarray(0, -5));
      assert.equal(await connection.interim(), 100);
      connection.write(request.subarray(-5));
      assert.equal((await connection.answer('POST')).status, 200);
      assert.equal(Buffer.from(checkedRequest(assertOne(chain.check.checks)).rawBody).toString(), 'whole');
      assert.equal(fieldValue(assertOne(chain.backend.requests).headers, 'expect'), null);
    });

    for (const offered of [
      ...[
        'TLS/1.2',
        'TLS/1.0, HTTP/1.1',
        'tls/1.3',
        'h2c',
        'H2C',
        'h2',
        'HTTP/2.0',
        'HTTP/3.0',
        'h2c, TLS/1.2',
        'IRC/6.9',
      ],
    ]) {
      it(`ignores the offer to go on in another protocol: Upgrade: ${offered}`, async () => {
        const answer = await http1(chain.envoy.port, {
          headers: [
            ['Connection', 'Upgrade, HTTP2-Settings'],
            ['Upgrade', offered],
            ['HTTP2-Settings', 'AAMAAABkAAQCAAAAAAIAAAAA'],
          ],
        });
        assert.equal(answer.status, 200, answer.body.toString());
        for (const headers of [
          checkedFields(assertOne(chain.check.checks)),
          assertOne(chain.backend.requests).headers,
        ]) {
          assert.deepEqual(fieldValues(headers, 'upgrade'), []);
        }
      });
    }

    it('shows the authority of an absolute target instead of Host, and the target in origin form', async () => {
      await http1(chain.envoy.port, { target: 'http://api.example.com/a?b', host: 'other.example.com' });
      const fields = checkedFields(assertOne(chain.check.checks));
      assert.equal(fieldValue(fields, ':authority'), 'api.example.com');
      assert.equal(fieldValue(fields, ':path'), '/a?b');
    });
  });
}
