import assert from 'node:assert/strict';
import { startChain, useChain } from '../../../support/stack/chain.ts';
import { allowReplaced } from '../../../support/stack/check-answers.ts';
import { connectionManager, objectAt } from '../../../support/envoy/envoy-config.ts';
import { http1 } from '../../../support/http/http1-client.ts';
import { http2 } from '../../../support/http/http2-client.ts';
import { fieldValue, type HttpAnswer } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** Bodies that Postern replaces. */
export function unwrapCases(attachment: Attachment): void {
  const wrapper = Buffer.from('{"data":"{\\"a\\":1}","appKey":"k","sign":"s"}');
  const json = ['content-type', 'application/json; charset=utf-8'] as const;

  /** Every way to put a wrapper on the wire. */
  const framings: Readonly<Record<string, (port: number) => Promise<HttpAnswer>>> = {
    'HTTP/1.1 with length': (port) => http1(port, { method: 'POST', headers: [json], body: wrapper }),
    'HTTP/1.1 in chunks': (port) =>
      http1(port, { method: 'POST', headers: [json], chunks: [wrapper.subarray(0, 7), wrapper.subarray(7)] }),
    'HTTP/1.1 in chunks with trailers': (port) =>
      http1(port, { method: 'POST', headers: [json], chunks: [wrapper], trailers: [['X-End', '1']] }),
    'HTTP/2 with length': (port) => http2(port, { method: 'POST', headers: [json], frames: [wrapper] }),
    'HTTP/2 without length': (port) =>
      http2(port, { method: 'POST', headers: [json], frames: [wrapper], contentLength: false }),
    'HTTP/2 in two frames': (port) =>
      http2(port, { method: 'POST', headers: [json], frames: [wrapper.subarray(0, 7), wrapper.subarray(7)] }),
    'HTTP/2 in frames of one byte': (port) =>
      http2(port, {
        method: 'POST',
        headers: [json],
        frames: [...wrapper].map((byte) => Buffer.from([byte])),
        contentLength: false,
        end: 'empty-frame',
      }),
    'HTTP/2 with trailers': (port) =>
      http2(port, { method: 'POST', headers: [json], frames: [wrapper], trailers: [['x-end', '1']] }),
  };

  /** What an inner text can be. */
  const texts: Readonly<Record<string, string>> = {
    'JSON text': '{"a":1,"b":"\u00e9"}',
    'nothing at all': '',
    'a NUL': 'before\0after',
    'bytes that a terminal would act on': '\x01\x1b[31m\x7f\r\n\t',
    'four-byte characters': '😀𝄞\u{10ffff}',
    'more than the wrapper': 'long '.repeat(1000),
    '2 MiB': 'x'.repeat(2 * 1024 * 1024),
    '1 MiB of quotes and backslashes': '\\"'.repeat(512 * 1024),
  };

  for (const backend of ['HTTP/1.1', 'HTTP/2'] as const) {
    describe(`the replaced body at an ${backend} back end`, () => {
      const chain = useChain({ attachment, backend });

      async function assertReplaced(send: () => Promise<HttpAnswer>, text: string): Promise<void> {
        chain.check.answer = () => allowReplaced(text);
        assert.equal((await send()).status, 200);
        const forwarded = assertOne(chain.backend.requests);
        const expected = Buffer.from(text, 'utf8');
        assert.deepEqual(forwarded.body, expected);
        assert.equal(fieldValue(forwarded.headers, 'content-length'), String(expected.length));
        assert.equal(fieldValue(forwarded.headers, 'content-type'), json[1]);
      }

      for (const [framing, send] of Object.entries(framings)) {
        it(`is exact, with its length and type: ${framing}`, async () => {
          await assertReplaced(() => send(chain.envoy.port), '{"a":1}');
        });
      }

      for (const [kind, text] of Object.entries(texts)) {
        it(`is exact: ${kind}`, async () => {
          await assertReplaced(() => http1(chain.envoy.port, { method: 'POST', headers: [json], body: wrapper }), text);
        });
      }

      it('is there for a request that had none', async () => {
        await assertReplaced(() => http1(chain.envoy.port, { method: 'POST', headers: [json] }), 'from nothing');
      });

      it('is each its own when requests run side by side', async () => {
        chain.check.answer = (check) => allowReplaced(`text for ${check.attributes?.request?.http?.path ?? ''}`);
        const targets = Array.from({ length: 20 }, (_, index) => `/${String(index)}`);
        await Promise.all(
          targets.map((target) => http1(chain.envoy.port, { method: 'POST', target, headers: [json], body: wrapper })),
        );
        const forwarded = chain.backend.requests.map((request) => `${request.target}: ${request.body.toString()}`);
        assert.deepEqual(forwarded.toSorted(), targets.map((target) => `${target}: text for ${target}`).toSorted());
      });
    });
  }

  describe('trailers of a replaced body', () => {
    it('reach an HTTP/2 back end', async () => {
      await using chain = await startChain({ attachment, backend: 'HTTP/2' });
      chain.check.answer = () => allowReplaced('text');
      await http2(chain.envoy.port, { method: 'POST', frames: [wrapper], trailers: [['x-end', '1']] });
      assert.equal(fieldValue(assertOne(chain.backend.requests).trailers, 'x-end'), '1');
    });
  });

  describe('the text of a replaced body', () => {
    it('is in no access log, not even in one that shows all of Postern’s metadata', async () => {
      await using chain = await startChain({
        attachment,
        edit: (config) => {
          const log = objectAt(connectionManager(config), 'access_log', 0, 'typed_config', 'log_format', 'json_format');
          log['everything'] = '%DYNAMIC_METADATA(envoy.filters.http.ext_authz)%';
        },
      });
      chain.check.answer = () => allowReplaced('inner text of a partner', { metadata: { consumer: 'acme' } });
      const answer = await http1(chain.envoy.port, { method: 'POST', headers: [json], body: wrapper });
      const entry = await chain.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
      const { consumer, ...rest } = entry['everything'] as Readonly<Record<string, unknown>>;
      assert.deepEqual([consumer, rest['postern.body'], rest['postern.text']], ['acme', 'replaced', '']);
      assert.doesNotMatch(chain.envoy.output(), /inner text/);
    });
  });
}
