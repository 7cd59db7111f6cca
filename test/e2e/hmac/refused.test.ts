import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { protocols, send } from '../../support/http/http-client.ts';
import { type Fields, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { type SignedCode } from '../../support/partner/assert-signed-refused.ts';
import {
  authorizationOf,
  type AuthorizationParts,
  digestText,
  type HmacParts,
  nowSeconds,
  signedByHmac,
} from '../../support/partner/hmac.ts';
import { acme, unusableKeys } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const authorization = (write: (parts: AuthorizationParts) => string): HmacParts => ({ authorization: write });
const rewritten = (from: string | RegExp, to: string): HmacParts =>
  authorization((parts) => authorizationOf(parts).replace(from, to));
const listed = (...signed: string[]): HmacParts => ({ signed });
const posted = (parts: HmacParts): HmacParts => ({ method: 'POST', body: '{"name": "bob"}', ...parts });
const ownDate = (date: (now: string) => string): HmacParts => ({ date: date(new Date().toUTCString()) });

/** Signed as they are sent, each with one thing wrong. */
const refused: Readonly<Partial<Record<SignedCode, Readonly<Record<string, () => HmacParts>>>>> = {
  CREDENTIALS_MISSING: {
    'Basic credentials': () => authorization(() => 'Basic YWNtZTpzZWNyZXQ='),
    'a Bearer token': () => authorization(() => 'Bearer abc'),
    'a scheme that begins like ours': () => rewritten('hmac ', 'hmacs '),
    'a scheme that ends in parameters': () => rewritten('hmac ', 'hmac-sha256 '),
  },
  CREDENTIALS_MALFORMED: {
    'the scheme alone': () => authorization(() => 'hmac'),
    'two blanks after the scheme': () => rewritten('hmac ', 'hmac  '),
    'a tab after the scheme': () => rewritten('hmac ', 'hmac\t'),
    'no quotes': () => rewritten(/"/g, ''),
    'quotes of another kind': () => rewritten(/"/g, "'"),
    'a parameter without value': () => rewritten(/appkey="[^"]*"/, 'appkey'),
    'blanks around =': () => rewritten('appkey=', 'appkey = '),
    'a parameter in upper case': () => rewritten('appkey=', 'appKey='),
    'an unknown parameter': () => authorization((parts) => `${authorizationOf(parts)}, realm="x"`),
    'a parameter twice': () => authorization((parts) => `${authorizationOf(parts)}, appkey="${parts.appKey}"`),
    'no appkey': () => rewritten(/appkey="[^"]*", /, ''),
    'no algorithm': () => rewritten(/algorithm="[^"]*", /, ''),
    'no headers': () => rewritten(/headers="[^"]*", /, ''),
    'no signature': () => rewritten(/, signature="[^"]*"/, ''),
    'an empty appkey': () => ({ appKey: '' }),
    'an empty element': () => rewritten(', ', ',,'),
    'a comma at the end': () => authorization((parts) => `${authorizationOf(parts)},`),
    'text at the end': () => authorization((parts) => `${authorizationOf(parts)} x`),
    'an open quote': () => rewritten(/"$/, ''),
    'a backslash in a value': () => rewritten('appkey="', 'appkey="\\'),
    'no separator': () => rewritten(', ', ' '),
    'a semicolon as separator': () => rewritten(', ', '; '),
    'an unknown algorithm': () => rewritten('"hmac-sha256"', '"hmac-md5"'),
    'an algorithm in upper case': () => rewritten('"hmac-sha256"', '"HMAC-SHA256"'),
    'an empty algorithm': () => rewritten('"hmac-sha256"', '""'),
    'a list without date': () => listed('request-line'),
    'a list without request-line': () => listed('date'),
    'an empty list': () => listed(),
    'a list in upper case': () => listed('Date', 'request-line'),
    'two blanks in the list': () => rewritten('date request-line', 'date  request-line'),
    'a comma in the list': () => rewritten('date request-line', 'date,request-line'),
    'a name twice in the list': () => listed('date', 'request-line', 'date'),
    'a pseudo-header in the list': () => listed('date', 'request-line', ':path'),
    'the name that others have for the request line': () => listed('date', '(request-target)'),
    'a listed header that is absent': () => listed('date', 'request-line', 'x-order'),
    'a listed digest that is absent': () => listed('date', 'request-line', 'digest'),
    ...Object.fromEntries(
      [
        'authorization',
        'connection',
        'keep-alive',
        'te',
        'transfer-encoding',
        'x-request-id',
        'x-forwarded-for',
        'x-forwarded-proto',
        'x-envoy-external-address',
        'x-consumer-id',
        'x_consumer_id',
        'x-credential-identifier',
        'x-authenticated-scope',
        'x-anonymous-consumer',
      ].map((name) => [`a header that cannot be signed: ${name}`, () => listed('date', 'request-line', name)]),
    ),
    'a signature without padding': () => rewritten(/="$/, '"'),
    'a signature with white space': () => rewritten(/="$/, ' ="'),
    'a signature in the URL-safe alphabet': () => authorization((parts) => urlSafe(parts)),
    'a signature with spare bits': () => authorization((parts) => spareBits(parts)),
    'an empty date': () => ({ date: '' }),
    'a one-digit day': () => ownDate((now) => now.replace(/, \d/, ', ')),
    'a day that does not exist': () => ownDate((now) => now.replace(/, \d\d .../, ', 31 Feb')),
    'a time zone in letters': () => ownDate((now) => now.replace('GMT', 'UTC')),
    'a time zone in digits': () => ownDate((now) => now.replace('GMT', '+0000')),
    'a leap second': () => ownDate((now) => now.replace(/:\d\d GMT/, ':60 GMT')),
    'the date of RFC 850': () => ownDate((now) => now.replace(/^(...), (\d\d) (...) \d\d(\d\d)/, '$1day, $2-$3-$4')),
    'the date of asctime': () => ownDate((now) => now.replace(/, (\d\d) (...) (\d{4}) ([\d:]*) GMT/, ' $2 $1 $4 $3')),
    'an ISO date': () => ({ date: new Date().toISOString() }),
    'seconds since the epoch': () => ({ date: String(nowSeconds()) }),
    'a body without digest': () => posted({ digest: null }),
    'a body whose digest is not signed': () => posted({ signed: ['date', 'request-line'] }),
    'two digests': () => posted({ headers: [['Digest', digestText('{"name": "bob"}')]] }),
  },
  AUTHENTICATION_FAILED: {
    ...Object.fromEntries(Object.entries(unusableKeys).map(([why, key]) => [why, () => key])),
    'the signature in hex': () =>
      authorization((parts) =>
        authorizationOf({ ...parts, signature: Buffer.from(parts.signature, 'base64').toString('hex') }),
      ),
    'an empty signature': () => rewritten(/signature="[^"]*"/, 'signature=""'),
    'a short signature': () => rewritten(/signature="[^"]*"/, 'signature="AAAA"'),
    'a signature with one bit turned': () =>
      authorization((parts) => {
        const bytes = Buffer.from(parts.signature, 'base64');
        bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
        return authorizationOf({ ...parts, signature: bytes.toString('base64') });
      }),
    'the path without its query': () => ({ target: '/hmac?a=1', ...tellsTarget('/hmac') }),
    'the target with the host': () => tellsTarget('http://api.example.com/hmac'),
    'the target decoded': () => ({ target: '/hmac/%7e', ...tellsTarget('/hmac/~') }),
    'the target without a bare question mark': () => ({ target: '/hmac?', ...tellsTarget('/hmac') }),
    'repeats joined without a blank': () => ({
      headers: [
        ['X-Order', '1'],
        ['X-Order', '2'],
      ],
      signed: ['date', 'request-line', 'x-order'],
      signedValues: { 'x-order': '1,2' },
    }),
    'repeats in another order': () => ({
      headers: [
        ['X-Order', '1'],
        ['X-Order', '2'],
      ],
      signed: ['date', 'request-line', 'x-order'],
      signedValues: { 'x-order': '2, 1' },
    }),
    'the host without the port that it has': () => ({
      host: 'api.example.com:8443',
      signed: ['date', 'host', 'request-line'],
      signedValues: { host: 'api.example.com' },
    }),
  },
  REQUEST_EXPIRED: {
    'a right signature of yesterday': () => ({ dateSeconds: nowSeconds() - 86_400 }),
    'a right signature of yesterday, over a body that was changed': () =>
      posted({ dateSeconds: nowSeconds() - 86_400, digest: digestText('another body') }),
  },
  DIGEST_MISMATCH: {
    'the digest of another body': () => posted({ digest: digestText('another body') }),
    'the digest in hex': () =>
      posted({ digest: `SHA-256=${createHash('sha256').update('{"name": "bob"}').digest('hex')}` }),
    'another hash': () =>
      posted({ digest: `SHA-512=${createHash('sha512').update('{"name": "bob"}').digest('base64')}` }),
    'the prefix in lower case': () => posted({ digest: digestText('{"name": "bob"}').replace('SHA', 'sha') }),
    'the digest without its prefix': () => posted({ digest: digestText('{"name": "bob"}').slice('SHA-256='.length) }),
    'the digest without padding': () => posted({ digest: digestText('{"name": "bob"}').slice(0, -1) }),
    'the digest as a structured field': () =>
      posted({ digest: digestText('{"name": "bob"}').replace(/=(.*)/, '=:$1:') }),
    'two digests in one': () => posted({ digest: `${digestText('{"name": "bob"}')},${digestText('x')}` }),
    'no body, and the digest of one': () => ({ digest: digestText('x') }),
    'no body, and the digest of one that is not signed': () => ({
      digest: digestText('x'),
      signed: ['date', 'request-line'],
    }),
  },
};

function urlSafe(parts: AuthorizationParts): string {
  const signature = `-${parts.signature.slice(1).replaceAll('+', '-').replaceAll('/', '_')}`;
  return authorizationOf({ ...parts, signature });
}

/** The same bytes in another spelling: the two bits before the padding are free. */
function spareBits(parts: AuthorizationParts): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(parts.signature.at(-2) ?? '');
  const signature = `${parts.signature.slice(0, -2)}${alphabet[last + 1] ?? ''}=`;
  assert.deepEqual(Buffer.from(signature, 'base64'), Buffer.from(parts.signature, 'base64'));
  return authorizationOf({ ...parts, signature });
}

/** Signs another target than the one that is sent. */
function tellsTarget(target: string): HmacParts {
  return {
    authorization: (parts) => {
      const signed = signedByHmac({ target }).headers.find(([name]) => name === 'Authorization');
      return signed?.[1] ?? authorizationOf(parts);
    },
  };
}

describe('a request to an hmac endpoint', () => {
  const stack = useSignedStack('hmac', [{ id: 'hmac', authentication: 'hmac' }]);

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      for (const [code, rows] of Object.entries(refused)) {
        for (const [kind, parts] of Object.entries(rows)) {
          it(`is refused with ${code}: ${kind}`, async () => {
            stack.assertRefused(await stack.send(protocol, signedByHmac(parts())), code as SignedCode);
          });
        }
      }

      it('is refused with CREDENTIALS_MISSING: no Authorization, whatever else there is', async () => {
        for (const headers of [[], [['Date', new Date().toUTCString()]], [['X-App-Key', acme.appKey]]] as Fields[]) {
          const answer = await stack.send(protocol, { target: `/hmac?appKey=${acme.appKey}`, headers });
          stack.assertRefused(answer, 'CREDENTIALS_MISSING');
        }
      });

      it('is refused in the same words, whatever is the matter with its App Key', async () => {
        const answers: unknown[] = [];
        for (const key of Object.values(unusableKeys)) {
          answers.push(comparable(await stack.send(protocol, signedByHmac(key))));
        }
        for (const answer of answers) assert.deepEqual(answer, answers[0]);
      });

      it('logs why it was refused, without secret, signature or Authorization', async () => {
        const request = signedByHmac({ secret: 'some other secret, just as long as' });
        const answer = await stack.send(protocol, request);
        const { requestId } = jsonBody(answer) as { requestId: string };
        const line = await stack.running().postern.logLine((each) => each['requestId'] === requestId);
        assert.equal(line['code'], 'AUTHENTICATION_FAILED');
        const signature = /signature="([^"]*)"/.exec(
          request.headers.find(([name]) => name === 'Authorization')?.[1] ?? '',
        );
        const written = stack.running().postern.output() + stack.running().envoy.output();
        for (const text of [acme.secret, 'some other secret', signature?.[1] ?? 'no signature', 'algorithm=']) {
          assert.ok(!written.includes(text), `${text} is in a log`);
        }
      });
    });
  }

  it('is refused with CREDENTIALS_MALFORMED: no date at all', async () => {
    for (const protocol of protocols) {
      const request = signedByHmac();
      const headers = request.headers.filter(([name]) => name !== 'Date');
      stack.assertRefused(await stack.send(protocol, { ...request, headers }), 'CREDENTIALS_MALFORMED');
    }
  });

  describe('over HTTP/1.1, which can repeat any header', () => {
    /** A right request with one header line more. */
    const withLine = async (name: string, value?: string): Promise<HttpAnswer> => {
      const request = signedByHmac();
      const sent = request.headers.find(([each]) => each === name)?.[1] ?? '';
      const more = [...request.headers, [name, value ?? sent] as const];
      return await send('HTTP/1.1', stack.running().envoy.port, { ...request, headers: more });
    };

    it('is refused with CREDENTIALS_MALFORMED: two Authorization lines, the same or others', async () => {
      stack.assertRefused(await withLine('Authorization'), 'CREDENTIALS_MALFORMED');
      stack.assertRefused(await withLine('Authorization', 'Bearer x'), 'CREDENTIALS_MALFORMED');
    });

    it('is refused with CREDENTIALS_MALFORMED: two dates, the same or others', async () => {
      stack.assertRefused(await withLine('Date'), 'CREDENTIALS_MALFORMED');
      stack.assertRefused(await withLine('Date', new Date(0).toUTCString()), 'CREDENTIALS_MALFORMED');
    });
  });
});

/** An answer without what is its own: the id and the time. */
function comparable(answer: HttpAnswer): unknown {
  const { requestId, ...body } = jsonBody(answer) as Record<string, unknown>;
  assert.ok(requestId);
  const headers = answer.headers.filter(([name]) => !['x-request-id', 'date'].includes(name));
  return { status: answer.status, headers, body };
}
