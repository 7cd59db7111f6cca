import assert from 'node:assert/strict';
import { protocols, send as sendTo } from '../../support/http/http-client.ts';
import { http1Bytes } from '../../support/http/http1-client.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { assertRefused } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

/** The widest document there is, and a host of its own: nothing but its form can stop a request. */
const document = `
version: 1
endpoints:
  - { id: wide, scenario: open, match: { paths: [{ prefix: / }] } }
  - { id: orders, scenario: partner-openapi, match: { hosts: [api.example.com], paths: [{ prefix: / }] }, authentication: key }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

/** Authorities that Envoy hands on over both protocols. */
const malformed = [
  'api.example.com,www.example.com',
  'api.example.com:80:80',
  'api.example.com:65536',
  'api.example.com:99999999999',
  'api.example.com:8x',
  'api.example.com:',
  ':80',
  '.',
  '*.example.com',
  'api%2eexample.com',
  'api!example.com',
  '[::1',
  '[::1]x',
  '[api.example.com]',
  '[fe80::1%25eth0]',
  '::1',
  'a'.repeat(255),
];

/** Authorities that Envoy may refuse by itself over one of the protocols. */
const hostile = [
  'user@api.example.com',
  'api.example.com/x',
  'api.example.com?x',
  'api.example.com#x',
  'a b',
  'a\\b',
  '\xe9.com',
  '',
];

describe('an authority that is no host', () => {
  const { stack, sendRefused } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const host of malformed) {
      it(`is refused: ${host.slice(0, 40)}, over ${protocol}`, async () => {
        await sendRefused(protocol, { host, target: '/?appKey=key-of-acme' }, 'MALFORMED_REQUEST');
      });
    }

    it(`is refused after a target that is not in normal form, over ${protocol}`, async () => {
      await sendRefused(protocol, { host: 'a,b', target: '/../' }, 'PATH_NOT_NORMAL');
    });

    it(`never reaches the back end, whoever refuses it, over ${protocol}`, async () => {
      const { port } = stack().envoy;
      const requests = hostile.map(async (host) => {
        const answer = await sendTo(protocol, port, { host, target: '/?appKey=key-of-acme' }).catch(
          (error: unknown) => error,
        );
        if (answer instanceof Error) assert.match(answer.message, /closed/i, host);
        else assert.equal((answer as { status: number }).status, 400, host);
      });
      await Promise.all(requests);
      assert.equal(stack().backend.requests.length, 0);
    });
  }

  it('is what two Host lines make', async () => {
    const { port } = stack().envoy;
    for (const hosts of [
      ['api.example.com', 'www.example.com'],
      ['www.example.com', 'api.example.com'],
      ['www.example.com', 'www.example.com'],
    ]) {
      const lines = hosts.map((host) => `Host: ${host}\r\n`).join('');
      const answer = await http1Bytes(port, `GET /?appKey=key-of-acme HTTP/1.1\r\n${lines}\r\n`);
      assertRefused(answer, 'MALFORMED_REQUEST');
    }
    assert.equal(stack().backend.requests.length, 0);
  });

  it('is not what an absolute target with a user name makes: Envoy drops the user name', async () => {
    const { port } = stack().envoy;
    const head = 'HTTP/1.1\r\nHost: www.example.com\r\n\r\n';
    const refused = await http1Bytes(port, `GET http://www.example.com@api.example.com/ ${head}`);
    assertRefused(refused, 'CREDENTIALS_MISSING');
    const allowed = await http1Bytes(port, `GET http://www.example.com@api.example.com/?appKey=key-of-acme ${head}`);
    assert.equal(allowed.status, 200);
    assert.equal(assertOne(stack().backend.requests).authority, 'api.example.com');
  });

  it('is no Host at all, which Envoy refuses', async () => {
    const answer = await http1Bytes(stack().envoy.port, 'GET /?appKey=key-of-acme HTTP/1.1\r\n\r\n');
    assertRefused(answer, 'GATEWAY_ERROR');
    assert.equal(stack().backend.requests.length, 0);
  });
});
