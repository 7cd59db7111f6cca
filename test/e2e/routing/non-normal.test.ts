import assert from 'node:assert/strict';
import { protocols } from '../../support/http/http-client.ts';
import { http1Bytes } from '../../support/http/http1-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { assertRefused } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

/** The widest document there is: nothing but its form can stop a request. */
const document = `
version: 1
endpoints:
  - { id: wide, scenario: open, match: { paths: [{ prefix: / }] } }
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

const targets: Readonly<Record<string, readonly string[]>> = {
  'a ".." segment': ['/orders/../admin', '/orders/..', '/..', '/../', '/a/..;/b', '/a/..;x=1/b', '/a/..?x'],
  'a "." segment': ['/orders/./a', '/orders/.', '/.', '/./', '/a/.;/b'],
  'an encoded dot': ['/orders/%2e%2e/admin', '/orders/%2E%2E/', '/%2e', '/a/.%2e/b', '/a/%2e./b', '/file%2ejson'],
  'an encoded slash': ['/orders%2fadmin', '/orders%2F..%2Fadmin', '/%2f', '/orders/%2f/'],
  'a backslash': ['/orders\\admin', '/\\', '/orders/..\\admin'],
  'an encoded backslash': ['/orders%5cadmin', '/orders/..%5C', '/%5c'],
  'double encoding': ['/orders/%252e%252e/', '/a%252fb', '/a%255cb', '/%25%32%65', '/%25%32%66', '/a%252Eb', '/%2%35e'],
  'an empty segment': ['//', '//orders', '/orders//a', '/orders//', '///', '/a/;/b', '/a/;x=1/b'],
  'a bad escape': ['/orders/%', '/orders/%2', '/orders/%zz', '/orders/%2g', '/%u002e', '/orders/%%'],
  'an encoded control character': ['/orders/%00', '/orders/a%00.json', '/%0a', '/%0d%0aX', '/%1f', '/%7f', '/%09'],
};

/** Bytes that are not even sent, or that Envoy refuses before it asks Postern. */
const unspeakable = ['#', '\x7f', '\x01', '\t', ' '];

/** Bytes above 0x7E: Envoy lets them through over HTTP/2 only, and the back end would get them as they are. */
const raw = ['\xe9', '\xc3\xa9', '\xc0\xaf', '\xff', '\x80'];

/** Envoy closes an HTTP/2 connection with a target that it cannot read, or answers 400 by itself or for us. */
async function assertStopped(answering: Promise<HttpAnswer>, target: string): Promise<void> {
  const answer = await answering.catch((error: unknown) => error);
  if (answer instanceof Error) assert.match(answer.message, /closed/i, target);
  else assert.equal((answer as HttpAnswer).status, 400, target);
}

describe('a target that is not in normal form', () => {
  const { stack, send, sendAllowed, sendRefused } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const [kind, list] of Object.entries(targets)) {
      it(`is refused: ${kind}, over ${protocol}`, async () => {
        for (const target of list) {
          for (const sent of [target, `${target}${target.includes('?') ? '&' : '?'}appKey=key-of-acme`]) {
            const answer = await sendRefused(protocol, { target: sent }, 'PATH_NOT_NORMAL');
            assert.equal(fieldValue(answer.headers, 'www-authenticate'), null, sent);
          }
          await sendRefused(protocol, { target, method: 'PUT', body: 'body' }, 'PATH_NOT_NORMAL');
        }
      });
    }

    it(`may look like one and be normal, over ${protocol}`, async () => {
      for (const target of [
        '/...',
        '/..a/b..',
        '/.well-known/x',
        '/a.json',
        '/a;..=1',
        '/a;x=..;y',
        '/%2520',
        '/%253f',
        '/%3b',
        '/%3f%23',
        '/~%7e/!$&\'()*+,=:@|"<>`{}^[]',
        '/a?/../%2e%2e//\\%00%zz?%',
      ]) {
        assert.equal((await sendAllowed(protocol, { target })).target, target);
      }
    });
  }

  it('is refused: bytes above 0x7E, by Envoy over HTTP/1.1 and by us over HTTP/2', async () => {
    for (const byte of raw) {
      for (const target of [`/${byte}`, `/orders/${byte}`, `/orders?x=${byte}`, `/orders?appKey=key-of-acme&${byte}`]) {
        const refused = await sendRefused('HTTP/1.1', { target }, 'GATEWAY_ERROR');
        assert.equal((jsonBody(refused) as { readonly requestId?: unknown }).requestId, null);
        await sendRefused('HTTP/2', { target }, 'PATH_NOT_NORMAL');
      }
    }
  });

  it('is refused by Envoy or by us when it holds a byte that no target can hold', async () => {
    const { port } = stack().envoy;
    const requests = unspeakable.flatMap((byte) =>
      [`/orders${byte}x`, `/orders?x=${byte}y`, `/orders?appKey=key-of-acme&${byte}y`].map(async (target) => {
        const first = await http1Bytes(port, `GET ${target} HTTP/1.1\r\nHost: api.example.com\r\n\r\n`);
        assertRefused(first, 'GATEWAY_ERROR');
        await assertStopped(send('HTTP/2', { target }), target);
      }),
    );
    await Promise.all(requests);
    assert.equal(stack().backend.requests.length, 0);
  });

  it('is refused over HTTP/2 when it does not begin with "/"', async () => {
    const targets = ['orders', '*', '?a', 'http://api.example.com/orders'];
    await Promise.all(targets.map((target) => assertStopped(send('HTTP/2', { target }), target)));
    assert.equal(stack().backend.requests.length, 0);
  });

  it('is refused over HTTP/1.1 when it is "*" or an authority, by Envoy', async () => {
    const { port } = stack().envoy;
    for (const line of ['OPTIONS *', 'GET *', 'GET orders', 'GET ?a']) {
      const answer = await http1Bytes(port, `${line} HTTP/1.1\r\nHost: api.example.com\r\n\r\n`);
      assert.ok([400, 404].includes(answer.status), `${line}: ${String(answer.status)}`);
    }
    assert.equal(stack().backend.requests.length, 0);
  });

  it('is refused as an absolute one, too', async () => {
    const { port } = stack().envoy;
    for (const path of ['/orders/../admin', '//orders', '/%2e%2e/']) {
      const answer = await http1Bytes(port, `GET http://api.example.com${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.equal(answer.status, 400, path);
    }
    assert.equal(stack().backend.requests.length, 0);
  });
});
