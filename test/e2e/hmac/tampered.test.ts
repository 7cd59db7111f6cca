import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { type Fields } from '../../support/http/http-message.ts';
import { digestText, type HmacParts, nowSeconds, signedByHmac } from '../../support/partner/hmac.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

/** One change each to a request that was signed as it stood before. */
const tamperings: Readonly<Record<string, (request: Signed) => PlainRequest>> = {
  'the method': (request) => ({ ...request, method: 'PUT' }),
  'the path': (request) => ({ ...request, target: '/hmac/8?a=1&b=2' }),
  'the case of the path': (request) => ({ ...request, target: '/hmac/7%2d?a=1&b=2' }),
  'a slash after the path': (request) => ({ ...request, target: '/hmac/7%2D/?a=1&b=2' }),
  'a value of the query': (request) => ({ ...request, target: '/hmac/7%2D?a=1&b=3' }),
  'the order of the query': (request) => ({ ...request, target: '/hmac/7%2D?b=2&a=1' }),
  'the query cut off': (request) => ({ ...request, target: '/hmac/7%2D' }),
  'an "&" after the query': (request) => ({ ...request, target: '/hmac/7%2D?a=1&b=2&' }),
  'the encoding of the path': (request) => ({ ...request, target: '/hmac/7-?a=1&b=2' }),
  'the signed host': (request) => ({ ...request, host: 'api.example.com:80' }),
  'a signed header': (request) => ({ ...request, headers: changed(request.headers, 'X-Order', '8') }),
  'a blank inside of a signed header': (request) => ({
    ...request,
    headers: changed(request.headers, 'X-Order', '7  x'),
  }),
  'a signed header, repeated': (request) => ({ ...request, headers: [...request.headers, ['X-Order', '9']] }),
  'the date by a second': (request) => ({
    ...request,
    headers: changed(request.headers, 'Date', new Date((nowSeconds() + 10) * 1000).toUTCString()),
  }),
  'the digest, with the body': (request) => ({
    ...request,
    headers: changed(request.headers, 'Digest', digestText('{"amount":2}')),
    body: Buffer.from('{"amount":2}'),
  }),
  'the list of headers': (request) => ({
    ...request,
    headers: request.headers.map(([name, value]) => [name, value.replace(' x-order"', '"')] as const),
  }),
  'the order of the list of headers': (request) => ({
    ...request,
    headers: request.headers.map(
      ([name, value]) => [name, value.replace('date request-line', 'request-line date')] as const,
    ),
  }),
  'the App Key': (request) => ({
    ...request,
    headers: request.headers.map(([name, value]) => [name, value.replace(acme.appKey, 'overseas-public-key')] as const),
  }),
};

type Signed = ReturnType<typeof signedByHmac>;

function changed(headers: Fields, name: string, value: string): Fields {
  return headers.map((field) => (field[0] === name ? ([name, value] as const) : field));
}

describe('a signed request that was changed on its way', () => {
  const stack = useSignedStack('hmac', [{ id: 'hmac', authentication: 'hmac' }], 'shared');
  const original: HmacParts = {
    method: 'POST',
    target: '/hmac/7%2D?a=1&b=2',
    headers: [['X-Order', '7 x']],
    body: '{"amount":1}',
    signed: ['date', 'request-line', 'digest', 'host', 'x-order'],
  };

  for (const protocol of protocols) {
    it(`is accepted unchanged, over ${protocol}`, async () => {
      stack.assertAllowed(await stack.send(protocol, signedByHmac(original)));
    });

    for (const [part, change] of Object.entries(tamperings)) {
      it(`is refused: ${part}, over ${protocol}`, async () => {
        const answer = await stack.send(protocol, change(signedByHmac(original)));
        stack.assertRefused(answer, 'AUTHENTICATION_FAILED');
      });
    }

    it(`is refused: the body, over ${protocol}`, async () => {
      for (const body of ['{"amount":2}', '{"amount":1} ', '{"amount":1', '\n']) {
        const answer = await stack.send(protocol, { ...signedByHmac(original), body: Buffer.from(body) });
        stack.assertRefused(answer, 'DIGEST_MISMATCH');
      }
    });

    it(`is refused: the body taken out, over ${protocol}`, async () => {
      const { method, target, host, headers } = signedByHmac(original);
      const answer = await stack.send(protocol, { method, target, host, headers } as PlainRequest);
      stack.assertRefused(answer, 'DIGEST_MISMATCH');
    });
  }
});
