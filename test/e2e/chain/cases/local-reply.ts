import assert from 'node:assert/strict';
import { type Chain, useChain } from '../../../support/stack/chain.ts';
import { http1, http1Bytes } from '../../../support/http/http1-client.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../../support/http/http-message.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** What Envoy answers by itself: in the form of our refusals. */
export function localReplyCases(attachment: Attachment, shared?: Chain): void {
  function assertOurForm(answer: HttpAnswer, status: number): void {
    assert.equal(answer.status, status, answer.body.toString());
    assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
    const { code, message, requestId, ...rest } = jsonBody(answer) as Record<string, unknown>;
    assert.deepEqual(
      { code, message, rest },
      { code: 'GATEWAY_ERROR', message: 'The gateway could not complete the request.', rest: {} },
    );
    // A request that could not be read has no id.
    assert.equal(requestId, fieldValue(answer.headers, 'x-request-id'));
  }

  describe('what Envoy answers by itself', () => {
    const chain = shared ?? useChain({ attachment });
    afterEach(() => {
      assert.equal(chain.backend.requests.length, 0);
    });

    const head = 'Host: api.example.com\r\n\r\n';
    const bad: Readonly<Record<string, readonly [status: number, bytes: string]>> = {
      'no HTTP at all': [400, 'hello\r\n\r\n'],
      'a fragment in the target': [400, `GET /a#b HTTP/1.1\r\n${head}`],
      'raw bytes in the target': [400, `GET /\xe9 HTTP/1.1\r\n${head}`],
      'no Host': [400, 'GET / HTTP/1.1\r\n\r\n'],
      'an unknown method': [400, `get / HTTP/1.1\r\n${head}`],
      'length and chunks at once': [
        400,
        `POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n${head}0\r\n\r\n`,
      ],
      'two different lengths': [400, `POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n${head}abcd`],
      'HTTP/1.0': [426, `GET / HTTP/1.0\r\n${head}`],
      'OPTIONS *': [404, `OPTIONS * HTTP/1.1\r\n${head}`],
      'a target over 60 KiB': [431, `GET /${'a'.repeat(62_000)} HTTP/1.1\r\n${head}`],
      'more than 200 header fields': [431, `GET / HTTP/1.1\r\n${'X-Field: v\r\n'.repeat(201)}${head}`],
      'an upgrade to a WebSocket': [
        403,
        `GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${head}`,
      ],
    };
    for (const [kind, [status, bytes]] of Object.entries(bad)) {
      it(`has the form of our refusals: ${kind}, ${String(status)}`, async () => {
        assertOurForm(await http1Bytes(chain.envoy.port, bytes), status);
      });
    }
  });

  describe('what Envoy answers for a back end', () => {
    const chain = useChain({ attachment });
    before(() => chain.backend[Symbol.asyncDispose]());

    for (const protocol of protocols) {
      it(`that is down has the form of our refusals, over ${protocol}`, async () => {
        assertOurForm(await send(protocol, chain.envoy.port), 503);
      });
    }
  });

  describe('what Envoy answers for a back end', () => {
    const chain = shared ?? useChain({ attachment });

    it('that answers an error by itself is left alone', async () => {
      for (const status of [400, 404, 413, 500, 503]) {
        chain.backend.answer = () => ({ status, body: 'its own' });
        const answer = await http1(chain.envoy.port);
        assert.equal(answer.status, status);
        assert.equal(answer.body.toString(), 'its own');
      }
    });
  });
}
