import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type Chain, startChain, useChain } from '../../../support/stack/chain.ts';
import {
  bufferLimit,
  connectionManager,
  filterSettings,
  objectAt,
  removeFilter,
} from '../../../support/envoy/envoy-config.ts';
import { checkedFields, checkedRequest } from '../../../support/stack/fake-check-service.ts';
import { http1 } from '../../../support/http/http1-client.ts';
import { http2 } from '../../../support/http/http2-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** The size of bodies: whole to Postern and to the back end, or refused before anybody sees them. */
export function bodyLimitCases(attachment: Attachment, shared?: Chain): void {
  const { buffer } = attachment.filters;
  const bufferBytes = bufferLimit(attachment.config(), buffer);
  const posternBytes = 10 * 1024 * 1024;
  const pieceBytes = 1024 * 1024;

  /** A body cut so that only the last piece goes beyond `length - 1`. */
  function pieces(body: Buffer): Buffer[] {
    const result: Buffer[] = [];
    for (let from = 0; from < body.length - 1; from += pieceBytes) {
      result.push(body.subarray(from, Math.min(from + pieceBytes, body.length - 1)));
    }
    return [...result, body.subarray(-1)];
  }

  /** Every way to put a body on the wire. */
  const framings: Readonly<Record<string, (port: number, body: Buffer) => Promise<HttpAnswer>>> = {
    'HTTP/1.1, with its length': (port, body) => http1(port, { method: 'POST', body }),
    'HTTP/1.1, in chunks': (port, body) => http1(port, { method: 'POST', chunks: pieces(body) }),
    'HTTP/2, with its length': (port, body) => http2(port, { method: 'POST', frames: [body] }),
    'HTTP/2, without length, the stream ending with the last byte': (port, body) =>
      http2(port, { method: 'POST', frames: pieces(body), contentLength: false }),
    'HTTP/2, without length, the stream ending with an empty frame': (port, body) =>
      http2(port, { method: 'POST', frames: pieces(body), contentLength: false, end: 'empty-frame' }),
    'HTTP/2, without length, the stream ending with trailers': (port, body) =>
      http2(port, { method: 'POST', frames: pieces(body), contentLength: false, trailers: [['x-end', '1']] }),
  };

  const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

  describe('the size of bodies', () => {
    const chain = shared ?? useChain({ attachment });

    it('has limits in an order that lets Postern refuse first, and ext_authz never cut', () => {
      const config = attachment.config();
      const shown = objectAt(filterSettings(config, attachment.filters.authz), 'with_request_body');
      assert.ok(posternBytes < bufferBytes);
      assert.ok(bufferBytes < Number(shown['max_request_bytes']));
      assert.ok(connectionManager(config)['normalize_path'] !== true);
    });

    for (const [framing, post] of Object.entries(framings)) {
      it(`brings a body of 10 MiB whole to Postern and to the back end: ${framing}`, async () => {
        const body = randomBytes(posternBytes);
        assert.equal((await post(chain.envoy.port, body)).status, 200);
        const seen = checkedRequest(assertOne(chain.check.checks));
        assert.equal(seen.size, body.length);
        assert.equal(digest(seen.rawBody), digest(body));
        assert.equal(digest(assertOne(chain.backend.requests).body), digest(body));
      });

      it(`refuses a body one byte over the limit before anybody sees it: ${framing}`, async () => {
        const answer = await post(chain.envoy.port, Buffer.alloc(bufferBytes + 1));
        assert.equal(answer.status, 413);
        assert.deepEqual(jsonBody(answer), {
          code: 'BODY_TOO_LARGE',
          message: 'The request body is too large.',
          requestId: fieldValue(answer.headers, 'x-request-id'),
        });
        assert.equal(chain.check.checks.length, 0);
        assert.equal(chain.backend.requests.length, 0);
      });
    }

    it('lets a body at the limit through to Postern, which has its own', async () => {
      await http1(chain.envoy.port, { method: 'POST', body: Buffer.alloc(bufferBytes) });
      assert.equal(checkedRequest(assertOne(chain.check.checks)).size, bufferBytes);
    });

    it('refuses a token request above 16 KiB', async () => {
      const answer = await http1(chain.envoy.port, {
        method: 'POST',
        target: '/oauth2/token',
        body: Buffer.alloc(16385),
      });
      assert.equal(answer.status, 413);
      assert.equal(chain.posternHttp.requests.length, 0);
    });
  });

  describe('the size of bodies without the buffer filter', () => {
    it('is not safe: a body whose last frame crosses the limit reaches Postern cut, and is marked as such', async () => {
      const shownBytes = 70_000;
      await using chain = await startChain({
        attachment,
        edit: (config) => {
          removeFilter(config, buffer);
          objectAt(filterSettings(config, attachment.filters.authz), 'with_request_body')['max_request_bytes'] =
            shownBytes;
        },
      });
      const frames = [Buffer.alloc(shownBytes - 100), Buffer.alloc(200)];
      await http2(chain.envoy.port, { method: 'POST', frames, contentLength: false });
      const check = assertOne(chain.check.checks);
      assert.equal(fieldValue(checkedFields(check), 'x-envoy-auth-partial-body'), 'true');
      assert.equal(checkedRequest(check).rawBody.length, shownBytes);
      assert.notEqual(checkedRequest(check).size, shownBytes);
      // The stand-in allowed it, and the whole body went on: Postern must refuse what is marked so.
      assert.equal(assertOne(chain.backend.requests).body.length, shownBytes + 100);
    });
  });
}
