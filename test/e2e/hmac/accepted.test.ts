import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type Protocol, protocols } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues } from '../../support/http/http-message.ts';
import { authorizationOf, type HmacParts, signedByHmac } from '../../support/partner/hmac.ts';
import { acmeFormer, overseas } from '../../support/partner/signature-document.ts';
import { useSignedStack, withinOneSecond } from '../../support/partner/use-signed-stack.ts';

/** What may be written another way, or left out, without a word of the signature changing its meaning. */
const accepted: Readonly<Record<string, HmacParts>> = {
  'date and request line alone': {},
  'the request line before the date': { signed: ['request-line', 'date'] },
  'the host with its port': { host: 'api.example.com:8443', signed: ['date', 'host', 'request-line'] },
  'the host without a port': { signed: ['host', 'date', 'request-line'] },
  'a host in upper case, signed as sent': { host: 'API.Example.COM', signed: ['host', 'date', 'request-line'] },
  'a host that nobody signed': { host: 'other.example.com:1' },
  'a header of the partner’s own': {
    headers: [['X-Order', 'a, b;c="d": e']],
    signed: ['x-order', 'date', 'request-line'],
  },
  'an empty header': { headers: [['X-Order', '']], signed: ['date', 'request-line', 'x-order'] },
  'white space inside of a header': { headers: [['X-Order', 'a  b\tc']], signed: ['date', 'request-line', 'x-order'] },
  'a header that is not UTF-8': { headers: [['X-Order', 'caf\xe9 \xff']], signed: ['date', 'request-line', 'x-order'] },
  'a header with an exclamation mark': { headers: [['X-Order', 'now!']], signed: ['date', 'request-line', 'x-order'] },
  'a header that came twice, joined by a comma and a blank': {
    headers: [
      ['X-Order', '2'],
      ['X-Order', '1'],
    ],
    signed: ['date', 'x-order', 'request-line'],
  },
  'a target without query': { target: '/hmac' },
  'a target with a bare question mark': { target: '/hmac?' },
  'a query in pieces': { target: '/hmac?a&&b=%2F&=c&d=+%20&' },
  'a query with repeats': { target: '/hmac?name=foo&name=bar&name=foo' },
  'an encoded path, in the case it came in': { target: '/hmac/%c3%A9%7e;v=1/' },
  'a target with an exclamation mark': { target: '/hmac/now!?really=!' },
  'a method of its own': { method: 'REPORT' },
  'a method that deletes': { method: 'DELETE', target: '/hmac/7' },
  'a body': { method: 'POST', body: '{"name": "bob"}' },
  'a body of every byte': { method: 'PUT', body: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
  'a body with the method GET': { body: 'x' },
  'the digest before everything else': { method: 'POST', body: 'x', signed: ['digest', 'date', 'request-line'] },
  'no body, and a digest of nothing': { digest: 'SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' },
  'no body, and a digest of nothing that is not signed': {
    digest: 'SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    signed: ['date', 'request-line'],
  },
  'a compressed body, its digest that of the bytes as sent': {
    method: 'POST',
    headers: [['Content-Encoding', 'gzip']],
    body: gzipSync('the text before it was compressed'),
  },
  'a body of any media type': { method: 'POST', headers: [['Content-Type', 'image/png']], body: '\x89PNG' },
  'the scheme in another case': { authorization: (parts) => authorizationOf(parts).replace('hmac', 'HMAC') },
  'the parameters in another order': {
    authorization: ({ appKey, algorithm, headers, signature }) =>
      `hmac signature="${signature}",headers="${headers}" \t,\t algorithm="${algorithm}",appkey="${appKey}"`,
  },
  'the former secret, in its grace period': { secret: acmeFormer.secret },
  'a secret beyond ASCII': { appKey: overseas.appKey, secret: overseas.secret },
};

describe('a request signed by hmac', () => {
  const stack = useSignedStack(
    'hmac',
    [
      { id: 'hmac', authentication: 'hmac' },
      { id: 'strong', authentication: 'hmac', options: { algorithms: ['hmac-sha384', 'hmac-sha512'] } },
      { id: 'real', authentication: 'hmac', options: { acceptRealHttpVersion: true } },
      { id: 'shown', authentication: 'hmac', options: { hideCredentials: false } },
      { id: 'narrow', authentication: 'hmac', options: { clockSkewSeconds: 10 } },
    ],
    'shared',
  );

  async function statusOf(protocol: Protocol, parts: HmacParts): Promise<number> {
    return (await stack.send(protocol, signedByHmac(parts))).status;
  }

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      for (const [kind, parts] of Object.entries(accepted)) {
        it(`is accepted and goes on as it is: ${kind}`, async () => {
          const request = signedByHmac(parts);
          const forwarded = stack.assertAllowed(await stack.send(protocol, request));
          assert.deepEqual(
            [forwarded.method, forwarded.target, forwarded.authority],
            [request.method, request.target, request.host],
          );
          assert.deepEqual(forwarded.body, request.body ?? Buffer.alloc(0));
          for (const [name] of request.headers.filter(([sent]) => sent !== 'Authorization')) {
            const sent = fieldValues(request.headers, name);
            assert.deepEqual(fieldValues(forwarded.headers, name), sent, name);
          }
          assert.equal(fieldValue(forwarded.headers, 'authorization'), null);
        });
      }

      it('may name a weekday that does not fit its date', async () => {
        const date = new Date().toUTCString().replace(/^.../, (day) => (day === 'Mon' ? 'Tue' : 'Mon'));
        assert.equal(await statusOf(protocol, { date }), 200);
      });

      it('tells the back end and the log who calls', async () => {
        const answer = await stack.send(protocol, signedByHmac());
        const { headers } = stack.assertAllowed(answer);
        assert.deepEqual(
          ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'].map((name) => fieldValue(headers, name)),
          ['acme', 'Acme Ltd', 'acme-both'],
        );
        const { endpoint, consumer, authentication, code } = await stack.logged(answer);
        assert.deepEqual([endpoint, consumer, authentication, code], ['hmac', 'acme', 'hmac', 'ALLOWED']);
      });

      it('keeps its Authorization where hideCredentials is off', async () => {
        const request = signedByHmac({ target: '/shown' });
        const forwarded = stack.assertAllowed(await stack.send(protocol, request));
        assert.equal(fieldValue(forwarded.headers, 'authorization'), fieldValue(request.headers, 'authorization'));
      });

      for (const algorithm of ['hmac-sha384', 'hmac-sha512']) {
        it(`may use ${algorithm} where the endpoint lists it, and there only`, async () => {
          stack.assertAllowed(await stack.send(protocol, signedByHmac({ target: '/strong', algorithm })));
          stack.running().backend.reset();
          stack.assertRefused(await stack.send(protocol, signedByHmac({ algorithm })), 'CREDENTIALS_MALFORMED');
        });
      }

      it('may not use hmac-sha256 where the endpoint does not list it', async () => {
        const answer = await stack.send(protocol, signedByHmac({ target: '/strong' }));
        stack.assertRefused(answer, 'CREDENTIALS_MALFORMED');
      });

      for (const [version, real] of [
        ['HTTP/1.1', true],
        ['HTTP/2', protocol === 'HTTP/2'],
        ['HTTP/2.0', protocol === 'HTTP/2'],
        ['HTTP/1.0', false],
        ['HTTP/3', false],
        ['http/1.1', false],
      ] as const) {
        it(`signed as ${version} is ${version === 'HTTP/1.1' ? '' : 'not '}accepted, and with acceptRealHttpVersion it is ${real ? '' : 'not'}`, async () => {
          assert.equal(await statusOf(protocol, { version }), version === 'HTTP/1.1' ? 200 : 401);
          assert.equal(await statusOf(protocol, { version, target: '/real' }), real ? 200 : 401);
        });
      }

      for (const [target, skewSeconds] of [
        ['/hmac', 300],
        ['/narrow', 10],
      ] as const) {
        for (const side of [-1, 1]) {
          it(`may be ${String(skewSeconds)} s ${side < 0 ? 'old' : 'ahead'} and not one more: ${target}`, async () => {
            const at = (distance: number) =>
              withinOneSecond(stack.running(), (now) =>
                stack.send(protocol, signedByHmac({ target, dateSeconds: now + side * distance })),
              );
            assert.equal((await at(skewSeconds)).status, 200);
            stack.assertRefused(await at(skewSeconds + 1), 'REQUEST_EXPIRED');
          });
        }
      }
    });
  }
});
