import assert from 'node:assert/strict';
import { http1 } from '../../support/http/http1-client.ts';
import { http2 } from '../../support/http/http2-client.ts';
import { type Fields, fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { nowSeconds } from '../../support/partner/hmac.ts';
import { wrapperOf } from '../../support/partner/parameters.ts';
import { acme, acmeFormer, overseas } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const maxWrapperBytes = 2_097_152;
const json = ['content-type', 'application/json'] as const;

interface Posted {
  readonly target?: string;
  readonly headers?: Fields;
  readonly body: Buffer;
}

function pieces(body: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

/** Every way to put a wrapper on the wire. */
const framings: Readonly<Record<string, (port: number, posted: Posted) => Promise<HttpAnswer>>> = {
  'HTTP/1.1 with length': (port, posted) => http1(port, { ...defaults(posted), body: posted.body }),
  'HTTP/1.1 in one chunk': (port, posted) => http1(port, { ...defaults(posted), chunks: [posted.body] }),
  'HTTP/1.1 in many chunks, with trailers': (port, posted) =>
    http1(port, { ...defaults(posted), chunks: pieces(posted.body, 40), trailers: [['X-End', '1']] }),
  'HTTP/2 in one frame': (port, posted) => http2(port, { ...defaults(posted), frames: [posted.body] }),
  'HTTP/2 in many frames, without length': (port, posted) =>
    http2(port, { ...defaults(posted), frames: pieces(posted.body, 40), contentLength: false }),
  'HTTP/2 in many frames, ended by an empty one': (port, posted) =>
    http2(port, { ...defaults(posted), frames: pieces(posted.body, 40), contentLength: false, end: 'empty-frame' }),
  'HTTP/2 with trailers': (port, posted) =>
    http2(port, { ...defaults(posted), frames: pieces(posted.body, 40), trailers: [['x-end', '1']] }),
};

function defaults({ target = '/wrapped', headers = [json] }: Posted) {
  return { method: 'POST', target, headers };
}

/** A wrapper of so many bytes: its data is `unit` again and again, as JSON text, and filled up with `x`. */
function wrapperOfSize(
  bytes: number,
  unit: string,
  unitText: string,
): { readonly data: string; readonly body: Buffer } {
  const room = bytes - wrapperOf('').length;
  const times = Math.floor(room / Buffer.byteLength(unitText));
  const rest = 'x'.repeat(room - times * Buffer.byteLength(unitText));
  const data = unit.repeat(times) + rest;
  const body = wrapperOf(data, { dataText: `"${unitText.repeat(times)}${rest}"` });
  assert.equal(body.length, bytes);
  return { data, body };
}

/** Originals that are easy to get wrong, each with the JSON text it is wrapped as. */
const originals: Readonly<Record<string, readonly [data: string, dataText: string]>> = {
  'a JSON object': ['{"userName":"abc","gender":"male"}', '"{\\"userName\\":\\"abc\\",\\"gender\\":\\"male\\"}"'],
  'JSON with white space and repeats': ['{ "a" : 1.0,\n"a":1e2 }\n', '"{ \\"a\\" : 1.0,\\n\\"a\\":1e2 }\\n"'],
  'no JSON at all': ['name=bob&x', '"name=bob&x"'],
  nothing: ['', '""'],
  'one quote': ['"', '"\\u0022"'],
  'a NUL': ['a\0b', '"a\\u0000b"'],
  'NULs only': ['\0\0\0', '"\\u0000\\u0000\\u0000"'],
  'control characters': ['\x01\x1b[31m\x7f\r\n\t\b\f', '"\\u0001\\u001b[31m\x7f\\r\\n\\t\\b\\f"'],
  'every kind of escape': ['"\\/\b\f\n\r\t\u00e9/', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9/"'],
  'four-byte characters as they are': ['😀𝄞\u{10ffff}', '"😀𝄞\u{10ffff}"'],
  'four-byte characters in escapes': ['😀𝄞', '"\\ud83d\\ude00\\uD834\\uDD1E"'],
  'characters of two and three bytes': ['é張三\uffff', '"\\u00e9張\\u4e09\\uffff"'],
  'a byte order mark': ['\ufeff{}', '"\\ufeff{}"'],
  'another wrapper': [
    '{"data":"","appKey":"k","sign":"s"}',
    '"{\\"data\\":\\"\\",\\"appKey\\":\\"k\\",\\"sign\\":\\"s\\"}"',
  ],
  'line separators': ['\u2028\u2029', '"\u2028\\u2029"'],
};

for (const backend of ['HTTP/1.1', 'HTTP/2'] as const) {
  describe(`the original of a JSON wrapper at an ${backend} back end`, () => {
    const stack = useSignedStack(
      'parameter-signature',
      [
        { id: 'wrapped', authentication: 'parameter-signature' },
        { id: 'hidden', authentication: 'parameter-signature', options: { hideCredentials: true } },
      ],
      { backend },
    );
    const port = (): number => stack.running().envoy.port;

    function assertUnwrapped(answer: HttpAnswer, data: string, type: string = json[1]): void {
      const forwarded = stack.assertAllowed(answer);
      const expected = Buffer.from(data, 'utf8');
      assert.ok(forwarded.body.equals(expected), forwarded.body.toString('latin1', 0, 200));
      assert.equal(fieldValue(forwarded.headers, 'content-length'), String(expected.length));
      assert.equal(fieldValue(forwarded.headers, 'transfer-encoding'), null);
      assert.equal(fieldValue(forwarded.headers, 'content-type'), type);
      assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), 'acme');
    }

    for (const [framing, post] of Object.entries(framings)) {
      it(`is exact, with its length and type: ${framing}`, async () => {
        assertUnwrapped(await post(port(), { body: wrapperOf('{"a":1}') }), '{"a":1}');
      });

      it(`is not there when the wrapper was changed: ${framing}`, async () => {
        const body = Buffer.from(wrapperOf('{"a":1}').toString().replace(':1}', ':2}'));
        stack.assertRefused(await post(port(), { body }), 'AUTHENTICATION_FAILED');
      });
    }

    const some = ['HTTP/1.1 with length', 'HTTP/1.1 in one chunk', 'HTTP/2 in many frames, without length'];
    for (const [kind, [data, dataText]] of Object.entries(originals)) {
      for (const [framing, post] of Object.entries(framings).filter(([name]) => some.includes(name))) {
        it(`is exact: ${kind}, ${framing}`, async () => {
          assertUnwrapped(await post(port(), { body: wrapperOf(data, { dataText }) }), data);
        });
      }
    }

    for (const [kind, unit, unitText] of [
      ['plain text', '0123456789', '0123456789'],
      ['escapes of one byte each', '\0', '\\u0000'],
      ['quotes and backslashes', '"\\', '\\"\\\\'],
      ['four-byte characters', '😀', '😀'],
    ] as const) {
      for (const [framing, post] of Object.entries(framings).filter(([name]) => /length$/.test(name))) {
        it(`is exact when the wrapper has 2 097 152 bytes: ${kind}, ${framing}`, async () => {
          const { data, body } = wrapperOfSize(maxWrapperBytes, unit, unitText);
          const inLargePieces = framing.startsWith('HTTP/2')
            ? () => http2(port(), { ...defaults({ body }), frames: pieces(body, 100_000), contentLength: false })
            : () => post(port(), { body });
          assertUnwrapped(await inLargePieces(), data);
        });
      }
    }

    it('is not there when the wrapper has one byte more', async () => {
      const { body } = wrapperOfSize(maxWrapperBytes + 1, 'x', 'x');
      for (const posting of [
        () => http1(port(), { ...defaults({ body }), body }),
        () => http2(port(), { ...defaults({ body }), frames: pieces(body, 100_000), contentLength: false }),
      ]) {
        const answer = await posting();
        stack.assertRefused(answer, 'BODY_TOO_LARGE');
        assert.match(String((await stack.logged(answer))['details']), /^ext_authz_denied/);
      }
    });

    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF8"',
      'application/json ; v=1',
    ]) {
      it(`keeps its Content-Type as sent: ${type}`, async () => {
        const headers = [['content-type', type]] as const;
        const body = wrapperOf('{}');
        for (const posting of [
          () => http1(port(), { ...defaults({ headers, body }), body }),
          () => http2(port(), { ...defaults({ headers, body }), frames: [body] }),
        ]) {
          stack.running().backend.reset();
          assertUnwrapped(await posting(), '{}', type);
        }
      });
    }

    it('comes with the target as sent, and without the query appKey where credentials are hidden', async () => {
      const body = wrapperOf('{}');
      const query = `?appKey=${acme.appKey}`;
      assertUnwrapped(await http1(port(), { ...defaults({ body, target: `/wrapped/%2D${query}` }), body }), '{}');
      assert.equal(stack.running().backend.requests[0]?.target, `/wrapped/%2D${query}`);
      stack.running().backend.reset();
      assertUnwrapped(await http1(port(), { ...defaults({ body, target: `/hidden/%2D${query}` }), body }), '{}');
      assert.equal(stack.running().backend.requests[0]?.target, '/hidden/%2D');
    });

    it('may be signed with a timestamp, a former secret or one beyond ASCII', async () => {
      for (const parts of [
        { apiTimestamp: String(nowSeconds()) },
        { apiTimestamp: `"${String(nowSeconds())}"` },
        acmeFormer,
        overseas,
      ]) {
        stack.running().backend.reset();
        const body = wrapperOf('{"a":"ü"}', parts);
        assertUnwrapped(await http1(port(), { ...defaults({ body }), body }), '{"a":"ü"}');
      }
    });

    it('is each its own when requests run side by side on either protocol', async () => {
      const numbers = Array.from({ length: 20 }, (_, index) => String(index));
      await Promise.all(
        numbers.map((number) => {
          const body = wrapperOf(`data for ${number}`);
          const target = `/wrapped/${number}`;
          return Number(number) % 2 === 0
            ? http1(port(), { ...defaults({ body, target }), body })
            : http2(port(), { ...defaults({ body, target }), frames: [body] });
        }),
      );
      assert.deepEqual(
        stack
          .running()
          .backend.requests.map(({ target, body }) => `${target}: ${body.toString()}`)
          .toSorted(),
        numbers.map((number) => `/wrapped/${number}: data for ${number}`).toSorted(),
      );
    });

    it('leaves nothing of itself in a log', async () => {
      const body = wrapperOf('the inner text of a partner');
      const answer = await http1(port(), { ...defaults({ body }), body });
      assertUnwrapped(answer, 'the inner text of a partner');
      const { endpoint, consumer, authentication, code } = await stack.logged(answer);
      assert.deepEqual(
        [endpoint, consumer, authentication, code],
        ['wrapped', 'acme', 'parameter-signature', 'ALLOWED'],
      );
      assert.doesNotMatch(stack.running().envoy.output() + stack.running().postern.output(), /inner text|"sign"/);
    });
  });
}
